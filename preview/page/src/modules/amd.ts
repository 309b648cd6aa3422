// A loader of AMD modules, which is what a plugin's module.js is. "define" stays on the window with "define.amd", as it does
// in the real interface: a library inside a bundle that prefers AMD to CommonJS fails here as it fails there.

type Factory = (...dependencies: unknown[]) => unknown;

export interface Definition {
  dependencies: string[];
  factory: Factory;
}

/** Reads the arguments of a call of define: a name, dependencies and a factory, of which the first two may be absent. */
export function definition(args: unknown[]): Definition {
  const rest = typeof args[0] === 'string' ? args.slice(1) : args;
  const dependencies = Array.isArray(rest[0]) ? (rest[0] as string[]) : ['require', 'exports', 'module'];
  const last = Array.isArray(rest[0]) ? rest[1] : rest[0];
  return { dependencies, factory: typeof last === 'function' ? (last as Factory) : () => last };
}

export interface Surroundings {
  /** A shared module, or undefined. */
  shared(id: string): unknown;
  /** A further file of the plugin. */
  file(url: string): Promise<unknown>;
  style(url: string): Promise<void>;
}

/** Evaluates a definition. The factory may be asynchronous: a module with a top-level await has one. */
export async function evaluate(given: Definition, url: string, around: Surroundings): Promise<unknown> {
  const module = { exports: {} as unknown, id: url, uri: url };
  const require = (id: string) => {
    const found = around.shared(id);
    if (found === undefined) {
      throw new Error(`require("${id}"): the interface shares no such module`);
    }
    return found;
  };
  const resolve = async (id: string): Promise<unknown> => {
    switch (id) {
      case 'require':
        return require;
      case 'exports':
        return module.exports;
      case 'module':
        return module;
    }
    if (id.endsWith('.css') || id.endsWith('!css')) {
      return around.style(new URL(id.replace(/!css$/, ''), url).href);
    }
    if (id.startsWith('.')) {
      return around.file(new URL(id.endsWith('.js') ? id : id + '.js', url).href);
    }
    return require(id);
  };
  const values = await Promise.all(given.dependencies.map(resolve));
  return (await given.factory(...values)) ?? module.exports;
}
