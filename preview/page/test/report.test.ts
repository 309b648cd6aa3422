import './browser';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchConsole } from '../src/observe/console';
import { noteDrawing, report } from '../src/observe/report';

test('a drawing is empty if nothing of the plugin can be seen', () => {
  const context = (words: number[]) => ({ getImageData: () => ({ data: new Uint32Array(words) }) });
  const contexts: { [id: string]: () => unknown } = {
    blank: () => context([0, 0]),
    drawn: () => context([0, 0xff000000]),
    webgl: () => null,
    foreign: () => {
      throw new Error('The canvas has been tainted by cross-origin data.');
    },
  };
  Object.assign(Element.prototype, { checkVisibility: () => true });
  Object.assign(document, { fonts: { status: 'loaded' } });
  HTMLCanvasElement.prototype.getContext = function (this: Element) {
    return contexts[this.id]();
  } as never;
  const cases: { [html: string]: boolean } = {
    '<p> </p>': true,
    '<p>a</p>': false,
    '<button></button>': false,
    '<p data-preview-own>a</p>': true,
    '<svg><defs></defs><g></g></svg>': true,
    '<svg><g><circle></circle></g></svg>': false,
    '<canvas id="blank"></canvas>': true,
    '<canvas id="blank"></canvas><canvas id="drawn"></canvas>': false,
    '<canvas id="webgl"></canvas>': false,
    '<canvas id="foreign"></canvas>': false,
  };
  for (const [html, empty] of Object.entries(cases)) {
    const element = Object.assign(document.createElement('div'), { innerHTML: html });
    noteDrawing('x', element, { title: 'x', frames: 0, rows: 0 });
    assert.equal(report().empty, empty, html);
    // A plugin may draw in a shadow tree, as web components do.
    const around = document.createElement('div');
    around.appendChild(document.createElement('div')).attachShadow({ mode: 'open' }).append(element);
    noteDrawing('x', around, { title: 'x', frames: 0, rows: 0 });
    assert.equal(report().empty, empty, `${html} in a shadow tree`);
  }
});

test('what does not load is a note: one for each other site, and also for images outside of the document', () => {
  watchConsole();
  for (const address of ['https://tiles.example/1.png', 'https://tiles.example/2.png', '/public/plugins/x/a.png', 'data:image/png,x']) {
    Object.assign(new Image(), { src: address }).dispatchEvent(new Event('error'));
  }
  for (const blockedURI of ['https://api.example/a', 'https://api.example/b', 'inline']) {
    window.dispatchEvent(Object.assign(new Event('securitypolicyviolation'), { blockedURI, effectiveDirective: 'connect-src' }));
  }
  assert.deepEqual(report().notes, [
    'An image from https://tiles.example did not load.',
    'The image /public/plugins/x/a.png did not load.',
    'The image data:image/png,x did not load.',
    "The page's policy does not allow https://api.example (connect-src).",
    "The page's policy does not allow inline (connect-src).",
  ]);
});
