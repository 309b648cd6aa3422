import './browser';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mappingsOf, rowsOf } from '../src/editors/mappings';
import { choices, currentValue, type StoredVariable } from '../src/services/stored';
import { maySee, navigation } from '../src/views/apppage';

const custom: StoredVariable = { name: 'v', type: 'custom', query: 'a, b : c, d\\,e' };

test('the choices of a custom variable', () => {
  assert.deepEqual(choices(custom), [
    { text: 'a', value: 'a' },
    { text: 'b', value: 'c' },
    { text: 'd,e', value: 'd,e' },
  ]);
});

test('the current value: as stored, all of them, or the text of the query', () => {
  assert.deepEqual(currentValue({ ...custom, current: { text: 'b', value: 'c' } }), { value: 'c', text: 'b' });
  assert.deepEqual(currentValue({ ...custom, current: { value: ['$__all'] } }), { value: ['a', 'c', 'd,e'], text: 'All' });
  assert.deepEqual(currentValue({ ...custom, allValue: '.*', current: { value: '$__all' } }), { value: '.*', text: 'All' });
  assert.deepEqual(currentValue({ name: 'c', type: 'constant', query: '10' }).value, '10');
});

test('an include is seen from its role on', () => {
  assert.ok(maySee('Admin', { role: 'Editor' as never }));
  assert.ok(!maySee('Viewer', { role: 'Editor' as never }));
  assert.ok(maySee('Viewer', {}));
});

test('the navigation has the pages that ask for it, with the id filled in', () => {
  const page = { type: 'page' as never, name: 'One', path: '/a/%PLUGIN_ID%/one', addToNav: true };
  const includes = [page, { ...page, addToNav: false }, { ...page, type: 'dashboard' as never }, { ...page, path: undefined }];
  assert.deepEqual(
    navigation({ id: 'acme-app', includes }).map(({ path }) => path),
    ['/a/acme-app/one'],
  );
});

test('value mappings become rows and come back the same', () => {
  const mappings = mappingsOf(
    rowsOf([
      { type: 'value' as never, options: { a: { text: 'A', color: 'red' }, b: { text: 'B' } } },
      { type: 'range' as never, options: { from: 0, to: null, result: { text: 'positive' } } },
      { type: 'regex' as never, options: { pattern: '/x/', result: { text: 'X' } } },
      { type: 'special' as never, options: { match: 'null' as never, result: { text: 'none' } } },
    ]),
  );
  assert.deepEqual(mappings, [
    { type: 'value', options: { a: { text: 'A', color: 'red', index: 0 }, b: { text: 'B', index: 1 } } },
    { type: 'range', options: { from: 0, to: null, result: { text: 'positive', index: 2 } } },
    { type: 'regex', options: { pattern: '/x/', result: { text: 'X', index: 3 } } },
    { type: 'special', options: { match: 'null', result: { text: 'none', index: 4 } } },
  ]);
});
