// Time series in each of their forms.
import {
  DataFrameType,
  FieldMatcherID,
  fieldMatchers,
  FieldType,
  isTimeSeriesFrame,
  outerJoinDataFrames,
  reduceField,
  type DataFrame,
  type Field,
} from '@grafana/data';
import { field, fieldOf, grouped, groups, partition, type Transformation } from './partition';

/** A row of each time and set of labels; texts are labels, too. */
function toLong(frame: DataFrame): DataFrame[] {
  const time = frame.fields.find((f) => f.type === FieldType.time);
  if (!time) {
    return [];
  }
  const factors = frame.fields.filter((f) => f.type === FieldType.string || f.type === FieldType.boolean);
  const values = frame.fields.filter((f) => f !== time && !factors.includes(f));
  const bySet = grouped(values, (f) => `${JSON.stringify(f.labels)}`);
  const sets = [...bySet.keys()].sort().map((key) => bySet.get(key)!);
  const order = [...Array(frame.length).keys()].sort((a, b) => time.values[a] - time.values[b]);
  const rows = order.flatMap((row) =>
    sets.map((set): { [name: string]: unknown } => ({
      ...Object.fromEntries(factors.map((f) => [f.name, f.values[row]])),
      ...set[0].labels,
      ...Object.fromEntries([...set, time].map((f) => [f.name, f.values[row]])),
    })),
  );
  const labels = [...new Set([...factors.map((f) => f.name), ...values.flatMap((f) => Object.keys(f.labels ?? {}))])].sort();
  const columns = [...new Map(values.map((f) => [f.name, f.type]))].sort(([a], [b]) => (a < b ? -1 : 1));
  const texts = labels.map((name) => [name, FieldType.string] as const);
  const all = [[time.name, time.type] as const, ...columns, ...texts];
  const fields = all.map(([name, type]) => fieldOf(name, type, rows, (row) => row[name]));
  return [{ ...frame, meta: { ...frame.meta, type: DataFrameType.TimeSeriesLong }, fields, length: rows.length }];
}

/** A frame of each number and set of texts. */
function toMulti(long: DataFrame): DataFrame[] {
  const [time, ...others] = long.fields;
  const texts = others.filter((f) => f.type === FieldType.string);
  const meta = { ...long.meta, type: DataFrameType.TimeSeriesMulti };
  return others
    .filter((f) => f.type === FieldType.number || f.type === FieldType.boolean)
    .flatMap((value) => {
      const rows = [...Array(long.length).keys()].filter((row) => value.values[row] !== undefined && time.values[row] != null);
      return groups(texts, rows).map((same) => {
        const labels = texts.length ? Object.fromEntries(texts.map((f) => [f.name, f.values[same[0]] as string])) : value.labels;
        const fields = [time, { ...value, labels }].map((f) => ({ ...f, values: same.map((row) => f.values[row] as unknown) }));
        return { name: long.name, refId: long.refId, meta, fields, length: same.length };
      });
    });
}

function toWide(frames: DataFrame[]): DataFrame[] {
  const isText = (f: Field) => f.type === FieldType.string;
  const parts = frames.flatMap((frame) =>
    frame.meta?.type === DataFrameType.TimeSeriesLong ? partition(frame, frame.fields.filter(isText), {}) : [frame],
  );
  const joinBy = fieldMatchers.get(FieldMatcherID.firstTimeField).get({});
  const joined = outerJoinDataFrames({ frames: parts, joinBy, keepOriginIndices: true });
  return joined ? [{ ...joined, meta: { ...joined.meta, type: DataFrameType.TimeSeriesWide } }] : [];
}

/** The data in one of the forms of time series. */
export const prepareTimeSeries: Transformation<{ format?: string }> = (frames, { format }) => {
  switch (format) {
    case 'multi':
    case 'many':
      return frames.flatMap(toLong).flatMap(toMulti);
    case 'long':
      return frames.flatMap(toLong);
    default:
      return toWide(frames);
  }
};

const numbersOf = (frame: DataFrame) => frame.fields.filter((f) => f.type === FieldType.number);

/** A table for each query, with a row of each series: its labels, and the series itself with a value. */
export const timeSeriesTable: Transformation<{ [refId: string]: { stat?: string; timeField?: string } }> = (frames, options) => {
  const asked = frames.filter((f) => f.refId !== undefined);
  const tables = [...grouped(asked, (f) => f.refId!)].map(([refId, own]): DataFrame => {
    const { stat = 'lastNotNull', timeField } = options[refId] ?? {};
    const labels = new Set(own.flatMap(numbersOf).flatMap((f) => Object.keys(f.labels ?? {})));
    const rows = own
      .filter((f) => isTimeSeriesFrame(f))
      .flatMap((frame) => {
        const time = frame.fields.find((f) => (timeField ? f.name === timeField : f.type === FieldType.time));
        return numbersOf(frame).map((number) => {
          const value = (reduceField({ field: number, reducers: [stat] })[stat] as unknown) ?? null;
          return { labels: number.labels, trend: time && { fields: [time, number], length: number.values.length, value } };
        });
      });
    const texts = [...labels].map((label) => fieldOf(label, FieldType.string, rows, (row) => row.labels?.[label] ?? ''));
    const trends = rows.flatMap(({ trend }) => trend ?? []);
    const fields = trends.length ? [...texts, field(`Trend #${refId}`, FieldType.frame, trends)] : texts;
    return { refId, fields, length: rows.length };
  });
  return [...asked.filter((f) => !isTimeSeriesFrame(f)), ...tables.filter((table) => table.fields.length)];
};
