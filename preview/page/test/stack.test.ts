import './browser';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { format } from '../src/observe/console';
import { stackFrames } from '../src/observe/faults';

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
