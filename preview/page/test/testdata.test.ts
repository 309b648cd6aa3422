import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scenarios } from '../src/data/scenarios';
import { testData } from '../src/data/testdata';

const span = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 0, 1, 6) };
const only = (query: Parameters<typeof testData>[0]) => testData(query, span).sheets[0].columns;

test('a random walk is the same each time, within its span and bounds', () => {
  const query = { refId: 'A', scenarioId: 'random_walk', min: 10, max: 12, startValue: 11, noise: 3 };
  assert.deepEqual(only(query), only(query));
  assert.notDeepEqual(only(query)[1].values, only({ ...query, refId: 'B' })[1].values);
  const [time, value] = only(query);
  assert.ok(time.values.length > 100);
  assert.ok((time.values as number[]).every((t) => t >= span.from && t < span.to));
  assert.ok((value.values as number[]).every((v) => v >= 10 && v <= 12));
});

test('series are as many as asked for, with the alias', () => {
  const { sheets } = testData({ refId: 'A', scenarioId: 'random_walk', seriesCount: 3, alias: 'cpu $seriesIndex', labels: 'host=a' }, span);
  assert.deepEqual(
    sheets.map((s) => s.columns[1].name),
    ['cpu 0', 'cpu 1', 'cpu 2'],
  );
  assert.deepEqual(sheets[0].columns[1].labels, { host: 'a' });
});

test('csv_content and csv_metric_values', () => {
  assert.deepEqual(
    only({ refId: 'A', scenarioId: 'csv_content', csvContent: 'a,b\n1,x' }).map((c) => c.values),
    [[1], ['x']],
  );
  const [time, value] = only({ refId: 'A', scenarioId: 'csv_metric_values', stringInput: '1,20,3' });
  assert.deepEqual(value.values, [1, 20, 3]);
  assert.deepEqual(time.values, [span.from, (span.from + span.to) / 2, span.to]);
});

test('a pulse is on and off for its counts', () => {
  const { values } = only({
    refId: 'A',
    scenarioId: 'predictable_pulse',
    pulseWave: { timeStep: 60, onCount: 2, offCount: 1, onValue: 5, offValue: 0 },
  })[1];
  const text = values.join('');
  assert.match(text, /^[50]*550550/);
});

test('raw frames are handed over; broken ones and unknown scenarios are errors', () => {
  assert.deepEqual(testData({ refId: 'A', scenarioId: 'raw_frame', rawFrameContent: '{"fields":[]}' }, span).frames, [{ fields: [] }]);
  assert.match(testData({ refId: 'A', scenarioId: 'raw_frame', rawFrameContent: '{' }, span).error ?? '', /raw_frame: /);
  assert.match(testData({ refId: 'A', scenarioId: 'no_such' }, span).error ?? '', /does not compute the scenario no_such/);
  assert.deepEqual(testData({ refId: 'A', scenarioId: 'no_data_points' }, span), { sheets: [], error: undefined });
});

test('the columns of every scenario are equally long', () => {
  for (const [id, scenario] of Object.entries(scenarios)) {
    for (const { columns } of scenario.sheets(span)) {
      assert.equal(new Set(columns.map((c) => c.values.length)).size, 1, id);
    }
  }
});
