// Editors of texts, numbers, switches, colours, units and time zones.
import type {
  NumberFieldConfigSettings,
  SliderFieldConfigSettings,
  StandardEditorProps,
  StringFieldConfigSettings,
  UnitFieldConfigSettings,
} from '@grafana/data';
import { ColorPicker, Slider, Switch, TagsInput, TimeZonePicker, UnitPicker, useTheme2 } from '@grafana/ui';
import { Draft } from './draft';

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
  const { min = 0, max = 100, step, included, marks } = item.settings ?? {};
  return (
    <Slider
      inputId={id ?? item.id}
      min={min}
      max={max}
      step={step}
      included={included}
      marks={marks}
      value={value ?? min}
      onChange={onChange}
      ariaLabelForHandle={item.name}
    />
  );
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
