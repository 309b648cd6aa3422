// The scenarios of the well-known test data source, computed here, so that saved panels have their data. Random ones start
// from the query's letter and are the same each time.
import { seeded, timesOf, type Column, type Sheet, type Span } from './columns';
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
  const labels = query.labels ? labelsIn(query.labels) : undefined;
  return {
    columns: [
      { name: 'time', type: 'time', values: times },
      { name: seriesName(query, n), type: 'number', values, labels },
    ],
  };
}

function walks(query: TestDataQuery, span: Span): Sheet[] {
  return Array.from({ length: query.seriesCount || 1 }, (_, n) => walk(query, n, span));
}

/** One row for each moment, with the columns that the original has. */
function walkTable(query: TestDataQuery, span: Span): Sheet {
  const [time, value] = walk({ ...query, spread: 20 }, 0, span).columns;
  const numbers = value.values as number[];
  const states = numbers.map((v) => ['normal', 'warning', 'critical'][Math.abs(Math.round(v)) % 3]);
  return {
    columns: [
      time,
      { ...value, name: 'Value' },
      { name: 'Min', type: 'number', values: numbers.map((v) => v - 3) },
      { name: 'Max', type: 'number', values: numbers.map((v) => v + 3) },
      { name: 'Info', type: 'string', values: numbers.map((v) => (v > numbers[0] ? 'up' : 'down')) },
      { name: 'State', type: 'string', values: states },
    ],
  };
}

/** Values that repeat, one each step of so many seconds. */
function wave(query: TestDataQuery, values: unknown[], step: number, span: Span, name?: string, labels?: string): Sheet {
  const width = Math.max(1, step) * 1000;
  const times: number[] = [];
  for (let t = span.from - (span.from % width); t <= span.to && times.length < 10_000; t += width) {
    times.push(t);
  }
  const at = (t: number) => (values.length ? values[Math.floor(t / width) % values.length] : null);
  return {
    columns: [
      { name: 'time', type: 'time', values: times },
      { name: name || seriesName(query, 0), type: 'number', values: times.map(at), labels: labels ? labelsIn(labels) : undefined },
    ],
  };
}

function pulse(query: TestDataQuery, span: Span): Sheet {
  const { timeStep = 60, onCount = 3, offCount = 3, onValue = 2, offValue = 1 } = query.pulseWave ?? {};
  return wave(query, [...Array<number>(onCount).fill(onValue), ...Array<number>(offCount).fill(offValue)], timeStep, span);
}

function csvWaves(query: TestDataQuery, span: Span): Sheet[] {
  return [query.csvWave ?? {}].flat().map((w) => {
    const values = typedColumn(
      '',
      (w.valuesCSV || query.stringInput || '0,0,2,2,1,1').split(',').map((v) => v.trim()),
    ).values;
    return wave(query, values, w.timeStep ?? 60, span, 'name' in w ? w.name : undefined, 'labels' in w ? w.labels : undefined);
  });
}

/** Values spread evenly over the span. */
function metricValues(query: TestDataQuery, span: Span): Sheet {
  const { values, type } = typedColumn(
    '',
    (query.stringInput || '1,20,90,30,5,0').split(',').map((v) => v.trim()),
  );
  const step = values.length > 1 ? (span.to - span.from) / (values.length - 1) : 0;
  const times = values.map((_, i) => Math.round(span.from + i * step));
  return {
    columns: [
      { name: 'time', type: 'time', values: times },
      { name: seriesName(query, 0), type, values },
    ],
  };
}

function logs(query: TestDataQuery, span: Span): Sheet {
  const next = seeded(query.refId);
  const times = timesOf(span, query.lines || 10).reverse();
  const levels = times.map(() => ['info', 'warning', 'error', 'debug'][Math.floor(next() * 4)]);
  return {
    columns: [
      { name: 'time', type: 'time', values: times },
      { name: 'message', type: 'string', values: levels.map((level, i) => `level=${level} line=${i} took=${Math.round(next() * 900)}ms`) },
      { name: 'level', type: 'string', values: levels },
    ],
  };
}

function manual(query: TestDataQuery): Sheet {
  const rows = query.points ?? [];
  const column = (name: string, type: Column['type'], i: number): Column => ({ name, type, values: rows.map((row) => row[i] ?? null) });
  return { columns: [column('Time', 'time', 1), column('Value', 'number', 0)] };
}

const time = (name: string): Column => ({ name, type: 'time', values: [] });
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
  datapoints_outside_range: (query, span) => [
    {
      columns: [
        { ...time('time'), values: [span.from - 3_600_000] },
        { name: seriesName(query, 0), type: 'number', values: [10] },
      ],
    },
  ],
  exponential_heatmap_bucket_data: (query, span) => [buckets(query, span, (i) => 2 ** i)],
  linear_heatmap_bucket_data: (query, span) => [buckets(query, span, (i) => i * 10)],
  manual_entry: (query) => [manual(query)],
  logs: (query, span) => [logs(query, span)],
};

function buckets(query: TestDataQuery, span: Span, edge: (i: number) => number): Sheet {
  const next = seeded(query.refId);
  const times = timesOf(span, 60);
  const counts = Array.from({ length: 10 }, (_, i): Column => ({
    name: String(edge(i)),
    type: 'number',
    values: times.map(() => Math.round(next() * (10 - i) * 5)),
  }));
  return { columns: [{ name: 'time', type: 'time', values: times }, ...counts] };
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
