// Namespaces of shared modules that note which names are read, and which of them this version does not have.

/** Names that bundlers and loaders ask of every module. */
const asked = new Set(['default', '__esModule', 'then', '__useDefault', '$$typeof', 'toJSON']);

interface Watcher {
  read(module: string, name: string): void;
  missing(what: string): void;
}

/** A view of a namespace. It is over a copy: a namespace is frozen, and a proxy may not lie about frozen properties. */
export function watched<T extends object>(id: string, namespace: T, watcher: Watcher): T {
  return new Proxy(
    { ...namespace },
    {
      get(_copy, name) {
        if (typeof name === 'string' && !asked.has(name)) {
          watcher.read(id, name);
          if (!(name in namespace)) {
            watcher.missing(`${id}#${name}`);
          }
        }
        return Reflect.get(namespace, name);
      },
    },
  );
}
