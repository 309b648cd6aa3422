import './browser';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { format } from '../src/observe/console';
import { fault, noteFault, stackFrames } from '../src/observe/faults';
import { record } from '../src/observe/record';

test('stacks of two browsers', () => {
  const chromium =
    'Error: x\n    at Panel (http://localhost:1/public/plugins/a/module.js?t=5:10:20)\n    at async http://localhost:1/-/page.js:1:2';
  assert.deepEqual(stackFrames(chromium), [
    { url: 'http://localhost:1/public/plugins/a/module.js?t=5', line: 10, column: 19 },
    { url: 'http://localhost:1/-/page.js', line: 1, column: 1 },
  ]);
  assert.deepEqual(stackFrames('Panel@http://localhost:1/a.js:3:4'), [{ url: 'http://localhost:1/a.js', line: 3, column: 3 }]);
});

test('the words of the console are filled in', () => {
  assert.equal(format(['%s is %d, %o', 'a', 2, 'x', 'more']), 'a is 2, x more');
  assert.equal(format(['%cstyled', 'color: red']), 'styled');
});

test('what code does that has been replaced is no fault', () => {
  const at = (revision: number) => `\n    at Panel (http://localhost/public/plugins/a/module.js?t=${revision}:1:2)`;
  record.replaced.add('http://localhost/public/plugins/a/module.js?t=1');
  for (const revision of [1, 2]) {
    fault('effect', new Error(`effect of ${revision}`), at(revision));
    noteFault('console', `warning of ${revision}`, at(revision));
  }
  assert.deepEqual(
    record.faults.map(({ message }) => message),
    ['effect of 2', 'warning of 2'],
  );
});
