// Runs the module.js of a data source without a browser: node editor.js module.js.
const assert = require('node:assert');
const fs = require('node:fs');

// render calls components until only elements of HTML are left, and lists those.
function render(element, into = []) {
  if (typeof element.type === 'function') {
    return render(element.type(element.props), into);
  }
  into.push(element);
  element.children.filter((child) => child && child.type).forEach((child) => render(child, into));
  return into;
}

let plugin;
const React = { createElement: (type, props, ...children) => ({ type, props, children }) };
const data = {
  DataSourcePlugin: class {
    constructor(source) { this.source = source; }
    setQueryEditor(editor) { this.editor = editor; return this; }
    setConfigEditor() { return this; }
  },
};
const runtime = {
  DataSourceWithBackend: class {
    applyTemplateVariables(query) { return { ...query, replaced: true }; }
  },
};
const define = (names, make) => { plugin = make(React, data, runtime).plugin; };
new Function('define', fs.readFileSync(process.argv[2], 'utf8'))(define);

// A query that lacks fields is sent with the defaults.
const source = new plugin.source();
assert.deepStrictEqual(source.applyTemplateVariables({ refId: 'A', points: 7 }, {}, []),
  { points: 7, amplitude: 1, refId: 'A', replaced: true });

// Typing changes nothing outside; leaving the field or Enter does, once.
const changes = [];
let runs = 0;
const element = React.createElement(plugin.editor, {
  query: { refId: 'A', points: 7 }, onChange: (query) => changes.push(query), onRunQuery: () => runs++,
});
const [points, amplitude] = render(element).filter((e) => e.type === 'input').map((e) => e.props);
assert.strictEqual(points.defaultValue, 7);
assert.ok(!('value' in points) && !('onChange' in points));
assert.deepStrictEqual([points.min, points.step, amplitude.min, amplitude.step], [1, 1, undefined, 'any']);
const field = (number, isValid = true) => ({ valueAsNumber: number, value: String(number), checkValidity: () => isValid });
const typing = (number) => ({ ...field(number), blur() { points.onBlur({ target: this }); } });
points.onBlur({ target: field(7) });
points.onKeyDown({ key: '1', target: typing(1) });
assert.strictEqual(changes.length, 0);
for (const wrong of [field(NaN), field(0, false)]) {
  points.onBlur({ target: wrong });
  assert.strictEqual(wrong.value, 7);
}
points.onKeyDown({ key: 'Enter', target: typing(12) });
amplitude.onBlur({ target: field(2.5) });
assert.deepStrictEqual(changes, [{ refId: 'A', points: 12 }, { refId: 'A', points: 7, amplitude: 2.5 }]);
assert.strictEqual(runs, 2);
