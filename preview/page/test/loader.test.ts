import assert from 'node:assert/strict';
import { test } from 'node:test';
import { definition, evaluate, type Surroundings } from '../src/modules/amd';
import { watched } from '../src/modules/watch';

const shared: { [id: string]: unknown } = { react: { name: 'react' } };
const files: string[] = [];
const around: Surroundings = {
  shared: (id) => shared[id],
  file: (url) => Promise.resolve({ file: files.push(url) && url }),
  style: (url) => Promise.resolve(void files.push(url)),
};
const url = 'http://localhost/public/plugins/a/module.js';
const load = (...args: unknown[]) => evaluate(definition(args), url, around);

test('a name, dependencies and a factory', async () => {
  assert.deepEqual(await load('name', ['react'], (react: unknown) => ({ react })), { react: shared.react });
  assert.deepEqual(await load({ plain: 1 }), { plain: 1 });
});

test('require, exports and module', async () => {
  const exported = await load((require: (id: string) => unknown, exports: { react?: unknown; uri?: string }, module: { uri: string }) => {
    exports.react = require('react');
    exports.uri = module.uri;
  });
  assert.deepEqual(exported, { react: shared.react, uri: url });
});

test('an asynchronous factory, further files and styles', async () => {
  assert.deepEqual(await load(['./chunk', './a.css'], async (chunk: { file: string }) => Promise.resolve({ chunk: chunk.file })), {
    chunk: 'http://localhost/public/plugins/a/chunk.js',
  });
  assert.deepEqual(files, ['http://localhost/public/plugins/a/chunk.js', 'http://localhost/public/plugins/a/a.css']);
});

test('a module that is not shared is named', async () => {
  await assert.rejects(
    load(['no-such'], () => 1),
    /"no-such"\): the interface shares no such module/,
  );
});

test('a watched namespace notes reads and missing names, and is not frozen by its original', () => {
  const [reads, missing]: string[][] = [[], []];
  const view = watched('m', Object.freeze({ a: 1 }), { read: (m, n) => reads.push(`${m}.${n}`), missing: (n) => missing.push(n) }) as {
    a: number;
    b?: unknown;
    default?: unknown;
  };
  assert.equal(view.a, 1);
  assert.equal(view.b, undefined);
  assert.equal(view.default, undefined);
  assert.deepEqual([reads, missing], [['m.a', 'm.b'], ['m#b']]);
});
