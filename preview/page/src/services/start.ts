// Gives @grafana/runtime its services. Each may be set once; before that, plugins that ask for one get an exception.
import * as runtime from '@grafana/runtime';
import type { DataFrame } from '@grafana/data';
import { language } from '../boot/boot';
import { record } from '../observe/record';
import { backend } from './backend';
import { dataSources } from './datasources';
import { appEvents } from './events';
import { observeComponents, observeLinks, usePluginComponent, usePluginComponents, usePluginFunctions, usePluginLinks } from './extensions';
import { live } from './live';
import { makeRunner, runRequest } from './queries';
import { variables } from './variables';

const echo: runtime.EchoSrv = {
  flush: () => undefined,
  addBackend: () => undefined,
  addEvent: ({ type, payload }) => {
    const name = (payload as { interactionName?: string } | undefined)?.interactionName;
    record.note(name ? `Interaction reported: ${name}.` : `Event reported: ${type}.`);
  },
};

const lacks = (what: string) => () => record.note(`The plugin asked for ${what}, which the preview does not have.`);

const correlations: runtime.CorrelationsService = {
  attachCorrelationsToDataFrames: (frames: DataFrame[]) => frames,
  correlationsDataLinkPostProcessorFactory: () => () => undefined,
  getCorrelationsBySourceUIDs: () => {
    lacks('correlations')();
    return Promise.resolve({ correlations: [], page: 1, limit: 0, totalCount: 0 });
  },
};

/** Sets what not every supported version has. */
function setIfThere(name: string, value: unknown): void {
  const setter = (runtime as unknown as { [name: string]: ((value: unknown) => void) | undefined })[name];
  setter?.(value);
}

export function startServices(): void {
  runtime.setBackendSrv(backend);
  runtime.setDataSourceSrv(dataSources);
  runtime.setTemplateSrv(variables);
  runtime.setLocationSrv(runtime.locationService);
  runtime.setEchoSrv(echo);
  runtime.setGrafanaLiveSrv(live);
  runtime.setRunRequest(runRequest);
  runtime.setQueryRunnerFactory(makeRunner);
  runtime.setPluginLinksHook(usePluginLinks);
  runtime.setPluginComponentsHook(usePluginComponents);
  runtime.setPluginComponentHook(usePluginComponent);
  setIfThere('setAppEvents', appEvents);
  setIfThere('setCurrentUser', runtime.config.bootData.user);
  setIfThere('setPluginFunctionsHook', usePluginFunctions);
  setIfThere('setCorrelationsService', correlations);
  setIfThere('setReturnToPreviousHook', () => (title: string) => lacks(`"Return to ${title}"`)());
  setIfThere('setMegaMenuOpenHook', () => [false, lacks('the navigation menu')]);
  setIfThere('setChromeHeaderHeightHook', () => 0);
  setIfThere('setHelpNavItemHook', lacks('a help item in the navigation'));
}

/** Sets what the package does not export. */
export async function startInside(): Promise<void> {
  const absent = () => undefined;
  const [links, components, i18n, unstable] = await Promise.all([
    import('@inside/@grafana/runtime/dist/esm/services/pluginExtensions/getObservablePluginLinks.mjs').catch(absent),
    import('@inside/@grafana/runtime/dist/esm/services/pluginExtensions/getObservablePluginComponents.mjs').catch(absent),
    import('@inside/@grafana/i18n/dist/esm/i18n.mjs').catch(absent),
    import('@grafana/runtime/unstable').catch(absent) as Promise<{ initializeLoggersRegistry?(): void } | undefined>,
  ]);
  links?.setGetObservablePluginLinks?.(observeLinks);
  components?.setGetObservablePluginComponents?.(observeComponents);
  unstable?.initializeLoggersRegistry?.(); // from 13.2 on: without it, a query throws with something to log
  await i18n?.initializeI18n?.({ language, ns: ['grafana'] }, language);
}
