import './browser';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTheme, FieldType, getDisplayProcessor, toDataFrame, type FieldConfig } from '@grafana/data';
import { StackingMode } from '@grafana/schema';
import { spans } from '../src/panels/barchart';
import { linesOf } from '../src/panels/logs';
import { boxesOf, thresholdsOf } from '../src/panels/statetimeline';

test('bars begin at zero, or each where the one before of its sign ends', () => {
  const values = [30, -10, 10];
  assert.deepEqual(
    [StackingMode.None, StackingMode.Normal, StackingMode.Percent].map((stacking) => spans(values, stacking)),
    [
      [
        [0, 30],
        [0, -10],
        [0, 10],
      ],
      [
        [0, 30],
        [0, -10],
        [30, 40],
      ],
      [
        [0, 0.6],
        [0, -0.2],
        [0.6, 0.8],
      ],
    ],
  );
});

test('a timeline has a box for as long as a value, or a range of a threshold, stays', () => {
  const theme = createTheme();
  const boxes = (values: unknown[], config: FieldConfig, ends?: number[]) => {
    const type = typeof values[0] === 'number' ? FieldType.number : FieldType.string;
    const times = [[1, 2, 3, 4], ends].flatMap((values) => (values ? { name: 't', type: FieldType.time, values } : []));
    const [field, ...own] = toDataFrame({ fields: [{ name: 'f', type, values, config }, ...times] }).fields;
    field.display = getDisplayProcessor({ field, theme });
    return boxesOf(field, own, 9, thresholdsOf(field, theme), true).map(({ from, to, text }) => `${from}-${to} ${text}`);
  };
  const steps = [
    { value: -Infinity, color: 'green' },
    { value: 50, color: 'red' },
  ];
  const byThresholds = { color: { mode: 'thresholds' }, thresholds: { mode: 'absolute', steps } } as FieldConfig;
  assert.deepEqual(boxes(['a', 'a', null, 'b'], {}), ['1-3 a', '4-9 b']);
  assert.deepEqual(boxes(['a', 'a', 'b', 'b'], {}, [1.5, 2.5, 4, 5]), ['1-1.5 a', '2-2.5 a', '3-5 b']);
  assert.deepEqual(boxes([1, 2, 60, 70], byThresholds), ['1-3 < 50', '3-9 50+']);
  assert.deepEqual(boxes([1, 1, 2, 2], {}), ['1-3 1', '3-9 2']);
});

test('lines of logs have the level of their field, their labels or their text', () => {
  const lines = (...fields: object[]) => linesOf(toDataFrame({ fields: [{ name: 't', type: FieldType.time, values: [1] }, ...fields] }));
  const shown = (...fields: object[]) => lines(...fields).map(({ text, level }) => `${level}: ${text}`);
  assert.deepEqual(shown({ name: 'severity', values: ['WARN'] }, { name: 'body', values: ['x'] }), ['warning: x']);
  assert.deepEqual(shown({ name: 'Line', values: ['x'], labels: { level: 'err' } }), ['error: x']);
  assert.deepEqual(shown({ name: 'text', values: ['{"level":"debug"}'] }), ['debug: {"level":"debug"}']);
  assert.deepEqual(shown({ name: 'text', values: ['level=other'] }), ['unknown: level=other']);
});
