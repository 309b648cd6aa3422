import { calls, reloads, routes } from './browser';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { noteFault } from '../src/observe/faults';
import { record } from '../src/observe/record';
import { listen } from '../src/refresh/events';
import { forgetKept, keep, readKept } from '../src/refresh/kept';
import { onBackend } from '../src/refresh/reload';

/** Resolves when the page has connected. */
function connection(): Promise<ServerResponse> {
  return new Promise((resolve) => {
    routes['GET /-/events'] = (_request, response) => {
      response.setHeader('Content-Type', 'text/event-stream').write('retry: 1\n\n');
      resolve(response);
    };
  });
}

/** Sends an event, and waits until the page has noted something. */
async function send(to: ServerResponse, event: string, data: object): Promise<void> {
  const noted = new Promise<void>((resolve) => {
    const end = record.subscribe(() => resolve(end() as undefined));
  });
  to.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  await noted;
}

const message = { file: 'src/a.ts', line: 2, column: 3, source: '  x.y;', text: 'no such name', help: 'import it' };
const shown = () => record.faults.map(({ message, file, line, column, code }) => ({ message, file, line, column, code }));
let server: ServerResponse;

test('a failed build is shown with its place, and a second one in its stead', async () => {
  const connected = connection();
  listen();
  server = await connected;
  assert.deepEqual(calls, ['GET /-/events?token=secret']);
  assert.equal(location.href, 'http://localhost:4000/');
  await send(server, 'failed', { messages: [message, { ...message, column: 0 }] });
  const code = [{ line: 2, text: '  x.y;' }];
  const place = { message: 'no such name', file: 'src/a.ts', line: 2, column: 3, code };
  assert.deepEqual(shown(), [place, { ...place, column: undefined }]);
  await send(server, 'failed', { messages: [{ ...message, line: 0, column: 0, source: '' }] });
  assert.deepEqual(shown(), [{ ...place, line: undefined, column: undefined, code: undefined }]);
  record.fault({ kind: 'event', message: 'other', stack: '', ours: false });
});

test('when the build works again, its errors go and others stay', async () => {
  await send(server, 'fixed', {});
  assert.deepEqual(
    shown().map((f) => f.message),
    ['other'],
  );
});

test('a panic of the backend takes the place of the answer that it caused, whichever comes first', async () => {
  const answered = () => noteFault('query', 'A: the plugin failed on this query; see its log');
  answered();
  noteFault('query', 'B: other');
  await new Promise(setImmediate); // these are noted
  await send(server, 'panicked', { messages: [{ ...message, file: 'pkg/a.go', text: 'panic: oh' }] });
  answered();
  assert.deepEqual(
    shown().map(({ message, file }) => [message, file]),
    [
      ['other', undefined],
      ['B: other', undefined],
      ['panic: oh', 'pkg/a.go'],
    ],
  );
  record.clear(({ kind }) => kind === 'query');
});

test('type errors stay until others take their place', async () => {
  await send(server, 'typed', { messages: [message] });
  await send(server, 'failed', { messages: [message] });
  await send(server, 'fixed', {});
  assert.deepEqual(
    record.faults.map((f) => f.kind),
    ['event', 'types'],
  );
  await send(server, 'typed', { messages: [] });
  assert.equal(record.faults.length, 1);
});

test('a build that is ready takes its place', async () => {
  await send(server, 'failed', { messages: [message] });
  const asked = new Promise<void>((resolve) => onBackend(resolve));
  await send(server, 'ready', { id: 'acme-datasource', changed: ['backend'] });
  await asked;
  assert.equal(record.faults.length, 1);
});

test('the page connects again, ends its connection when it is left, and begins anew when it comes back', async () => {
  const again = connection();
  server.end();
  server = await again;
  const closed = once(server, 'close');
  window.dispatchEvent(new window.Event('pagehide'));
  await closed;
  window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: false }));
  assert.equal(reloads, 0);
  window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
  assert.equal(reloads, 1);
});

test('what is kept lasts as JSON, or not at all', () => {
  keep('key', { a: [1] });
  assert.deepEqual(readKept('key'), { a: [1] });
  const circular: { self?: object } = {};
  circular.self = circular;
  keep('key', circular);
  assert.equal(readKept('key'), undefined);
  keep('key', 1);
  forgetKept('key');
  assert.equal(readKept('key'), undefined);
});
