import './browser';
import assert from 'node:assert/strict';
import { test } from 'node:test';
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
    noteDrawing('x', 'x', element, { frames: 0, rows: 0 });
    assert.equal(report().empty, empty, html);
  }
});
