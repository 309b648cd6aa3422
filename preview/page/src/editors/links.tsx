// Editors of data links and of actions, and of the colours of fields.
import { fieldColorModeRegistry, type Action, type DataLink, type FieldColor, type StandardEditorProps } from '@grafana/data';
import { Button, ColorPicker, DataLinksInlineEditor, IconButton, Input, Select, Stack } from '@grafana/ui';

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

/** Calls that a click on a value makes: their titles, methods and addresses. */
export function ActionsEditor({ value, onChange }: StandardEditorProps<Action[]>) {
  const actions = value ?? [];
  const set = (i: number, change: Partial<Action>) => onChange(actions.map((a, j) => (i === j ? { ...a, ...change } : a)));
  const add = () => onChange([...actions, { title: '', type: 'fetch', fetch: { method: 'POST', url: '' } } as Action]);
  return (
    <Stack direction="column" gap={1}>
      {actions.map((action, i) => (
        <Stack key={i} gap={0.5} alignItems="center">
          <Input
            aria-label="Title of the action"
            placeholder="Title"
            defaultValue={action.title}
            onBlur={(e) => set(i, { title: e.currentTarget.value })}
          />
          <Input
            aria-label="URL of the action"
            placeholder="https://"
            defaultValue={action.fetch?.url ?? ''}
            onBlur={(e) => set(i, { fetch: { method: 'POST', ...action.fetch, url: e.currentTarget.value } as Action['fetch'] })}
          />
          <IconButton name="trash-alt" aria-label="Remove action" onClick={() => onChange(actions.filter((_, j) => j !== i))} />
        </Stack>
      ))}
      <div>
        <Button size="sm" variant="secondary" icon="plus" onClick={add}>
          Add action
        </Button>
      </div>
    </Stack>
  );
}

const seriesBy = [
  { value: 'last', label: 'Last value' },
  { value: 'min', label: 'Minimum' },
  { value: 'max', label: 'Maximum' },
];

export function FieldColorEditor({
  value,
  onChange,
  item,
  id,
}: StandardEditorProps<FieldColor, { byValueSupport?: boolean; preferThresholdsMode?: boolean }>) {
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
