import { routes } from './browser';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  LoadingState,
  toDataFrame,
  type DataQueryRequest,
  type DataQueryResponse,
  type DataSourceApi,
  type PanelData,
} from '@grafana/data';
import { concat, lastValueFrom, NEVER, of, Subject, throwError, type Observable } from 'rxjs';
import { toArray } from 'rxjs/operators';
import { timeRange } from '../src/data/frames';
import { dataSources } from '../src/services/datasources';
import { makeRequest, makeRunner, runRequest } from '../src/services/queries';

const range = timeRange({ from: '1000', to: '61000' });
const request = () => makeRequest({ range, targets: [{ refId: 'A' }] });
const frame = (name: string, values: unknown[] = [1], dataTopic?: string) =>
  toDataFrame({ name, fields: [{ name, values }], meta: dataTopic ? { dataTopic } : undefined } as never);
const source = (query: (request: DataQueryRequest) => Observable<DataQueryResponse> | Promise<DataQueryResponse>) =>
  ({ query }) as unknown as DataSourceApi;
const all = (...answers: DataQueryResponse[]) => {
  const asked = source(() => of(...answers));
  return lastValueFrom(runRequest(asked, request()).pipe(toArray()));
};
const names = ({ series }: PanelData) => series.map((f) => f.name);

test('answers with different keys are parts of one, and a later one with the same key replaces the earlier', async () => {
  const steps = await all({ key: 'A', data: [frame('a')] }, { key: 'B', data: [frame('b')] }, { key: 'A', data: [frame('c')] });
  assert.deepEqual(steps.map(names), [['a'], ['a', 'b'], ['c', 'b']]);
});

test('the state is that of the worst part', async () => {
  const steps = await all(
    { key: 'A', data: [], state: LoadingState.Streaming },
    { key: 'B', data: [], state: LoadingState.Loading },
    { key: 'C', data: [], error: { message: 'bad' } },
    { key: 'C', data: [] },
    { key: 'B', data: [] },
  );
  assert.equal(steps.map((s) => s.state + (s.error?.message ?? '')).join(), 'Streaming,Loading,Errorbad,Loading,Streaming');
});

test('annotations are apart, and the revision counts other structures, not other values', async () => {
  const both = { data: [frame('a'), frame('events', [1], 'annotations')] };
  const steps = await all({ data: [frame('a')] }, { data: [frame('a', [2, 3])] }, both);
  assert.equal(steps.map((s) => s.structureRev! - steps[0].structureRev!).join(), '0,0,1');
  assert.deepEqual([names(steps[2]), steps[2].annotations?.map((f) => f.name)], [['a'], ['events']]);
});

test('what is thrown becomes the error of the answer, whenever it is', async () => {
  const failed = { status: 502, data: { message: 'no backend' }, config: { url: '/api/ds/query' } };
  const message = '/api/ds/query answered 502: no backend';
  const thrown = (): never => {
    throw failed;
  };
  const failing = throwError(() => failed);
  const withData = () => concat(of({ key: 'B', data: [frame('a')] }), failing);
  for (const query of [thrown, () => Promise.reject(failed), () => failing, withData]) {
    const data = await lastValueFrom(runRequest(source(query), request()));
    assert.deepEqual([data.state, data.error?.message, data.error?.status], ['Error', message, 502]);
    assert.deepEqual(names(data), query === withData ? ['a'] : []);
  }
});

test('a request has the interval that suits its range, also as variables', () => {
  const { intervalMs, scopedVars, rangeRaw } = makeRequest({ range, targets: [], maxDataPoints: 60, scopedVars: { own: { value: 1 } } });
  assert.equal(intervalMs, 1000);
  assert.deepEqual([scopedVars.__interval?.value, scopedVars.__interval_ms?.value, scopedVars.own?.value], ['1s', 1000, 1]);
  assert.equal(rangeRaw, range.raw);
});

test('a runner shows the answer to what was asked last', async () => {
  const runner = makeRunner();
  const seen: unknown[] = [];
  runner.get().subscribe({ next: (data) => seen.push([data.state, ...names(data)]), complete: () => seen.push('complete') });
  const older = new Subject<DataQueryResponse>();
  const run = (datasource: unknown) => runner.run({ datasource, timeRange: range, queries: [{ refId: 'A' }], maxDataPoints: 10 } as never);
  run(source(() => older));
  await Promise.resolve();
  run(source(() => of({ data: [frame('newer')] })));
  older.next({ data: [frame('older')] });
  await Promise.resolve();
  run(source(() => NEVER));
  runner.cancel();
  runner.destroy();
  assert.deepEqual(seen, [['Loading'], ['Loading'], ['Done', 'newer'], ['Loading'], 'complete']);
});

test('a runner finds its data source by the variable that names it, and shows the later of two answers', async () => {
  routes['GET /api/frontend/settings'] = () => ({});
  await dataSources.refresh();
  const runner = makeRunner();
  const scopedVars = { ds: { value: 'testdata' }, column: { value: 'v' } };
  for (const csvContent of ['older', '${column}\n7']) {
    const queries = [{ refId: 'A', scenarioId: 'csv_content', csvContent }];
    runner.run({ datasource: { uid: '${ds}' }, timeRange: range, queries, maxDataPoints: 10, scopedVars } as never);
  }
  const done = await new Promise<PanelData>((resolve) => runner.get().subscribe((data) => data.state === 'Done' && resolve(data)));
  const { name, values } = done.series[0].fields[0];
  assert.deepEqual([name, values], ['v', [7]]);
});
