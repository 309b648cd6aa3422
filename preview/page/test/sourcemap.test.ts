import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transformSync } from 'esbuild';
import { format } from '../src/observe/format';
import { decodeVLQ, Locator, sourcePath, type SourceMap } from '../src/observe/sourcemap';
import { stackFrames } from '../src/observe/stack';

test('numbers of all sizes and signs', () => {
  assert.deepEqual(decodeVLQ('AAgBC'), [0, 0, 16, 1]);
  assert.deepEqual(decodeVLQ('D'), [-1]);
  assert.deepEqual(decodeVLQ('+/////D'), [2147483647]);
  assert.throws(() => decodeVLQ('!'), /no digit/);
});

test('a place in minified code is found in its source', () => {
  const source =
    'export function first() {\n  return 1;\n}\nexport function second(argument: number) {\n  throw new Error("here" + argument);\n}\n';
  const { code, map } = transformSync(source, { loader: 'ts', minify: true, sourcemap: 'external', sourcefile: '../src/a.ts' });
  const lines = code.split('\n');
  const line = lines.findIndex((l) => l.includes('throw'));
  const place = new Locator(JSON.parse(map) as SourceMap).locate(line + 1, lines[line].indexOf('throw'));
  assert.deepEqual(place && [place.file, place.line, place.column, place.content], ['src/a.ts', 5, 2, source]);
});

test('code before the first mapping, or on no line of the map, has no place', () => {
  const locator = new Locator({ sources: ['a.ts'], mappings: ';;EAAA' });
  assert.equal(locator.locate(3, 1), undefined);
  assert.equal(locator.locate(9, 1), undefined);
  assert.equal(locator.locate(3, 2)?.line, 1);
});

test('names of sources become paths', () => {
  assert.equal(sourcePath('webpack://acme-panel/./src/module.ts?1a2b'), 'src/module.ts');
  assert.equal(sourcePath('webpack://acme-panel/./Panel.tsx'), 'src/Panel.tsx');
  assert.equal(sourcePath('webpack://acme-panel/../node_modules/a/b.js'), 'node_modules/a/b.js');
  assert.equal(sourcePath('../../src/Panel.tsx'), 'src/Panel.tsx');
});

test('stacks of two browsers', () => {
  const chromium =
    'Error: x\n    at Panel (http://localhost:1/public/plugins/a/module.js?t=5:10:20)\n    at async http://localhost:1/-/page.js:1:2';
  assert.deepEqual(stackFrames(chromium), [
    { name: 'Panel', url: 'http://localhost:1/public/plugins/a/module.js?t=5', line: 10, column: 19 },
    { name: '', url: 'http://localhost:1/-/page.js', line: 1, column: 1 },
  ]);
  assert.deepEqual(stackFrames('Panel@http://localhost:1/a.js:3:4'), [
    { name: 'Panel', url: 'http://localhost:1/a.js', line: 3, column: 3 },
  ]);
});

test('the words of the console are filled in', () => {
  assert.equal(format(['%s is %d, %o', 'a', 2, 'x', 'more']), 'a is 2, x more');
  assert.equal(format(['%cstyled', 'color: red']), 'styled');
});
