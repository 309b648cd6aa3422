import './browser';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VariableInterpolation } from '@grafana/runtime';
import { get } from 'lodash';
import { withAddress } from '../src/services/stored';
import { containsVariable, replaceVariables, type Lookup } from '../src/services/template';

const values: { [name: string]: unknown } = { host: 'a/b', many: ['x', 'y.z'], row: { name: 'n' }, when: 0 };
const lookup: Lookup = (name, path) =>
  name in values ? { value: path ? get(values[name], path) : values[name], text: `text of ${name}` } : undefined;
const replace = (text: string, format?: string) => replaceVariables(text, lookup, format);

test('all three forms are replaced, and unknown names are left alone', () => {
  assert.equal(replace('$host ${host} [[host]] $other ${other:csv}'), 'a/b a/b a/b $other ${other:csv}');
  assert.equal(replace('${row.name}'), 'n');
});

test('formats', () => {
  const formatted: { [format: string]: string } = {
    csv: 'x,y.z',
    pipe: 'x|y.z',
    glob: '{x,y.z}',
    regex: '(x|y\\.z)',
    json: '["x","y.z"]',
    singlequote: "'x','y.z'",
    doublequote: '"x","y.z"',
    sqlstring: "'x','y.z'",
    lucene: '("x" OR "y.z")',
    distributed: 'x,many=y.z',
    percentencode: '%7Bx%2Cy.z%7D',
    queryparam: 'var-many=x&var-many=y.z',
    text: 'text of many',
    'join:;': 'x;y.z',
  };
  for (const [format, want] of Object.entries(formatted)) {
    assert.equal(replace('${many:' + format + '}'), want, format);
    assert.equal(replace('$many', format), want, format);
  }
  assert.equal(replace('${host:percentencode}'), 'a%2Fb');
  assert.equal(replace('${when:date:YYYY-MM-DD HH:mm}'), '1970-01-01 00:00');
  assert.equal(replace('${when:date}'), '1970-01-01T00:00:00.000Z');
  assert.equal(replace('${quote:sqlstring}'.replace('quote', 'host')), "'a/b'");
});

test('the expression that was found is told, and a function may format', () => {
  const found: VariableInterpolation[] = [];
  replaceVariables('$host $no', lookup, undefined, found);
  assert.deepEqual(
    found.map(({ variableName, found }) => [variableName, found]),
    [
      ['host', true],
      ['no', false],
    ],
  );
  assert.equal(
    replaceVariables('$many', lookup, (value) => (value as string[]).join('+')),
    'x+y.z',
  );
});

test('containsVariable', () => {
  assert.ok(containsVariable('a ${b}'));
  assert.ok(containsVariable('[[b]]'));
  assert.ok(!containsVariable('cost: 5$'));
});

test('the address sets variables, stored or not', () => {
  const stored = [
    { name: 'host', type: 'query', label: 'Host', current: { value: 'old' } },
    { name: 'other', type: 'custom', current: { value: 'x' } },
  ];
  const values = withAddress(stored, '?from=now-1h&var-host=a%20b&var-many=1&var-many=2').map((v) => [v.name, v.current?.value]);
  assert.deepEqual(values, [
    ['other', 'x'],
    ['host', 'a b'],
    ['many', ['1', '2']],
  ]);
});
