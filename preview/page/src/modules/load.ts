// Loads a plugin's module.js by a script element, and what it asks for.
import { definition, evaluate, type Definition } from './amd';
import { record } from '../observe/record';
import { sharedModule } from './shared';

declare global {
  interface Window {
    define?: ((...args: unknown[]) => void) & { amd: object };
    System?: { import(path: string): Promise<void>; register(): never };
  }
}

const defined = new WeakMap<object, Definition>();
const latest = new Map<string, string>(); // address of each module by its path

/** Puts the loader's two names on the window, where they stay. */
export function installLoader(): void {
  const define = (...args: unknown[]) => {
    if (document.currentScript) {
      defined.set(document.currentScript, definition(args));
    }
  };
  window.define = Object.assign(define, { amd: {} });
  window.System = {
    // @grafana/runtime's loadPluginCss
    import: (path) => addStyleSheet(path.startsWith('/') ? path : '/public/' + path.replace(/^(\.\/)?/, '')),
    register: () => {
      throw new Error('this module.js is in the format of System.register; the interface expects AMD');
    },
  };
}

// The style elements that a plugin's module adds while it is evaluated. When the module is evaluated again, those of the time
// before go: else a rule that the author deleted would stay.
const added = new Map<string, Element[]>();

/** The elements of the shared emotion stay: its cache would not insert them a second time. */
function owned(): Set<Element> {
  return new Set(document.head.querySelectorAll('style:not([data-emotion]), link[rel="stylesheet"]'));
}

/** Runs an evaluation of the module and attributes to it the styles that appear meanwhile. */
async function withStyles<T>(module: string, evaluate: () => Promise<T>): Promise<T> {
  const before = owned();
  let old = added.get(module) ?? [];
  try {
    const result = await evaluate();
    old.forEach((element) => element.remove());
    old = [];
    return result;
  } finally {
    // Those of a module that failed go with the next one that does not.
    added.set(module, [...old, ...[...owned()].filter((element) => !before.has(element))]);
  }
}

/** Adds a style sheet by its address. */
async function addStyleSheet(url: string): Promise<void> {
  document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: url }));
}

function script({ href, pathname }: URL): Promise<HTMLScriptElement> {
  return new Promise((resolve, reject) => {
    const element = Object.assign(document.createElement('script'), { src: href });
    element.onload = () => resolve(element);
    element.onerror = () => reject(new Error(`${pathname} could not be loaded`));
    document.head.append(element);
  });
}

async function loadFile(url: string): Promise<unknown> {
  const at = new URL(url, location.href);
  const given = defined.get(await script(at));
  if (!given) {
    throw new Error(`${at.pathname} does not call define: it is not an AMD module`);
  }
  const asked = new Set<string>();
  const shared = (id: string) => {
    asked.add(id);
    return sharedModule(id);
  };
  const exported = await evaluate(given, at.href, { shared, file: loadFile, style: addStyleSheet });
  record.replaced.add(latest.get(at.pathname) ?? '');
  latest.set(at.pathname, at.href);
  record.loaded[at.pathname] = { asked: [...asked].sort(), exports: Object.keys(exported ?? {}).sort() };
  return exported;
}

/** Evaluates a module and returns its exports. A second time needs another address, for which "revision" is. */
export function loadModule(path: string, revision = ''): Promise<Record<string, unknown>> {
  const url = revision ? `${path}?t=${revision}` : path;
  return withStyles(path, () => loadFile(url)) as Promise<Record<string, unknown>>;
}
