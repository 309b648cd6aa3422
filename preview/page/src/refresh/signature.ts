// The signature of a component: the hooks that it calls, in order. When it stays the same, React can keep the state.

/** Reads the calls of hooks from the text of a function. A bundler writes some of them as (0, module.useState)(. */
export function hookSignature(source: string): string {
  return (source.match(/\buse(?:[A-Z]\w*)?(?=\)?\s*\()/g) ?? []).join();
}
