// Connects React Fast Refresh to the React of the page, in development. It must run before react-dom is evaluated.
import { injectIntoGlobalHook, performReactRefresh, register, setSignature } from 'react-refresh/runtime';

declare global {
  interface Window {
    $RefreshReg$?: (type: unknown, id: string) => void;
    $RefreshSig$?: () => (type: unknown) => unknown;
    /** Replaces the components that were registered since the last time. */
    __refresh?: () => void;
  }
}

/**
 * The signature of a component: the hooks that it calls, in order, from the text of its function. When it stays the same, React
 * can keep the state. A bundler writes some of them as (0, module.useState)(.
 */
export function hookSignature(source: string): string {
  return (source.match(/\buse(?:[A-Z]\w*)?(?=\)?\s*\()/g) ?? []).join();
}

/** The build registers each capitalised declaration of a plugin's source file; not all of them are components. */
function registerComponent(type: unknown, id: string): void {
  if (typeof type === 'function') {
    setSignature(type, hookSignature(type.toString()));
  }
  register(type, id);
}

/** Without react-refresh, which a repository may lack, an edit mounts the plugin again. */
export function connect(): void {
  if (typeof injectIntoGlobalHook !== 'function') {
    return;
  }
  injectIntoGlobalHook(window);
  window.$RefreshReg$ = registerComponent;
  window.$RefreshSig$ = () => (type) => type;
  window.__refresh = () => void performReactRefresh();
}
