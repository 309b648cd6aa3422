// The editor of value mappings: what is shown in place of values, ranges, matches and special values.
import { MappingType, SpecialValueMatch, type StandardEditorProps, type ValueMapping, type ValueMappingResult } from '@grafana/data';
import { Button, ColorPicker, IconButton, Select, Stack } from '@grafana/ui';
import { partition } from 'lodash';
import { Draft } from './simple';

/** One line of the editor; a mapping of values is as many lines as it has values. */
interface Row {
  type: MappingType;
  condition: { key?: string; from?: number | null; to?: number | null; pattern?: string; match?: SpecialValueMatch };
  result: ValueMappingResult;
}

/** The conditions to begin with. */
const firstConditions: Record<MappingType, Row['condition']> = {
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

const kinds = [
  { value: MappingType.ValueToText, label: 'Value' },
  { value: MappingType.RangeToText, label: 'Range' },
  { value: MappingType.RegexToText, label: 'Regex' },
  { value: MappingType.SpecialValue, label: 'Special' },
];
const specials = Object.values(SpecialValueMatch).map((match) => ({ value: match, label: match }));

const named = (label: string) => ({ 'aria-label': label, placeholder: label });
const numberOr = (text: string) => (text === '' ? null : Number(text));

function Condition({ row, onChange }: { row: Row; onChange: (row: Row) => void }) {
  const { key = '', from, to, pattern = '', match } = row.condition;
  const set = (change: Row['condition']) => onChange({ ...row, condition: { ...row.condition, ...change } });
  switch (row.type) {
    case MappingType.ValueToText:
      return <Draft {...named('Value')} width={16} text={key} commit={(text) => set({ key: text })} />;
    case MappingType.RangeToText:
      return (
        <Stack gap={0.5}>
          <Draft {...named('From')} width={8} type="number" text={`${from ?? ''}`} commit={(text) => set({ from: numberOr(text) })} />
          <Draft {...named('To')} width={8} type="number" text={`${to ?? ''}`} commit={(text) => set({ to: numberOr(text) })} />
        </Stack>
      );
    case MappingType.RegexToText:
      return <Draft {...named('Regular expression')} width={16} text={pattern} commit={(text) => set({ pattern: text })} />;
    case MappingType.SpecialValue:
      return <Select width={16} aria-label="Special value" options={specials} value={match} onChange={(c) => set({ match: c.value })} />;
  }
}

const first: Row = { type: MappingType.ValueToText, condition: firstConditions[MappingType.ValueToText], result: { text: '' } };

export function MappingsEditor({ value, onChange }: StandardEditorProps<ValueMapping[]>) {
  const rows = rowsOf(value ?? []);
  const set = (next: Row[]) => onChange(mappingsOf(next));
  const replace = (i: number, row: Row) => set(rows.map((old, j) => (i === j ? row : old)));
  return (
    <Stack direction="column" gap={1}>
      {rows.map((row, i) => (
        <Stack key={`${i}/${row.type}`} gap={0.5} alignItems="center" wrap="wrap">
          <Select
            width={10}
            aria-label="Kind of mapping"
            options={kinds}
            value={row.type}
            onChange={({ value: type = row.type }) => replace(i, { type, condition: firstConditions[type], result: row.result })}
          />
          <Condition row={row} onChange={(changed) => replace(i, changed)} />
          <Draft
            {...named('Text to show')}
            width={14}
            text={row.result.text ?? ''}
            commit={(text) => replace(i, { ...row, result: { ...row.result, text } })}
          />
          <ColorPicker
            color={row.result.color ?? 'transparent'}
            enableNamedColors
            onChange={(color) => replace(i, { ...row, result: { ...row.result, color } })}
          />
          <IconButton name="trash-alt" aria-label="Remove mapping" onClick={() => set(rows.filter((_, j) => j !== i))} />
        </Stack>
      ))}
      <div>
        <Button size="sm" variant="secondary" icon="plus" onClick={() => set([...rows, first])}>
          Add mapping
        </Button>
      </div>
    </Stack>
  );
}
