// Value mappings as rows, which is how they are edited.
import { MappingType, SpecialValueMatch, type ValueMapping, type ValueMappingResult } from '@grafana/data';
import { partition } from 'lodash';

/** One line of the editor; a mapping of values is as many lines as it has values. */
export interface Row {
  type: MappingType;
  condition: { key?: string; from?: number | null; to?: number | null; pattern?: string; match?: SpecialValueMatch };
  result: ValueMappingResult;
}

/** The conditions to begin with. */
export const firstConditions: Record<MappingType, Row['condition']> = {
  [MappingType.ValueToText]: { key: '' },
  [MappingType.RangeToText]: { from: 0, to: 100 },
  [MappingType.RegexToText]: { pattern: '' },
  [MappingType.SpecialValue]: { match: SpecialValueMatch.Null },
};

/** The rows of mappings. Those of other types, as dashboards of long ago have them, are left out. */
export function rowsOf(mappings: ValueMapping[]): Row[] {
  return mappings
    .filter(({ type }) => type in firstConditions)
    .flatMap((m): Row[] => {
      if (m.type === MappingType.ValueToText) {
        return Object.entries(m.options).map(([key, result]) => ({ type: m.type, condition: { key }, result }));
      }
      const { result, ...condition } = m.options;
      return [{ type: m.type, condition, result }];
    });
}

export function mappingsOf(rows: Row[]): ValueMapping[] {
  const numbered = rows.map((row, index) => ({ ...row, result: { ...row.result, index } }));
  const [values, others] = partition(numbered, ({ type }) => type === MappingType.ValueToText);
  const options = Object.fromEntries(values.map(({ condition, result }) => [condition.key, result]));
  return [
    ...(values.length ? [{ type: MappingType.ValueToText, options }] : []),
    ...others.map(({ type, condition, result }) => ({ type, options: { ...condition, result } })),
  ] as ValueMapping[];
}
