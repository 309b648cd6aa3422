import { behind, calls, routes } from './browser';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { AppEvents } from '@grafana/data';
import type { FetchError } from '@grafana/runtime';
import { record } from '../src/observe/record';
import { backend } from '../src/services/backend';
import { appEvents } from '../src/services/events';

let request: IncomingMessage & { body: string };
for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
  routes[`${method} /api/x`] = (got) => ((request = got), { done: true });
}
const alerts: unknown[] = [];
appEvents.on(AppEvents.alertError, (e: unknown) => alerts.push(e));
appEvents.on(AppEvents.alertSuccess, (e: unknown) => alerts.push(e));
const failure = (call: Promise<unknown>): Promise<FetchError> =>
  call.then(
    () => assert.fail('no error'),
    (e: unknown) => e as FetchError,
  );

test('each method sends its data and says who calls', async () => {
  for (const method of ['post', 'put', 'patch', 'delete'] as const) {
    assert.deepEqual(await backend[method]('/api/x', { a: 1 }), { done: true });
    assert.deepEqual(
      [request.method, request.body, request.headers['content-type']],
      [method.toUpperCase(), '{"a":1}', 'application/json'],
    );
  }
  await backend.get('api/x', { one: 'a b', many: [1, 2], none: undefined });
  assert.equal(calls.at(-1), 'GET /api/x?one=a+b&many=1&many=2');
  assert.deepEqual([request.headers['x-preview-token'], request.headers['x-preview-role']], ['secret', 'Editor']);
});

test('texts and forms are sent as they are', async () => {
  await backend.post('/api/x', 'a text', { headers: { 'Content-Type': 'text/csv' } });
  assert.deepEqual([request.body, request.headers['content-type']], ['a text', 'text/csv']);
  await backend.post('/api/x', new URLSearchParams({ a: '1' }));
  assert.deepEqual([request.body, request.headers['content-type']], ['a=1', 'application/x-www-form-urlencoded;charset=UTF-8']);
});

test('another origin, and a file, do not learn the token', async () => {
  routes['GET /public/x'] = routes['GET /api/x'];
  for (const address of [behind('/api/x'), '/public/x', '/public/../api/../public/x']) {
    await backend.get(address);
    assert.equal(request.headers['x-preview-token'], undefined);
  }
});

test('calls of a plugin without the service say who calls, and are noted', async () => {
  const own = { headers: { 'X-Own': 'a' } };
  await fetch('/api/x', own);
  assert.deepEqual([request.headers['x-preview-token'], request.headers['x-own']], ['secret', 'a']);
  await fetch(new Request('http://localhost:4000/apis/x', { method: 'PUT', ...own }));
  assert.deepEqual(record.calls.slice(-2), [
    { method: 'GET', path: '/api/x', status: 200, refused: false, message: undefined },
    { method: 'PUT', path: '/apis/x', status: 404, refused: false, message: 'not found' },
  ]);
  for (const address of ['api/x', behind('/api/x')]) {
    const old = new XMLHttpRequest();
    const sent: string[] = [];
    old.setRequestHeader = (name) => sent.push(name);
    old.open('GET', address);
    assert.equal(sent.join(), address === 'api/x' ? 'X-Preview-Token,X-Preview-Role' : '');
    const before = record.calls.length;
    await new Promise((resolve) => {
      old.addEventListener('loadend', resolve);
      old.send();
    });
    assert.equal(record.calls.length - before, address === 'api/x' ? 1 : 0);
  }
});

test('answers: JSON, nothing, a text, bytes', async () => {
  routes['GET /api/text'] = () => 'not {JSON';
  routes['GET /api/nothing'] = () => '';
  assert.equal(await backend.get('/api/text'), 'not {JSON');
  assert.deepEqual(await backend.get('/api/nothing'), {});
  assert.equal(await backend.get('/api/x', undefined, undefined, { responseType: 'text' }), '{"done":true}');
  const blob = await backend.get<Blob>('/api/text', undefined, undefined, { responseType: 'blob' });
  assert.equal(await blob.text(), 'not {JSON');
});

test('a failed call has the message of the server, which an alert shows unless it was a GET or nobody wants it', async () => {
  const fail = { status: 409, message: 'the name is taken' };
  routes['GET /api/fail'] = routes['POST /api/fail'] = (_request, response) => ((response.statusCode = fail.status), fail);
  const { status, data, isHandled } = await failure(backend.post('/api/fail', {}));
  assert.deepEqual([status, data, isHandled], [409, fail, false]);
  await failure(backend.get('/api/fail'));
  await failure(backend.post('/api/fail', {}, { showErrorAlert: false }));
  assert.deepEqual(alerts.splice(0), [['the name is taken']]);
  await backend.post('/api/x', {}, { showSuccessAlert: true });
  assert.deepEqual(alerts, [['Done']]);
  assert.deepEqual(record.calls.at(-2), { method: 'POST', path: '/api/fail', status: 409, refused: false, message: 'the name is taken' });
});

test('what the preview refuses is handled, and noted; a token that is no longer valid is an error of the page', async () => {
  const refuse = (word: string) => {
    routes['GET /api/refused'] = (_request, response) => {
      response.setHeader('X-Preview-Refused', word).statusCode = 403;
      return { message: 'see the terminal' };
    };
    return failure(backend.get('/api/refused'));
  };
  assert.equal((await refuse('refused')).isHandled, true);
  assert.equal(record.calls.at(-1)?.refused, true);
  assert.equal(record.faults.length, 0);
  await refuse('token');
  assert.equal(record.faults[0].message, 'see the terminal');
});

test('a call ends when nobody waits for it, or when another one has its id', async () => {
  const arrival = () => new Promise<IncomingMessage>((resolve) => (routes['GET /api/slow'] = (got) => resolve(got)));
  const first = arrival();
  const subscription = backend.fetch({ url: '/api/slow' }).subscribe();
  const closed = once((await first).socket, 'close');
  subscription.unsubscribe();
  await closed;
  const second = arrival();
  const superseded = failure(backend.get('/api/slow', undefined, 'id'));
  await second;
  assert.deepEqual(await backend.get('/api/x', undefined, 'id'), { done: true });
  const { status, cancelled, isHandled } = await superseded;
  assert.deepEqual([status, cancelled, isHandled], [-1, true, true]);
});
