// Value mappings as rows, which is how they are edited.
import { MappingType, SpecialValueMatch, type ValueMapping, type ValueMappingResult } from '@grafana/data';

/** One line of the editor; a mapping of values is as many lines as it has values. */
export type Row =
  | { type: MappingType.ValueToText; key: string; result: ValueMappingResult }
  | { type: MappingType.RangeToText; from: number | null; to: number | null; result: ValueMappingResult }
  | { type: MappingType.RegexToText; pattern: string; result: ValueMappingResult }
  | { type: MappingType.SpecialValue; match: SpecialValueMatch; result: ValueMappingResult };

export function rowsOf(mappings: ValueMapping[]): Row[] {
  return mappings.flatMap((m): Row[] => {
    switch (m.type) {
      case MappingType.ValueToText:
        return Object.entries(m.options).map(([key, result]) => ({ type: m.type, key, result }));
      case MappingType.RangeToText:
        return [{ type: m.type, from: m.options.from, to: m.options.to, result: m.options.result }];
      case MappingType.RegexToText:
        return [{ type: m.type, pattern: m.options.pattern, result: m.options.result }];
      case MappingType.SpecialValue:
        return [{ type: m.type, match: m.options.match, result: m.options.result }];
      default:
        return [];
    }
  });
}

export function mappingsOf(rows: Row[]): ValueMapping[] {
  const values: Record<string, ValueMappingResult> = {};
  const others: ValueMapping[] = [];
  rows.forEach((row, index) => {
    const result = { ...row.result, index };
    switch (row.type) {
      case MappingType.ValueToText:
        values[row.key] = result;
        break;
      case MappingType.RangeToText:
        others.push({ type: row.type, options: { from: row.from, to: row.to, result } });
        break;
      case MappingType.RegexToText:
        others.push({ type: row.type, options: { pattern: row.pattern, result } });
        break;
      case MappingType.SpecialValue:
        others.push({ type: row.type, options: { match: row.match, result } });
        break;
    }
  });
  return Object.keys(values).length ? [{ type: MappingType.ValueToText, options: values }, ...others] : others;
}

/** A row to begin with. */
export function empty(type: MappingType, result: ValueMappingResult): Row {
  switch (type) {
    case MappingType.RangeToText:
      return { type, from: 0, to: 100, result };
    case MappingType.RegexToText:
      return { type, pattern: '', result };
    case MappingType.SpecialValue:
      return { type, match: SpecialValueMatch.Null, result };
    default:
      return { type: MappingType.ValueToText, key: '', result };
  }
}
