// Editors that choose among given things.
import {
  getFieldDisplayName,
  type FieldNamePickerConfigSettings,
  type SelectFieldConfigSettings,
  type SelectableValue,
  type StandardEditorProps,
  type StatsPickerConfigSettings,
} from '@grafana/data';
import { MultiSelect, RadioButtonGroup, Select, StatsPicker, type SelectCommonProps } from '@grafana/ui';
import { backend } from '../services/backend';
import { useLoaded } from '../services/useloaded';

type SelectProps<T> = StandardEditorProps<T, SelectFieldConfigSettings<any>>; // a plugin's choices have any type of value

/** The choices: fixed ones, or those that a function returns for the data. */
function useChoices({ item, context }: Pick<SelectProps<unknown>, 'item' | 'context'>): { options: SelectableValue[]; isLoading: boolean } {
  const { options = [], getOptions } = item.settings ?? {};
  const loaded = useLoaded(async () => getOptions?.(context), [getOptions, context], 'rejection');
  return { options: getOptions ? (loaded ?? []) : options, isLoading: getOptions !== undefined && loaded === undefined };
}

/** A choice for a value that is none of the given ones, so that it is shown. */
function custom(choices: SelectableValue[], value: unknown): SelectableValue[] {
  const all = choices.flatMap((c) => (Array.isArray(c.options) ? (c.options as SelectableValue[]) : c));
  return value === undefined || value === null || all.some((c) => c.value === value)
    ? choices
    : [...choices, { value, label: String(value) }];
}

type ChoiceProps = Pick<StandardEditorProps<any, any>, 'id' | 'item' | 'value' | 'onChange'> &
  Pick<SelectCommonProps<unknown>, 'isLoading' | 'isClearable' | 'allowCustomValue' | 'placeholder' | 'noOptionsMessage'>;

function Choice({ id, item, options, value, onChange, ...rest }: ChoiceProps & { options: SelectableValue[] }) {
  const shared = { ...rest, inputId: id, 'aria-label': item.name, options: custom(options, value), value };
  return <Select {...shared} onChange={(choice: SelectableValue | null) => onChange(choice?.value)} />;
}

export function SelectEditor({ value, onChange, item, id, context }: SelectProps<unknown>) {
  const { allowCustomValue, isClearable } = item.settings ?? {};
  return <Choice {...{ id, item, value, onChange, allowCustomValue, isClearable }} {...useChoices({ item, context })} />;
}

export function MultiSelectEditor({ value, onChange, item, id, context }: SelectProps<unknown[]>) {
  const { options, isLoading } = useChoices({ item, context });
  const { allowCustomValue, isClearable } = item.settings ?? {};
  const all = (value ?? []).reduce<SelectableValue[]>(custom, options);
  const shared = { inputId: id, 'aria-label': item.name, options: all, value, isLoading, allowCustomValue, isClearable };
  return <MultiSelect {...shared} onChange={(chosen) => onChange(chosen.map((c) => c.value))} />;
}

export function RadioEditor({ value, onChange, item, id, context }: SelectProps<unknown>) {
  const { options } = useChoices({ item, context });
  return (
    <div style={{ overflow: 'auto' }}>
      <RadioButtonGroup id={id} aria-label={item.name} fullWidth options={options} value={value} onChange={onChange} />
    </div>
  );
}

export function FieldNameEditor({ value, onChange, item, context, id }: StandardEditorProps<string, FieldNamePickerConfigSettings>) {
  const { filter = () => true, noFieldsMessage, placeholderText = 'Field', isClearable } = item.settings ?? {};
  const names = context.data.flatMap((frame) => frame.fields.filter(filter).map((f) => getFieldDisplayName(f, frame, context.data)));
  const options = [...new Set(names)].map((name) => ({ label: name, value: name }));
  const texts = { placeholder: placeholderText, noOptionsMessage: noFieldsMessage ?? 'The data has no such field.' };
  return <Choice {...{ id, item, value, onChange, options }} {...texts} isClearable={isClearable !== false} />;
}

export function StatsEditor({ value, onChange, item, id }: StandardEditorProps<string | string[], StatsPickerConfigSettings>) {
  const { allowMultiple, defaultStat } = item.settings ?? {};
  return <StatsPicker inputId={id} stats={[value ?? []].flat()} {...{ onChange, allowMultiple, defaultStat }} />;
}

/** Dashboards of the host. */
export function DashboardEditor({ value, onChange, item, id }: StandardEditorProps<string>) {
  const found = useLoaded(async () => {
    const dashboards = backend.get<{ uid: string; title: string }[]>('/api/search', { type: 'dash-db', limit: 100 });
    return (await dashboards.catch(() => [])).map(({ uid, title }) => ({ value: uid, label: title }));
  }, []);
  const settings = { options: found ?? [], isLoading: !found, noOptionsMessage: 'The host has no dashboards.' };
  return <Choice {...{ id, item, value, onChange }} {...settings} isClearable allowCustomValue />;
}
