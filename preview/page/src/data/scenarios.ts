// The data that a panel is tried with when no query gives any.
import { column, seeded, type Sheet, type Span } from './columns';

export type State = 'Done' | 'Loading' | 'Error' | 'Streaming';

interface Scenario {
  label: string;
  description: string;
  state?: State;
  /** Sheets for a moment; a streaming scenario is asked again each second. */
  sheets(span: Span): Sheet[];
}

const hosts = ['alpha', 'beta', 'gamma', 'delta'];

function spread(span: Span, count: number): number[] {
  const step = (span.to - span.from) / count;
  return Array.from({ length: count }, (_, i) => Math.round(span.from + i * step));
}

function wave(times: number[], seed: number): number[] {
  return times.map((_, i) => 50 + 30 * Math.sin(i / 17 + seed) + 8 * Math.sin(i * seed));
}

function series(name: string, seed: number, span: Span, count = 180, change: (value: number, i: number) => unknown = (v) => v): Sheet {
  const times = spread(span, count);
  const values = wave(times, seed).map(change);
  return { columns: [column('Time', 'time', times), column('Value', 'number', values, { host: name })] };
}

function table(span: Span): Sheet {
  const names = [...hosts, 'epsilon', 'zeta'];
  const moments = (first: number, step: number) => names.map((_, i) => Math.round(span.from + (span.to - span.from) * (first + i * step)));
  const columns = [
    column('name', 'string', names),
    column('group', 'string', ['one', 'two', 'one', 'two', 'one', 'two']),
    column('size', 'number', [60, 25, 40, 10, 80, 33]),
    column('load', 'number', [0.2, 0.9, 0.5, 0.7, 0.1, 0.4]),
    column('active', 'boolean', [true, false, true, true, false, true]),
    column('start', 'time', moments(0.08, 0.14)),
    column('end', 'time', moments(0.3, 0.12)),
  ];
  return { name: 'table', columns };
}

function categories(): Sheet {
  const columns = [
    column('fruit', 'string', ['apples', 'pears', 'plums', 'cherries', 'grapes', 'figs']),
    column('sold', 'number', [120, 80, 45, 160, 95, 20]),
    column('left', 'number', [30, 55, 15, 12, 60, 41]),
  ];
  return { name: 'categories', columns };
}

/** One row for each host and moment, as databases return it. */
function long(span: Span): Sheet {
  const rows = spread(span, 60).flatMap((t, i) => hosts.map((host, h) => ({ t, host, value: wave([t], h + i / 9)[0] })));
  const [times, names, values] = (['t', 'host', 'value'] as const).map((key) => rows.map((row) => row[key]));
  return { name: 'long', columns: [column('time', 'time', times), column('host', 'string', names), column('value', 'number', values)] };
}

function nulls(span: Span): Sheet[] {
  const next = seeded('nulls');
  return hosts.slice(0, 2).map((host, h) => series(host, h + 1, span, 180, (v, i) => (next() < 0.25 || (i > 80 && i < 100) ? null : v)));
}

const four = (span: Span) => hosts.map((host, h) => series(host, h + 1, span));
const many = (span: Span) => Array.from({ length: 20 }, (_, i) => series(`host-${i}`, i + 1, span, 5000));

export const scenarios: Record<string, Scenario> = {
  series: { label: 'Series', description: 'four series with a label', sheets: four },
  table: { label: 'Table', description: 'six rows with a field of each type', sheets: (span) => [table(span)] },
  long: { label: 'Long', description: 'a row for each moment and host, as databases return it', sheets: (span) => [long(span)] },
  categories: { label: 'Categories', description: 'texts and numbers, no times', sheets: () => [categories()] },
  empty: { label: 'Empty', description: 'a frame with fields and no rows', sheets: (span) => [{ ...series('alpha', 1, span, 0) }] },
  nodata: { label: 'No data', description: 'no frame', sheets: () => [] },
  huge: { label: 'Huge', description: '20 series of 5000 points', sheets: many },
  nulls: { label: 'Nulls', description: 'values that are missing', sheets: nulls },
  error: { label: 'Error', description: 'the query failed', state: 'Error', sheets: () => [] },
  loading: { label: 'Loading', description: 'the first answer is still awaited', state: 'Loading', sheets: () => [] },
  streaming: { label: 'Streaming', description: 'four series, newer each second', state: 'Streaming', sheets: four },
};
