// Starts the page, after the globals are set: modules, services, registries, and the React tree.
import { getDefaultTimeRange } from '@grafana/data';
import { setPluginImportUtils } from '@grafana/runtime';
import { createRoot } from 'react-dom/client';
import { bare, boot } from './boot/boot';
import { registerEditors } from './editors/registry';
import { installLoader } from './modules/load';
import { shareModules } from './modules/shared';
import { report, rest } from './observe/report';
import { importPanelPlugin, PanelRenderer, PluginPage, PanelDataErrorView, presentPanelPlugin } from './panels/renderer';
import { listen } from './refresh/events';
import { lastSwap, swap } from './refresh/reload';
import { dataSources } from './services/datasources';
import { announcePlugins } from './services/plugins';
import { startInside, startServices } from './services/start';
import { showTheme } from './services/theme';
import { registerTransformers } from './services/transformers';
import { variables } from './services/variables';
import { Root } from './views/root';

export async function start(): Promise<void> {
  installLoader();
  registerEditors();
  registerTransformers();
  startServices();
  variables.updateTimeRange(getDefaultTimeRange());
  setPluginImportUtils({ importPanelPlugin, getPanelPluginFromCache: presentPanelPlugin });
  announcePlugins();
  await Promise.all([shareModules({ PanelRenderer, PluginPage, PanelDataErrorView }), startInside(), dataSources.refresh()]);
  showTheme(boot.theme);
  document.body.classList.toggle('preview-bare', bare);
  document.documentElement.lang = 'en';
  createRoot(document.getElementById('preview-root')!).render(<Root />);
  if (!bare) {
    listen(); // a picture does not change, and its time stands still while a call is under way
  }
  window.__preview = { report, ready: rest(), swap, lastSwap: () => lastSwap };
}
