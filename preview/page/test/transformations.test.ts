import './browser';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FieldType, standardTransformersRegistry, toDataFrame, transformDataFrame, type DataFrame } from '@grafana/data';
import { lastValueFrom } from 'rxjs';
import { keyValues } from '../src/data/transformations';
import { record } from '../src/observe/record';
import { registerTransformers } from '../src/services/transformers';

registerTransformers();
const column = (name: string, values: unknown[], more: object = {}) => ({ name, values, ...more });
const frame = (...fields: object[]) => toDataFrame({ refId: 'A', fields });
const times = column('time', [2, 1], { type: FieldType.time });
const run = (id: string, options: object, ...frames: DataFrame[]) => lastValueFrom(transformDataFrame([{ id, options }], frames));
/** Each frame as its fields: name, labels, values. */
const shown = (frames: DataFrame[]) =>
  frames.map(({ fields }) =>
    fields.map(({ name, labels, values }) => [
      name +
        Object.entries(labels ?? {})
          .flat()
          .join(),
      ...values,
    ]),
  );

test('rows to fields, with settings and labels from the other columns', async () => {
  const rows = frame(column('sensor', ['a', 'b']), column('value', [1, 2]), column('max', [10, '20']), column('place', ['x', null]));
  const [made] = await run('rowsToFields', {}, rows);
  assert.deepEqual(shown([made]), [
    [
      ['aplace,x', 1],
      ['b', 2],
    ],
  ]);
  assert.deepEqual([made.refId, made.fields.map((f) => f.config)], ['rowsToFields-A', [{ max: 10 }, { max: 20 }]]);
  const mappings = [
    { fieldName: 'place', handlerKey: 'field.name' },
    { fieldName: 'max', handlerKey: 'threshold1', handlerArguments: { threshold: { color: 'blue' } } },
    { fieldName: 'sensor', handlerKey: '__ignore' },
  ];
  const [mapped] = await run('rowsToFields', { mappings }, rows);
  assert.deepEqual(
    [shown([mapped]), mapped.fields[0].config.thresholds?.steps],
    [
      [
        [
          ['x', 1],
          ['null', 2],
        ],
      ],
      [{ value: 10, color: 'blue' }],
    ],
  );
});

test('settings from the data of another query', async () => {
  const given = toDataFrame({ refId: 'config', fields: [column('max', [1, 5]), column('key', ['u', null]), column('text', ['up', 'x'])] });
  const mappings = [
    { fieldName: 'key', handlerKey: 'mappings.value' },
    { fieldName: 'text', handlerKey: 'mappings.text' },
  ];
  const [made, ...others] = await run('configFromData', { mappings }, given, frame(times, column('v', [1, 2])));
  const options = { u: { color: undefined, text: 'up', index: 0 } };
  assert.deepEqual(
    made.fields.map((f) => f.config),
    [{}, { max: 5, mappings: [{ type: 'value', options }] }],
  );
  assert.deepEqual(others, []);
});

test('fields from parts of texts', async () => {
  const json = frame(column('labels', ['{"a":{"b":1}}', 'no JSON']));
  const paths = { format: 'json', jsonPaths: [{ path: 'a.b', alias: 'x' }], replace: true };
  assert.deepEqual(shown(await run('extractFields', { source: 'labels', ...paths }, json)), [[['x', 1, 'Not Found']]]);
  const made = await run('extractFields', { source: 'labels' }, frame(column('labels', ['a=1, b: "x y"', 'c'])));
  assert.deepEqual(shown(made)[0].slice(1), [
    ['a', '1', undefined],
    ['b', 'x y', undefined],
    ['c', undefined, ''],
  ]);
  const split = await run('extractFields', { source: 'labels', format: 'delimiter', replace: true }, frame(column('labels', ['p , q'])));
  assert.deepEqual(shown(split), [
    [
      ['p', 1],
      ['q', 1],
    ],
  ]);
  const regExp = '/(?<first>.)(?<second>.)/';
  const groups = await run('extractFields', { source: 'labels', format: 'regexp', regExp, replace: true }, frame(column('labels', ['ab'])));
  assert.deepEqual(shown(groups), [
    [
      ['first', 'a'],
      ['second', 'b'],
    ],
  ]);
  assert.deepEqual(keyValues('{a=1, "b": c\\ d & e=} f'), { a: '1', b: 'c d', e: 'f' });
});

test('a frame of each value', async () => {
  const all = frame(times, column('host', ['b', 'a']), column('v', [1, 2], { config: { displayName: 'Load' } }));
  const made = await run('partitionByValues', { fields: ['host'] }, all);
  assert.deepEqual(shown(made), [
    [
      ['timehost,b', 2],
      ['vhost,b', 1],
    ],
    [
      ['timehost,a', 1],
      ['vhost,a', 2],
    ],
  ]);
  assert.deepEqual(
    made.map((f) => f.fields[1].config.displayName),
    ['Load b', 'Load a'],
  );
  const naming = { asLabels: false, withNames: true };
  const kept = await run('partitionByValues', { fields: ['host'], keepFields: true, naming }, all);
  assert.deepEqual(
    kept.map((f) => [f.name, f.fields.length]),
    [
      ['host=b', 3],
      ['host=a', 3],
    ],
  );
});

test('time series in each form', async () => {
  const wide = frame(times, column('v', [1, 2], { labels: { host: 'b' } }), column('v', [3, 4], { labels: { host: 'a' } }));
  assert.deepEqual(shown(await run('prepareTimeSeries', { format: 'long' }, wide)), [
    [
      ['time', 1, 1, 2, 2],
      ['v', 4, 2, 3, 1],
      ['host', 'a', 'b', 'a', 'b'],
    ],
  ]);
  assert.deepEqual(shown(await run('prepareTimeSeries', { format: 'multi' }, wide)), [
    [
      ['time', 1, 2],
      ['vhost,a', 4, 3],
    ],
    [
      ['time', 1, 2],
      ['vhost,b', 2, 1],
    ],
  ]);
  const joined = await run(
    'prepareTimeSeries',
    {},
    frame(column('time', [1, 2], { type: FieldType.time }), column('a', [1, 2])),
    frame(times, column('b', [1, 2])),
  );
  assert.deepEqual(
    [shown(joined), joined[0].meta?.type],
    [
      [
        [
          ['time', 1, 2],
          ['a', 1, 2],
          ['b', 2, 1],
        ],
      ],
      'timeseries-wide',
    ],
  );
});

test('a table of time series', async () => {
  const one = frame(column('time', [1, 2], { type: FieldType.time }), column('v', [1, 3], { labels: { host: 'a' } }));
  const [table] = await run('timeSeriesTable', { A: { stat: 'mean' } }, one, frame(one.fields[0], column('v', [0, 0])));
  const [host, trend] = table.fields;
  assert.deepEqual([host.values, trend.name, trend.type], [['a', ''], 'Trend #A', 'frame']);
  assert.deepEqual(
    trend.values.map((t: DataFrame & { value: number }) => [t.value, t.length]),
    [
      [2, 2],
      [0, 2],
    ],
  );
});

test('values joined by their labels', async () => {
  const value = (what: string, host: string, ...values: number[]) => frame(times, column('v', values, { labels: { what, host } }));
  const frames = [value('cpu', 'a', 1, 2), value('cpu', 'b', 3, 4), value('mem', 'a', 5)];
  assert.deepEqual(shown(await run('joinByLabels', { value: 'what' }, ...frames)), [
    [
      ['host', 'a', 'a', 'b', 'b'],
      ['cpu', 1, 2, 3, 4],
      ['mem', 5, undefined, undefined, undefined],
    ],
  ]);
  assert.deepEqual(shown(await run('joinByLabels', { value: 'none' }, ...frames)), [[['Error', 'Value label not found']]]);
});

test('what is not here leaves the data as it was, and a note; an older name is known', async () => {
  const given = [frame(column('a', [1]))];
  assert.deepEqual(await run('spatial', {}, ...given), given);
  assert.ok(record.notes.has('The transformation spatial is not here: the data stays as it was.'));
  assert.equal(standardTransformersRegistry.get('seriesToColumns').id, 'joinByField');
});
