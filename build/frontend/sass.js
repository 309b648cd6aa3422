// Defines compileSass(text, url, find, load) for sass.go, which provides find and load.

// Sass needs the names of URLs, not their parts.
globalThis.URL = class {
  constructor(text) {
    this.href = String(text);
  }
  toString() {
    return this.href;
  }
};

globalThis.location = { href: 'file:///' };

const { compileString, Logger } = require('sass');

globalThis.compileSass = (text, url, find, load) => {
  const importer = {
    canonicalize(name) {
      const found = find(name);
      return found ? new URL(found) : null;
    },
    load: ({ href }) => ({ contents: load(href), syntax: syntaxOf(href) }),
  };
  try {
    return compileString(text, { url: new URL(url), syntax: syntaxOf(url), importer, importers: [importer], logger: Logger.silent }).css;
  } catch (e) {
    if (!e.span) {
      throw e;
    }
    const { start, context, url } = e.span;
    throw { sassMessage: e.sassMessage, line: start.line, column: start.column, context, url: String(url) };
  }
};

function syntaxOf(href) {
  if (href.endsWith('.sass')) {
    return 'indented';
  }
  return href.endsWith('.css') ? 'css' : 'scss';
}
