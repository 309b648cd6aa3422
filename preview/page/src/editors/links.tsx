// Editors of data links and of the colours of fields, and a list of actions.
import { fieldColorModeRegistry, type Action, type DataLink, type FieldColor, type StandardEditorProps } from '@grafana/data';
import { ColorPicker, DataLinksInlineEditor, Select, Stack } from '@grafana/ui';

export function LinksEditor({ value, onChange, context }: StandardEditorProps<DataLink[]>) {
  return (
    <DataLinksInlineEditor
      links={value}
      onChange={onChange}
      data={context.data}
      getSuggestions={context.getSuggestions ?? (() => [])}
      showOneClick
    />
  );
}

/** Calls that a click on a value makes: nobody edits them while a plugin is written. */
export function ActionsEditor({ value = [] }: StandardEditorProps<Action[]>) {
  return <span>{value.length ? value.map(({ title }) => title).join(', ') : 'none'}</span>;
}

const seriesBy = [
  { value: 'last', label: 'Last value' },
  { value: 'min', label: 'Minimum' },
  { value: 'max', label: 'Maximum' },
];

type ColorProps = StandardEditorProps<FieldColor, { byValueSupport?: boolean; preferThresholdsMode?: boolean }>;

export function FieldColorEditor({ value, onChange, item, id }: ColorProps) {
  const modes = fieldColorModeRegistry.list().filter((m) => !m.isByValue || item.settings?.byValueSupport !== false);
  const mode = fieldColorModeRegistry.getIfExists(value?.mode);
  const choose = (id: string) =>
    onChange({
      ...value,
      mode: id,
      fixedColor: id === 'fixed' || id === 'shades' ? (value?.fixedColor ?? 'green') : undefined,
    } as FieldColor);
  return (
    <Stack gap={1} alignItems="center">
      <Select
        inputId={id}
        aria-label="Color scheme"
        options={modes.map((m) => ({ value: m.id, label: m.name, description: m.description }))}
        value={value?.mode}
        onChange={(c) => choose(c.value ?? 'palette-classic')}
      />
      {(value?.mode === 'fixed' || value?.mode === 'shades') && (
        <ColorPicker color={value.fixedColor ?? 'green'} enableNamedColors onChange={(fixedColor) => onChange({ ...value, fixedColor })} />
      )}
      {mode?.isByValue && (
        <Select
          width={16}
          aria-label="Color of series by"
          options={seriesBy}
          value={value?.seriesBy ?? 'last'}
          onChange={(c) => onChange({ ...value, seriesBy: c.value } as FieldColor)}
        />
      )}
    </Stack>
  );
}
