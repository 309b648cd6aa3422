// The editor of value mappings: what is shown in place of values, ranges, matches and special values.
import { MappingType, SpecialValueMatch, type StandardEditorProps, type ValueMapping, type ValueMappingResult } from '@grafana/data';
import { Button, ColorPicker, IconButton, Input, Select, Stack } from '@grafana/ui';

/** One line of the editor; a mapping of values is as many lines as it has values. */
type Row =
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

const kinds = [
  { value: MappingType.ValueToText, label: 'Value' },
  { value: MappingType.RangeToText, label: 'Range' },
  { value: MappingType.RegexToText, label: 'Regex' },
  { value: MappingType.SpecialValue, label: 'Special' },
];
const specials = Object.values(SpecialValueMatch).map((match) => ({ value: match, label: match }));

function empty(type: MappingType, result: ValueMappingResult): Row {
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

const numberOr = (text: string) => (text === '' ? null : Number(text));

function Condition({ row, onChange }: { row: Row; onChange: (row: Row) => void }) {
  switch (row.type) {
    case MappingType.ValueToText:
      return (
        <Input
          width={16}
          aria-label="Value"
          placeholder="Value"
          defaultValue={row.key}
          onBlur={(e) => onChange({ ...row, key: e.currentTarget.value })}
        />
      );
    case MappingType.RangeToText:
      return (
        <Stack gap={0.5}>
          <Input
            width={8}
            type="number"
            aria-label="From"
            placeholder="From"
            defaultValue={row.from ?? ''}
            onBlur={(e) => onChange({ ...row, from: numberOr(e.currentTarget.value) })}
          />
          <Input
            width={8}
            type="number"
            aria-label="To"
            placeholder="To"
            defaultValue={row.to ?? ''}
            onBlur={(e) => onChange({ ...row, to: numberOr(e.currentTarget.value) })}
          />
        </Stack>
      );
    case MappingType.RegexToText:
      return (
        <Input
          width={16}
          aria-label="Regular expression"
          placeholder="Regular expression"
          defaultValue={row.pattern}
          onBlur={(e) => onChange({ ...row, pattern: e.currentTarget.value })}
        />
      );
    case MappingType.SpecialValue:
      return (
        <Select
          width={16}
          aria-label="Special value"
          options={specials}
          value={row.match}
          onChange={(c) => onChange({ ...row, match: c.value ?? SpecialValueMatch.Null })}
        />
      );
  }
}

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
            onChange={(c) => replace(i, empty(c.value ?? row.type, row.result))}
          />
          <Condition row={row} onChange={(changed) => replace(i, changed)} />
          <Input
            width={14}
            aria-label="Text to show"
            placeholder="Text"
            defaultValue={row.result.text ?? ''}
            onBlur={(e) => replace(i, { ...row, result: { ...row.result, text: e.currentTarget.value } })}
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
        <Button size="sm" variant="secondary" icon="plus" onClick={() => set([...rows, empty(MappingType.ValueToText, { text: '' })])}>
          Add mapping
        </Button>
      </div>
    </Stack>
  );
}
