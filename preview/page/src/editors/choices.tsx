// Editors that choose among given things.
import {
  getFieldDisplayName,
  type FieldNamePickerConfigSettings,
  type SelectFieldConfigSettings,
  type SelectableValue,
  type StandardEditorProps,
  type StatsPickerConfigSettings,
} from '@grafana/data';
import { MultiSelect, RadioButtonGroup, Select, StatsPicker } from '@grafana/ui';
import { backend } from '../services/backend';
import { useLoaded } from '../services/useloaded';

type SelectProps<T> = StandardEditorProps<T, SelectFieldConfigSettings<any>>; // a plugin's choices have any type of value

/** The choices: fixed ones, or those that a function returns for the data. */
function useChoices({ item, context }: Pick<SelectProps<unknown>, 'item' | 'context'>): { choices: SelectableValue[]; isLoading: boolean } {
  const { options = [], getOptions } = item.settings ?? {};
  const loaded = useLoaded(async () => getOptions?.(context), [getOptions, context], 'rejection');
  return { choices: getOptions ? (loaded ?? []) : options, isLoading: getOptions !== undefined && loaded === undefined };
}

/** A choice for a value that is none of the given ones, so that it is shown. */
function custom(choices: SelectableValue[], value: unknown): SelectableValue[] {
  const all = choices.flatMap((c) => (Array.isArray(c.options) ? (c.options as SelectableValue[]) : c));
  return value === undefined || value === null || all.some((c) => c.value === value)
    ? choices
    : [...choices, { value, label: String(value) }];
}

export function SelectEditor(props: SelectProps<unknown>) {
  const { value, onChange, item, id } = props;
  const { choices, isLoading } = useChoices(props);
  const { allowCustomValue, isClearable } = item.settings ?? {};
  const change = (choice: SelectableValue | null) => onChange(choice?.value);
  return (
    <Select
      inputId={id}
      aria-label={item.name}
      isLoading={isLoading}
      options={custom(choices, value)}
      value={value}
      onChange={change}
      allowCustomValue={allowCustomValue}
      isClearable={isClearable}
    />
  );
}

export function MultiSelectEditor(props: SelectProps<unknown[]>) {
  const { value, onChange, item, id } = props;
  const { choices, isLoading } = useChoices(props);
  const all = (value ?? []).reduce<SelectableValue[]>(custom, choices);
  return (
    <MultiSelect
      inputId={id}
      aria-label={item.name}
      isLoading={isLoading}
      options={all}
      value={value}
      onChange={(chosen) => onChange(chosen.map((c) => c.value))}
      allowCustomValue={item.settings?.allowCustomValue}
      isClearable={item.settings?.isClearable}
    />
  );
}

export function RadioEditor(props: SelectProps<unknown>) {
  const { value, onChange, item, id } = props;
  const { choices } = useChoices(props);
  return (
    <div style={{ overflow: 'auto' }}>
      <RadioButtonGroup id={id} aria-label={item.name} fullWidth options={choices} value={value} onChange={onChange} />
    </div>
  );
}

export function FieldNameEditor({ value, onChange, item, context, id }: StandardEditorProps<string, FieldNamePickerConfigSettings>) {
  const { filter = () => true, noFieldsMessage, placeholderText, isClearable } = item.settings ?? {};
  const names = context.data.flatMap((frame) =>
    frame.fields.filter(filter).map((field) => getFieldDisplayName(field, frame, context.data)),
  );
  const choices = [...new Set(names)].map((name) => ({ label: name, value: name }));
  return (
    <Select
      inputId={id}
      aria-label={item.name}
      options={custom(choices, value)}
      value={value}
      placeholder={placeholderText ?? 'Field'}
      noOptionsMessage={noFieldsMessage ?? 'The data has no such field.'}
      isClearable={isClearable !== false}
      onChange={(choice) => onChange(choice?.value)}
    />
  );
}

export function StatsEditor({ value, onChange, item, id }: StandardEditorProps<string | string[], StatsPickerConfigSettings>) {
  const stats = [value ?? []].flat();
  const { allowMultiple, defaultStat } = item.settings ?? {};
  return <StatsPicker inputId={id} stats={stats} onChange={onChange} allowMultiple={allowMultiple} defaultStat={defaultStat} />;
}

/** Dashboards of the host. */
export function DashboardEditor({ value, onChange, item, id }: StandardEditorProps<string>) {
  const found = useLoaded(async () => {
    const dashboards = backend.get<{ uid: string; title: string }[]>('/api/search', { type: 'dash-db', limit: 100 });
    return (await dashboards.catch(() => [])).map(({ uid, title }) => ({ value: uid, label: title }));
  }, []);
  return (
    <Select
      inputId={id}
      aria-label={item.name}
      isLoading={!found}
      options={custom(found ?? [], value)}
      value={value}
      isClearable
      allowCustomValue
      noOptionsMessage="The host has no dashboards."
      onChange={(choice) => onChange(choice?.value)}
    />
  );
}
