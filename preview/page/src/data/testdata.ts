// The scenarios of the well-known test data source, computed here, so that saved panels have their data. Random ones start
// from the query's letter and are the same each time.
import { column, seeded, timesOf, type Column, type Sheet, type Span } from './columns';
import { csvSheet, labelsIn, typedColumn } from './csv';

/** A query as the test data source stores it. */
export interface TestDataQuery {
  refId: string;
  scenarioId?: string;
  alias?: string;
  labels?: string;
  seriesCount?: number;
  startValue?: number;
  min?: number;
  max?: number;
  noise?: number;
  spread?: number;
  drop?: number;
  csvContent?: string;
  stringInput?: string;
  rawFrameContent?: string;
  points?: unknown[][];
  pulseWave?: { timeStep?: number; onCount?: number; offCount?: number; onValue?: number; offValue?: number };
  csvWave?: { timeStep?: number; valuesCSV?: string; labels?: string; name?: string }[] | { timeStep?: number; valuesCSV?: string };
  lines?: number;
}

export interface Answer {
  sheets: Sheet[];
  /** Frames in the wire format or of the data package, which the caller converts. */
  frames?: object[];
  error?: string;
}

const points = 180;
export const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** The name of the n-th series of a query; $seriesIndex counts them. */
function seriesName(query: TestDataQuery, n: number): string {
  return (query.alias ?? '').replace(/\$seriesIndex/g, String(n)) || `${query.refId}-series${n ? letters[n % letters.length] : ''}`;
}

/** Values at times. */
function series(name: string, times: number[], values: unknown[], type: Column['type'] = 'number', labels?: string): Sheet {
  return { columns: [column('time', 'time', times), column(name, type, values, labels ? labelsIn(labels) : undefined)] };
}

const cells = (text: string) => text.split(',').map((cell) => cell.trim());

function walk(query: TestDataQuery, n: number, span: Span): Sheet {
  const next = seeded(query.refId + n);
  const { noise = 0, spread = 1, min = -Infinity, max = Infinity, drop = 0 } = query;
  const times = timesOf(span, points).filter(() => !drop || next() * 100 >= drop);
  let value = query.startValue ?? next() * 100;
  const values = times.map(() => {
    const shown = value + next() * noise;
    value += (next() - 0.5) * spread;
    value = Math.min(max, Math.max(min, value));
    return Math.min(max, Math.max(min, shown));
  });
  return series(seriesName(query, n), times, values, 'number', query.labels);
}

function walks(query: TestDataQuery, span: Span): Sheet[] {
  return Array.from({ length: query.seriesCount || 1 }, (_, n) => walk(query, n, span));
}

/** One row for each moment, with the columns that the original has. */
function walkTable(query: TestDataQuery, span: Span): Sheet {
  const [time, value] = walk({ ...query, spread: 20 }, 0, span).columns;
  const numbers = value.values as number[];
  const states = numbers.map((v) => ['normal', 'warning', 'critical'][Math.abs(Math.round(v)) % 3]);
  const info = numbers.map((v) => (v > numbers[0] ? 'up' : 'down'));
  const [least, most] = [-3, 3].map((by) => numbers.map((v) => v + by));
  const bounds = [column('Min', 'number', least), column('Max', 'number', most)];
  return { columns: [time, { ...value, name: 'Value' }, ...bounds, column('Info', 'string', info), column('State', 'string', states)] };
}

/** Values that repeat, one each step of so many seconds. */
function wave(query: TestDataQuery, values: unknown[], step: number, span: Span, name?: string, labels?: string): Sheet {
  const width = Math.max(1, step) * 1000;
  const times: number[] = [];
  for (let t = span.from - (span.from % width); t <= span.to && times.length < 10_000; t += width) {
    times.push(t);
  }
  const at = (t: number) => (values.length ? values[Math.floor(t / width) % values.length] : null);
  return series(name || seriesName(query, 0), times, times.map(at), 'number', labels);
}

function pulse(query: TestDataQuery, span: Span): Sheet {
  const { timeStep = 60, onCount = 3, offCount = 3, onValue = 2, offValue = 1 } = query.pulseWave ?? {};
  return wave(query, [...Array<number>(onCount).fill(onValue), ...Array<number>(offCount).fill(offValue)], timeStep, span);
}

function csvWaves(query: TestDataQuery, span: Span): Sheet[] {
  return [query.csvWave ?? {}].flat().map((w) => {
    const { values } = typedColumn('', cells(w.valuesCSV || query.stringInput || '0,0,2,2,1,1'));
    return wave(query, values, w.timeStep ?? 60, span, 'name' in w ? w.name : undefined, 'labels' in w ? w.labels : undefined);
  });
}

/** Values spread evenly over the span. */
function metricValues(query: TestDataQuery, span: Span): Sheet {
  const { values, type } = typedColumn('', cells(query.stringInput || '1,20,90,30,5,0'));
  const step = values.length > 1 ? (span.to - span.from) / (values.length - 1) : 0;
  const times = values.map((_, i) => Math.round(span.from + i * step));
  return series(seriesName(query, 0), times, values, type);
}

function logs(query: TestDataQuery, span: Span): Sheet {
  const next = seeded(query.refId);
  const times = timesOf(span, query.lines || 10).reverse();
  const levels = times.map(() => ['info', 'warning', 'error', 'debug'][Math.floor(next() * 4)]);
  const lines = levels.map((level, i) => `level=${level} line=${i} took=${Math.round(next() * 900)}ms`);
  return { columns: [column('time', 'time', times), column('message', 'string', lines), column('level', 'string', levels)] };
}

function manual(query: TestDataQuery): Sheet {
  const [values, times] = [0, 1].map((i) => (query.points ?? []).map((row) => row[i] ?? null));
  return { columns: [column('Time', 'time', times), column('Value', 'number', values)] };
}

const scenarios: Record<string, (query: TestDataQuery, span: Span) => Sheet[]> = {
  random_walk: walks,
  random_walk_table: (query, span) => [walkTable(query, span)],
  random_walk_with_error: walks,
  slow_query: walks,
  streaming_client: walks,
  live: walks,
  predictable_pulse: (query, span) => [pulse(query, span)],
  predictable_csv_wave: csvWaves,
  csv_content: (query) => [csvSheet(query.csvContent ?? '', query.alias || undefined)],
  csv_metric_values: (query, span) => [metricValues(query, span)],
  no_data_points: () => [],
  datapoints_outside_range: (query, span) => [series(seriesName(query, 0), [span.from - 3_600_000], [10])],
  exponential_heatmap_bucket_data: (query, span) => [buckets(query, span, (i) => 2 ** i)],
  linear_heatmap_bucket_data: (query, span) => [buckets(query, span, (i) => i * 10)],
  manual_entry: (query) => [manual(query)],
  logs: (query, span) => [logs(query, span)],
};

function buckets(query: TestDataQuery, span: Span, edge: (i: number) => number): Sheet {
  const next = seeded(query.refId);
  const times = timesOf(span, 60);
  const counts = (i: number) => times.map(() => Math.round(next() * (10 - i) * 5));
  const columns = Array.from({ length: 10 }, (_, i) => column(String(edge(i)), 'number', counts(i)));
  return { columns: [column('time', 'time', times), ...columns] };
}

/** Answers a query of the test data source. */
export function testData(query: TestDataQuery, span: Span): Answer {
  const id = query.scenarioId || 'random_walk';
  if (id === 'raw_frame') {
    try {
      const frames = JSON.parse(query.rawFrameContent || '[]') as object | object[];
      return { sheets: [], frames: [frames].flat() };
    } catch (e) {
      return { sheets: [], error: `raw_frame: ${(e as Error).message}` };
    }
  }
  if (id === 'server_error_500' || id === 'trigger_data_panic') {
    return { sheets: [], error: 'the query asks for an error' };
  }
  const scenario = scenarios[id];
  if (!scenario) {
    return { sheets: [], error: `the preview does not compute the scenario ${id} of the test data source` };
  }
  const sheets = scenario(query, span);
  return { sheets, error: id === 'random_walk_with_error' ? 'the query asks for data and an error' : undefined };
}
