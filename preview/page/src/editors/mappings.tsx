// The editor of value mappings: what is shown in place of values, ranges, matches and special values.
import { MappingType, SpecialValueMatch, type StandardEditorProps, type ValueMapping } from '@grafana/data';
import { Button, ColorPicker, IconButton, Input, Select, Stack } from '@grafana/ui';
import { empty, mappingsOf, rowsOf, type Row } from './rows';

const kinds = [
  { value: MappingType.ValueToText, label: 'Value' },
  { value: MappingType.RangeToText, label: 'Range' },
  { value: MappingType.RegexToText, label: 'Regex' },
  { value: MappingType.SpecialValue, label: 'Special' },
];
const specials = Object.values(SpecialValueMatch).map((match) => ({ value: match, label: match }));

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
