// Editors of texts, numbers, switches, colours, units and time zones.
import type {
  NumberFieldConfigSettings,
  SliderFieldConfigSettings,
  StandardEditorProps,
  StringFieldConfigSettings,
  UnitFieldConfigSettings,
} from '@grafana/data';
import { ColorPicker, Input, Slider, Switch, TagsInput, TextArea, TimeZonePicker, UnitPicker, useTheme2 } from '@grafana/ui';
import { useEffect, useState } from 'react';

/** The text in a field while it is edited; it takes effect when the field is left, or with Enter. */
function useDraft(value: string, commit: (text: string) => void) {
  const [draft, setDraft] = useState(value);
  useEffect(() => setDraft(value), [value]);
  const finish = () => {
    if (draft !== value) {
      commit(draft);
    }
  };
  return { draft, setDraft, finish };
}

export function TextEditor({ value, onChange, item, id }: StandardEditorProps<string, StringFieldConfigSettings>) {
  const { draft, setDraft, finish } = useDraft(value ?? '', (text) => onChange(text === '' ? undefined : text));
  const { placeholder, maxLength, useTextarea, rows } = item.settings ?? {};
  if (useTextarea) {
    return (
      <TextArea
        id={id}
        value={draft}
        placeholder={placeholder}
        maxLength={maxLength}
        rows={rows ?? 5}
        onChange={(e) => setDraft(e.currentTarget.value)}
        onBlur={finish}
      />
    );
  }
  return (
    <Input
      id={id}
      value={draft}
      placeholder={placeholder}
      maxLength={maxLength}
      onChange={(e) => setDraft(e.currentTarget.value)}
      onBlur={finish}
      onKeyDown={(e) => e.key === 'Enter' && finish()}
    />
  );
}

export function NumberEditor({ value, onChange, item, id }: StandardEditorProps<number, NumberFieldConfigSettings>) {
  const { min, max, step, placeholder, integer } = item.settings ?? {};
  const commit = (text: string) => {
    const number = integer ? Math.round(Number(text)) : Number(text);
    onChange(text === '' || Number.isNaN(number) ? undefined : Math.min(max ?? Infinity, Math.max(min ?? -Infinity, number)));
  };
  const { draft, setDraft, finish } = useDraft(value === undefined || value === null ? '' : String(value), commit);
  return (
    <Input
      id={id}
      type="number"
      value={draft}
      min={min}
      max={max}
      step={step}
      placeholder={placeholder ?? 'auto'}
      onChange={(e) => setDraft(e.currentTarget.value)}
      onBlur={finish}
      onKeyDown={(e) => e.key === 'Enter' && finish()}
    />
  );
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

export function ColorEditor({
  value,
  onChange,
  item,
}: StandardEditorProps<string, { enableNamedColors?: boolean; allowUndefined?: boolean; placeholder?: string }>) {
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

export function UnitEditor({ value, onChange, item, id }: StandardEditorProps<string, UnitFieldConfigSettings>) {
  const clear = item.settings?.isClearable && value !== undefined;
  return (
    <>
      <UnitPicker id={id} value={value} onChange={onChange} />
      {clear && (
        <button type="button" className="preview-link" onClick={() => onChange(undefined)}>
          Clear
        </button>
      )}
    </>
  );
}

export function TimeZoneEditor({ value, onChange, id }: StandardEditorProps<string>) {
  return <TimeZonePicker inputId={id} value={value} onChange={onChange} includeInternal />;
}
