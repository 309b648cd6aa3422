// The style elements that a plugin's module adds while it is evaluated. When the module is evaluated again, those of the time
// before go: else a rule that the author deleted would stay.
const added = new Map<string, Element[]>();

/** The elements of the shared emotion stay: its cache would not insert them a second time. */
function owned(): Set<Element> {
  return new Set(document.head.querySelectorAll('style:not([data-emotion]), link[rel="stylesheet"]'));
}

/** Runs an evaluation of the module and attributes to it the styles that appear meanwhile. */
export async function withStyles<T>(module: string, evaluate: () => Promise<T>): Promise<T> {
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
export async function addStyleSheet(url: string): Promise<void> {
  document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: url }));
}
