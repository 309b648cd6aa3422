// The mounted plugins: what plugin.json says, and the plugin objects of their modules, loaded when they are needed.
import {
  AppPlugin,
  DataSourcePlugin,
  PanelPlugin,
  PluginLoadingStrategy,
  PluginType,
  type AppPluginMeta,
  type PluginMeta,
} from '@grafana/data';
import { config, type AppPluginConfig } from '@grafana/runtime';
import i18next from 'i18next';
import { isNil, omitBy } from 'lodash';
import { boot, language, type Manifest } from '../boot/boot';
import { fault } from '../observe/faults';
import { markWorking } from '../observe/network';
import { record } from '../observe/record';
import { loadModule } from '../modules/load';
import { backend } from './backend';

/** The parameters of the class depend on each other; one cannot name any of them without the others. */
export type AnyDataSourcePlugin = DataSourcePlugin<any, any, any, any>;
export type AnyPlugin = PanelPlugin | AnyDataSourcePlugin | AppPlugin;

export const manifests = new Map(boot.plugins.map((plugin) => [plugin.id, plugin]));

/** The metadata of a plugin in the form of the interface. */
export function metaOf(manifest: Manifest): PluginMeta {
  const base = `public/plugins/${manifest.id}`;
  const logo = (size: 'small' | 'large') => {
    const path = manifest.info?.logos?.[size];
    return path ? `/${base}/${path.replace(/^\//, '')}` : '';
  };
  return {
    ...manifest,
    type: manifest.type as PluginType,
    info: {
      ...{ author: { name: '' }, description: '', links: [], screenshots: [], updated: '', version: '' },
      ...omitBy(manifest.info, isNil),
      logos: { small: logo('small'), large: logo('large') },
    },
    module: `${base}/module.js`,
    baseUrl: base,
    enabled: true,
    pinned: true,
    jsonData: manifest.jsonData ?? {},
    angular: { detected: false, hideDeprecation: false },
    loadingStrategy: PluginLoadingStrategy.script,
  };
}

/** Tells @grafana/runtime's config which plugins there are. */
export function announcePlugins(): void {
  for (const manifest of manifests.values()) {
    const meta = metaOf(manifest);
    if (manifest.type === 'app') {
      config.apps[meta.id] = { ...meta, path: meta.module, version: meta.info.version, preload: false } as AppPluginConfig;
    } else if (manifest.type === 'panel') {
      config.panels[meta.id] = { ...meta, sort: 100 };
    }
  }
}

/** Adds what the host keeps for an app: its settings and whether it is enabled. */
async function withSettings(meta: PluginMeta): Promise<PluginMeta> {
  const stored = await backend.get<Partial<PluginMeta>>(`/api/plugins/${meta.id}/settings`).catch(() => undefined);
  return stored
    ? { ...meta, jsonData: stored.jsonData ?? {}, secureJsonFields: stored.secureJsonFields ?? {}, enabled: stored.enabled ?? true }
    : meta;
}

const constructors = { panel: 'PanelPlugin', datasource: 'DataSourcePlugin', app: 'AppPlugin' };

/** The plugin that a module exports. It may be a promise, and data sources of long ago export their parts. A host reads no default export. */
async function pluginIn(exports: Record<string, unknown>, meta: PluginMeta): Promise<AnyPlugin> {
  const plugin = (await exports.plugin) as AnyPlugin | undefined;
  if (plugin && typeof plugin === 'object' && 'addConfigPage' in plugin) {
    return plugin;
  }
  if (meta.type === PluginType.datasource && typeof exports.Datasource === 'function') {
    const made: AnyDataSourcePlugin = new DataSourcePlugin(exports.Datasource as AnyDataSourcePlugin['DataSourceClass']);
    made.setComponentsFromLegacyExports(exports as never);
    return made;
  }
  const names = Object.keys(exports).filter((name) => name !== '__esModule');
  const found = names.length ? `exports ${names.join(', ')}, but no plugin` : 'exports nothing';
  const expected = constructors[meta.type as keyof typeof constructors] ?? 'plugin';
  throw new Error(`src/module.ts of ${meta.id} ${found}. It needs: export const plugin = new ${expected}(…)`);
}

/** Adds the translations of a plugin, in English if it lacks the language. Versions without @grafana/i18n have no use for them. */
async function translate({ id, languages = [] }: Manifest): Promise<void> {
  if (languages.length && i18next.isInitialized) {
    const file = `/public/plugins/${id}/locales/${languages.includes(language) ? language : 'en-US'}/${id}.json`;
    const answer = await fetch(file);
    if (answer.ok) {
      i18next.addResourceBundle(i18next.resolvedLanguage ?? language, id, await answer.json());
    } else {
      record.note(`The translations of ${id} did not load: ${file} answered ${answer.status}.`);
    }
  }
}

const loaded = new Map<string, Promise<AnyPlugin>>();
const present = new Map<string, AnyPlugin>();

async function load(id: string, revision: string): Promise<AnyPlugin> {
  const manifest = manifests.get(id);
  if (!manifest) {
    throw new Error(`the plugin ${id} is not mounted`);
  }
  const plain = metaOf(manifest);
  await translate(manifest);
  const [meta, exports] = await Promise.all([
    manifest.type === 'app' ? withSettings(plain) : plain,
    loadModule('/' + plain.module, revision),
  ]);
  const plugin = await pluginIn(exports, plain);
  Object.assign(plugin, { meta });
  if (plugin instanceof AppPlugin) {
    plugin.init?.(meta as AppPluginMeta);
  }
  present.set(id, plugin);
  return plugin;
}

/** The plugin, loaded once. Its failure is noted once, and is everybody's who asks. */
export function loadPlugin(id: string, revision = ''): Promise<AnyPlugin> {
  const known = revision ? undefined : loaded.get(id);
  if (known) {
    return known;
  }
  markWorking(`load ${id}`, true); // a script is no call
  const loading = load(id, revision).finally(() => markWorking(`load ${id}`, false));
  loading.catch((e: unknown) => fault('load', e));
  loaded.set(id, loading);
  return loading;
}

/** The plugin if it is loaded. */
export function presentPlugin(id: string): AnyPlugin | undefined {
  return present.get(id);
}
