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
  const result = await evaluate();
  for (const old of added.get(module) ?? []) {
    old.remove();
  }
  added.set(
    module,
    [...owned()].filter((element) => !before.has(element)),
  );
  return result;
}

/** Adds a style sheet by its address. */
export async function addStyleSheet(url: string): Promise<void> {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = url;
  document.head.append(link);
}
