import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hookSignature } from '../src/refresh/runtime';
import { serverEvents } from '../src/services/sse';

test('the signature is the sequence of hooks, however a bundler writes their calls', () => {
  const plain = 'function P() { const [a] = useState(0); useEffect(() => {}, []); return use(context); }';
  const bundled = 'function P(){let[a]=(0,r.useState)(0);(0,r.useEffect)(()=>{},[]);return (0,r.use)(c)}';
  assert.equal(hookSignature(plain), 'useState,useEffect,use');
  assert.equal(hookSignature(bundled), hookSignature(plain));
  assert.notEqual(hookSignature(plain.replace('useState(0)', '[1]')), hookSignature(plain));
});

test('names that only begin like hooks are none', () => {
  assert.equal(hookSignature('function P() { user(); reuse(); const useful = 1; }'), '');
});

test('events of a stream, in whatever pieces it comes', async () => {
  const pieces = ['event: ready\nda', 'ta: {"a":1}\n\n: comment\n\ndata: one\n', 'data: two\n\ndata: unfinished'];
  const stream = new ReadableStream<string>({ pull: (to) => (pieces.length ? to.enqueue(pieces.shift()) : to.close()) });
  const got = [];
  for await (const event of serverEvents(stream)) {
    got.push(event);
  }
  assert.deepEqual(got, [
    { event: 'ready', data: '{"a":1}' },
    { event: 'message', data: 'one\ntwo' },
  ]);
});
