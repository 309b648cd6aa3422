import { routes } from './browser';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { LiveChannelScope, type DataFrameJSON, type DataQueryResponse, type LiveChannelEvent } from '@grafana/data';
import { firstValueFrom } from 'rxjs';
import { filter } from 'rxjs/operators';
import { record } from '../src/observe/record';
import { live } from '../src/services/live';

const address = { scope: LiveChannelScope.DataSource, stream: 'uid', path: 'cpu' };
const schema = {
  fields: [
    { name: 'time', type: 'time' },
    { name: 'v', type: 'number' },
  ],
} as DataFrameJSON['schema'];

/** Resolves when the channel is asked for. */
function asked(): Promise<{ request: IncomingMessage; response: ServerResponse }> {
  return new Promise((resolve) => {
    routes['GET /api/live/events'] = (request, response) => {
      response.setHeader('Content-Type', 'text/event-stream').flushHeaders();
      resolve({ request, response });
    };
  });
}
const send = (to: ServerResponse, data: object, event = 'message') => to.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);

test('frames of a stream are joined, and those who leave end the connection', async () => {
  const arrival = asked();
  let seen: (answer: DataQueryResponse) => void = () => undefined;
  const next = () => new Promise<DataQueryResponse>((resolve) => (seen = resolve));
  const subscription = live.getDataStream({ addr: address, filter: { fields: ['v'] } }).subscribe((answer) => seen(answer));
  const { request, response } = await arrival;
  assert.equal(request.url, '/api/live/events?channel=ds%2Fuid%2Fcpu');
  assert.equal(request.headers['x-preview-token'], 'secret');
  let answer = next();
  send(response, { schema, data: { values: [[1], [10]] } });
  await answer;
  answer = next();
  send(response, { data: { values: [[2], [20]] } });
  const { data, state } = await answer;
  assert.deepEqual([state, data[0].length, [...data[0].fields[0].values]], ['Streaming', 2, [10, 20]]);
  const closed = once(response, 'close');
  subscription.unsubscribe();
  await closed;
});

test('a stream that a plugin ends, or that is not there, ends with its reason', async () => {
  const arrival = asked();
  const failed = (e: LiveChannelEvent) => 'error' in e && e.error !== undefined;
  const ended = firstValueFrom(live.getStream(address).pipe(filter(failed)));
  send((await arrival).response, { message: 'no more' }, 'ended');
  assert.equal(((await ended) as { error?: string }).error, 'no more');
  routes['GET /api/live/events'] = undefined;
  const absent = await firstValueFrom(live.getStream(address).pipe(filter(failed)));
  assert.equal((absent as { error?: string }).error, 'not found');
  assert.deepEqual([...record.notes], ['stream ds/uid/cpu: no more', 'stream ds/uid/cpu: not found']);
});

test('a connection that ends is made again', async () => {
  const first = asked();
  const subscription = live.getStream(address).subscribe();
  const again = (await first, asked());
  (await first).response.end();
  await again;
  subscription.unsubscribe();
});

test('no more channels are followed than the browser has connections', async () => {
  const arrivals = [1, 2, 3, 4].map((n) => ({ arrival: asked(), subscription: live.getStream({ ...address, path: `${n}` }).subscribe() }));
  const errors: unknown[] = [];
  const fifth = live.getStream({ ...address, path: '5' });
  await new Promise<void>((complete) => fifth.subscribe({ next: (e) => 'error' in e && errors.push(e.error), complete }));
  assert.match(String(errors.at(-1)), /follows 4 channels at once/);
  arrivals.forEach(({ subscription }) => subscription.unsubscribe());
});

test('what is published goes to the channel', async () => {
  let body = '';
  routes['POST /api/live/publish'] = (request) => ((body = request.body), {});
  await live.publish({ scope: LiveChannelScope.Plugin, namespace: 'id', path: 'a/b' } as never, { x: 1 });
  assert.deepEqual(JSON.parse(body), { channel: 'plugin/id/a/b', data: { x: 1 } });
});
