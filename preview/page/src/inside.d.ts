// Files inside packages that the packages do not export: the bundler resolves "@inside/<package>/<path>" into node_modules. A file
// that this version does not have is an empty module, hence a setter may be undefined.
declare module '@inside/@grafana/i18n/dist/esm/i18n.mjs' {
  export const initializeI18n:
    ((config: { language: string; ns: string[] }, regionalFormat: string) => Promise<{ language: string | undefined }>) | undefined;
}
declare module '@inside/@grafana/runtime/dist/esm/services/pluginExtensions/getObservablePluginLinks.mjs' {
  export const setGetObservablePluginLinks: ((get: typeof import('@grafana/runtime').getObservablePluginLinks) => void) | undefined;
}
declare module '@inside/@grafana/runtime/dist/esm/services/pluginExtensions/getObservablePluginComponents.mjs' {
  export const setGetObservablePluginComponents:
    ((get: typeof import('@grafana/runtime').getObservablePluginComponents) => void) | undefined;
}
declare module 'react-refresh/runtime' {
  export function injectIntoGlobalHook(window: Window): void;
  export function register(type: unknown, id: string): void;
  export function setSignature(type: unknown, key: string, forceReset?: boolean): void;
  export function performReactRefresh(): { updatedFamilies: Set<unknown>; staleFamilies: Set<unknown> } | null;
}
