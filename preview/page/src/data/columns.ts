// Sample data as plain columns; frames.ts makes data frames of them.
import type { AbsoluteTimeRange, FieldType, Labels } from '@grafana/data';

export interface Column {
  name: string;
  type: `${FieldType}`;
  values: unknown[];
  labels?: Labels;
}

export interface Sheet {
  name?: string;
  columns: Column[];
}

/** In milliseconds. */
export type Span = AbsoluteTimeRange;

export function column(name: string, type: Column['type'], values: unknown[], labels?: Labels): Column {
  return { name, type, values, ...(labels && { labels }) };
}

/** A generator of numbers from 0 to 1 that gives the same ones for the same seed: pictures can be compared. */
export function seeded(seed: string): () => number {
  let state = 2166136261;
  for (const c of seed) {
    state = Math.imul(state ^ c.charCodeAt(0), 16777619);
  }
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The points of a span: at most "most", at least a second apart. */
export function timesOf(span: Span, most: number): number[] {
  const step = Math.max(1000, Math.ceil((span.to - span.from) / most / 1000) * 1000);
  const times: number[] = [];
  for (let t = span.from; t < span.to; t += step) {
    times.push(t);
  }
  return times;
}
