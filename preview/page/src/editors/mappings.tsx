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

/** A text that takes effect when the field is left. */
function Cell({
  onLeave,
  ...props
}: {
  label: string;
  width: number;
  value: string | number;
  type?: string;
  onLeave: (text: string) => void;
}) {
  const { label, value, ...rest } = props;
  return <Input {...rest} aria-label={label} placeholder={label} defaultValue={value} onBlur={(e) => onLeave(e.currentTarget.value)} />;
}

function Condition({ row, onChange }: { row: Row; onChange: (row: Row) => void }) {
  switch (row.type) {
    case MappingType.ValueToText:
      return <Cell label="Value" width={16} value={row.key} onLeave={(key) => onChange({ ...row, key })} />;
    case MappingType.RangeToText:
      return (
        <Stack gap={0.5}>
          <Cell
            label="From"
            width={8}
            type="number"
            value={row.from ?? ''}
            onLeave={(from) => onChange({ ...row, from: numberOr(from) })}
          />
          <Cell label="To" width={8} type="number" value={row.to ?? ''} onLeave={(to) => onChange({ ...row, to: numberOr(to) })} />
        </Stack>
      );
    case MappingType.RegexToText:
      return <Cell label="Regular expression" width={16} value={row.pattern} onLeave={(pattern) => onChange({ ...row, pattern })} />;
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
          <Cell
            label="Text to show"
            width={14}
            value={row.result.text ?? ''}
            onLeave={(text) => replace(i, { ...row, result: { ...row.result, text } })}
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
