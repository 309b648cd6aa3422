import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvSheet, labelsIn, parseCSV, typedColumn } from '../src/data/csv';

test('quotes contain commas, quotes and line ends', () => {
  assert.deepEqual(parseCSV('a,b\r\n"x, y","say ""hi""\nthere"\n\n'), [
    ['a', 'b'],
    ['x, y', 'say "hi"\nthere'],
  ]);
});

test('the first value decides the type of a column', () => {
  assert.deepEqual(typedColumn('v', ['1', '', 'null', '2.5']), { name: 'v', type: 'number', values: [1, null, null, 2.5] });
  assert.deepEqual(typedColumn('v', ['T', 'false']), { name: 'v', type: 'boolean', values: [true, false] });
  assert.deepEqual(typedColumn('v', ['a', '1']), { name: 'v', type: 'string', values: ['a', '1'] });
  assert.deepEqual(typedColumn('v', ['1', 'a']).values, [1, null]);
});

test('a column whose name has "time" in it is one, if its values can be', () => {
  assert.deepEqual(typedColumn('Time', ['1621987000000']), { name: 'Time', type: 'time', values: [1621987000000] });
  assert.deepEqual(typedColumn('datetime', ['2021-01-01']), { name: 'datetime', type: 'time', values: [Date.UTC(2021, 0, 1)] });
  assert.equal(typedColumn('timezone', ['Europe/Oslo']).type, 'string');
});

test('rows that are short have nulls, and names have labels', () => {
  const sheet = csvSheet('a,cpu{host=one}\n1\n2,3', 'name');
  assert.equal(sheet.name, 'name');
  assert.deepEqual(sheet.columns, [
    { name: 'a', type: 'number', values: [1, 2] },
    { name: 'cpu', type: 'number', values: [null, 3], labels: { host: 'one' } },
  ]);
  assert.deepEqual(labelsIn('{a="x y", b=z}'), { a: 'x y', b: 'z' });
});
