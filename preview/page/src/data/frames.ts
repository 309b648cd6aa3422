// Data frames from sheets, and spans from time ranges.
import {
  createDataFrame,
  dataFrameFromJSON,
  dateMath,
  dateTime,
  rangeUtil,
  toDataFrame,
  type DataFrame,
  type DataFrameJSON,
  type FieldType,
  type TimeRange,
} from '@grafana/data';
import type { Sheet, Span } from './columns';

export function frameOf(sheet: Sheet, refId: string): DataFrame {
  const fields = sheet.columns.map((column) => ({ ...column, type: column.type as FieldType, config: {} }));
  return createDataFrame({ refId, name: sheet.name, fields });
}

/** A frame from JSON in any of the forms in use: {schema, data}, {fields} or {columns, rows}. */
export function frameFromAny(json: object, refId: string): DataFrame {
  const frame = 'schema' in json ? dataFrameFromJSON(json as DataFrameJSON) : toDataFrame(json);
  frame.refId ??= refId;
  return frame;
}

/** The span of a range, so many milliseconds later. */
export function spanOf(range: TimeRange, shift = 0): Span {
  return { from: range.from.valueOf() + shift, to: range.to.valueOf() + shift };
}

/** A time range from two texts, such as now-6h and now, or dates, or milliseconds. */
export function timeRange(raw: { from: string; to: string }, timeZone?: string): TimeRange {
  const parse = (text: string, roundUp: boolean) =>
    (dateMath.isMathString(text) ? dateMath.toDateTime(text, { roundUp, timezone: timeZone }) : undefined) ??
    dateTime(/^\d+$/.test(text) ? Number(text) : text);
  const [from, to] = [parse(raw.from, false), parse(raw.to, true)];
  return { from, to, raw: rangeUtil.isRelativeTimeRange(raw) ? raw : { from, to } };
}
