// Editors of texts, numbers, switches, colours, units, time zones and data links, and a list of actions.
import {
  fieldColorModeRegistry,
  type Action,
  type DataLink,
  type FieldColor,
  type FieldColorModeId,
  type NumberFieldConfigSettings,
  type SliderFieldConfigSettings,
  type StandardEditorProps,
  type StringFieldConfigSettings,
  type UnitFieldConfigSettings,
} from '@grafana/data';
import {
  ColorPicker,
  DataLinksInlineEditor,
  Input,
  Select,
  Slider,
  Stack,
  Switch,
  TagsInput,
  TextArea,
  TimeZonePicker,
  UnitPicker,
  useTheme2,
} from '@grafana/ui';
import { useEffect, useState } from 'react';

interface DraftProps {
  text: string;
  commit: (text: string) => void;
  isArea?: boolean;
  rows?: number;
  [attribute: string]: unknown;
}

/** A field of text whose change takes effect when the field is left, or with Enter. */
export function Draft({ text, commit, isArea, rows, ...rest }: DraftProps) {
  const [draft, setDraft] = useState(text);
  useEffect(() => setDraft(text), [text]);
  const finish = () => {
    if (draft !== text) {
      setDraft(text); // which stays if the change is not valid
      commit(draft);
    }
  };
  const change = (e: { currentTarget: { value: string } }) => setDraft(e.currentTarget.value);
  const shared = { ...rest, value: draft, onChange: change, onBlur: finish };
  return isArea ? <TextArea {...shared} rows={rows ?? 5} /> : <Input {...shared} onKeyDown={(e) => e.key === 'Enter' && finish()} />;
}

export function TextEditor({ value, onChange, item, id }: StandardEditorProps<string, StringFieldConfigSettings>) {
  const { placeholder, maxLength, useTextarea, rows } = item.settings ?? {};
  const commit = (text: string) => onChange(text === '' ? undefined : text);
  return <Draft text={value ?? ''} commit={commit} isArea={useTextarea} {...{ id, placeholder, maxLength, rows }} />;
}

export function NumberEditor({ value, onChange, item, id }: StandardEditorProps<number, NumberFieldConfigSettings>) {
  const { min, max, step, placeholder = 'auto', integer } = item.settings ?? {};
  const commit = (text: string) => {
    const number = integer ? Math.round(Number(text)) : Number(text);
    onChange(text === '' || Number.isNaN(number) ? undefined : Math.min(max ?? Infinity, Math.max(min ?? -Infinity, number)));
  };
  return <Draft type="number" text={String(value ?? '')} commit={commit} {...{ id, min, max, step, placeholder }} />;
}

export function SliderEditor({ value, onChange, item, id }: StandardEditorProps<number, SliderFieldConfigSettings>) {
  const settings = { min: 0, max: 100, ...item.settings };
  const named = { inputId: id ?? item.id, ariaLabelForHandle: item.name };
  return <Slider {...settings} {...named} value={value ?? settings.min} onChange={onChange} />;
}

export function BooleanEditor({ value, onChange, id }: StandardEditorProps<boolean>) {
  return <Switch id={id} value={Boolean(value)} onChange={(e) => onChange(e.currentTarget.checked)} />;
}

export function StringsEditor({ value, onChange, item, id }: StandardEditorProps<string[], StringFieldConfigSettings>) {
  return <TagsInput id={id} tags={value ?? []} placeholder={item.settings?.placeholder ?? 'Add a text, then Enter'} onChange={onChange} />;
}

type ColorProps = StandardEditorProps<string, { enableNamedColors?: boolean; allowUndefined?: boolean; placeholder?: string }>;

export function ColorEditor({ value, onChange, item }: ColorProps) {
  const theme = useTheme2();
  const settings = item.settings ?? {};
  const written = value ?? settings.placeholder ?? 'not set';
  return (
    <div style={{ display: 'flex', alignItems: 'center', gap: theme.spacing(1) }}>
      <ColorPicker
        color={value ?? theme.colors.text.secondary}
        onChange={(color) => onChange(color)}
        enableNamedColors={settings.enableNamedColors !== false}
      />
      <span>{written}</span>
      {settings.allowUndefined && value !== undefined && (
        <button type="button" className="preview-link" onClick={() => onChange(undefined)}>
          Clear
        </button>
      )}
    </div>
  );
}

export function UnitEditor({ value, onChange, id }: StandardEditorProps<string, UnitFieldConfigSettings>) {
  return <UnitPicker id={id} value={value} onChange={(unit) => onChange(unit || undefined)} />;
}

export function TimeZoneEditor({ value, onChange, id }: StandardEditorProps<string>) {
  return <TimeZonePicker inputId={id} value={value} onChange={onChange} includeInternal />;
}

export function LinksEditor({ value, onChange, context: { data, getSuggestions = () => [] } }: StandardEditorProps<DataLink[]>) {
  return <DataLinksInlineEditor links={value} showOneClick {...{ onChange, data, getSuggestions }} />;
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

type FieldColorProps = StandardEditorProps<FieldColor, { byValueSupport?: boolean; preferThresholdsMode?: boolean }>;

export function FieldColorEditor({ value, onChange, item, id }: FieldColorProps) {
  const modes = fieldColorModeRegistry.list().filter((m) => !m.isByValue || item.settings?.byValueSupport !== false);
  const mode = fieldColorModeRegistry.getIfExists(value?.mode);
  const isFixed = (mode?: string) => mode === 'fixed' || mode === 'shades';
  const choose = (mode: string) =>
    onChange({ ...value, mode: mode as FieldColorModeId, fixedColor: isFixed(mode) ? (value?.fixedColor ?? 'green') : undefined });
  return (
    <Stack gap={1} alignItems="center">
      <Select
        inputId={id}
        aria-label="Color scheme"
        options={modes.map((m) => ({ value: m.id, label: m.name, description: m.description }))}
        value={value?.mode}
        onChange={(c) => choose(c.value ?? 'palette-classic')}
      />
      {isFixed(value?.mode) && (
        <ColorPicker color={value?.fixedColor ?? 'green'} enableNamedColors onChange={(fixedColor) => onChange({ ...value, fixedColor })} />
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
