// The registries of editors and of standard field options, which plugins' builders look up.
import {
  booleanOverrideProcessor,
  dataLinksOverrideProcessor,
  displayNameOverrideProcessor,
  FieldColorModeId,
  FieldType,
  identityOverrideProcessor,
  numberOverrideProcessor,
  standardEditorsRegistry,
  standardFieldConfigEditorRegistry,
  stringOverrideProcessor,
  ThresholdsMode,
  thresholdsOverrideProcessor,
  unitOverrideProcessor,
  valueMappingsOverrideProcessor,
  type Field,
  type FieldConfigPropertyItem,
  type StandardEditorProps,
  type StandardEditorsRegistryItem,
} from '@grafana/data';
import type { ComponentType } from 'react';
import * as choices from './choices';
import { MappingsEditor } from './mappings';
import * as simple from './simple';
import { ThresholdsEditor } from './thresholds';

type Editor = ComponentType<StandardEditorProps<any, any>>; // each knows the type of its own value, as in the registry's type

/** The editors by the ids that builders use. */
const editors: Record<string, Editor> = {
  text: simple.TextEditor,
  number: simple.NumberEditor,
  slider: simple.SliderEditor,
  boolean: simple.BooleanEditor,
  strings: simple.StringsEditor,
  color: simple.ColorEditor,
  unit: simple.UnitEditor,
  timezone: simple.TimeZoneEditor,
  select: choices.SelectEditor,
  'multi-select': choices.MultiSelectEditor,
  radio: choices.RadioEditor,
  'field-name': choices.FieldNameEditor,
  'stats-picker': choices.StatsEditor,
  'dashboard-uid': choices.DashboardEditor,
  links: simple.LinksEditor,
  actions: simple.ActionsEditor,
  fieldColor: simple.FieldColorEditor,
  thresholds: ThresholdsEditor,
  mappings: MappingsEditor,
};

const isNumber = (field: Field) => field.type === FieldType.number;
const always = () => true;

const standardThresholds = {
  mode: ThresholdsMode.Absolute,
  steps: [
    { value: -Infinity, color: 'green' },
    { value: 80, color: 'red' },
  ],
};

/** By default, an option has the editor of its id. */
type Option = Pick<FieldConfigPropertyItem, 'id' | 'name' | 'process'> & Partial<FieldConfigPropertyItem> & { kind?: string };

function fieldOptions(): FieldConfigPropertyItem[] {
  const auto = { placeholder: 'auto' };
  const number = { kind: 'number', process: numberOverrideProcessor, shouldApply: isNumber, settings: auto };
  const whole = { ...auto, min: 0, max: 15, integer: true };
  const unit = { ...number, kind: 'unit', process: unitOverrideProcessor, settings: { ...auto, isClearable: true } };
  const text = { kind: 'text', process: stringOverrideProcessor, settings: { placeholder: '-' } };
  const title = { kind: 'text', process: displayNameOverrideProcessor, settings: { placeholder: 'none', expandTemplateVars: true } };
  const flag = { kind: 'boolean', process: booleanOverrideProcessor };
  const color = { kind: 'fieldColor', process: identityOverrideProcessor, settings: { byValueSupport: true } };
  const thresholds = { process: thresholdsOverrideProcessor, defaultValue: standardThresholds };
  const mode = FieldColorModeId.Thresholds;
  const category = ['Data links and actions'];
  const limit = 'Leave empty to calculate based on all values';
  const options: Option[] = [
    { ...unit, id: 'unit', name: 'Unit' },
    { ...number, id: 'min', name: 'Min', description: limit },
    { ...number, id: 'max', name: 'Max', description: limit },
    { ...flag, id: 'fieldMinMax', name: 'Field min/max', description: 'Calculate min max per field', shouldApply: isNumber },
    { ...number, id: 'decimals', name: 'Decimals', settings: whole },
    { ...title, id: 'displayName', name: 'Display name', description: 'Change the field or series name' },
    { ...text, id: 'noValue', name: 'No value', description: 'What to show when there is no value' },
    { ...color, id: 'color', name: 'Color scheme', defaultValue: { mode } },
    { id: 'links', name: 'Data links', category, process: dataLinksOverrideProcessor, settings: { placeholder: '-' } },
    { id: 'actions', name: 'Actions', category, process: identityOverrideProcessor },
    { id: 'mappings', name: 'Value mappings', category: ['Value mappings'], process: valueMappingsOverrideProcessor, defaultValue: [] },
    { ...thresholds, id: 'thresholds', name: 'Thresholds', category: ['Thresholds'] },
    { ...flag, id: 'filterable', name: 'Ad-hoc filterable' },
  ];
  return options.map(({ kind, ...given }) => {
    const editor = editors[kind ?? given.id];
    return { path: given.id, category: ['Standard options'], editor, override: editor, shouldApply: always, settings: {}, ...given };
  });
}

export function registerEditors(): void {
  standardEditorsRegistry.setInit(() =>
    Object.entries(editors).map(([id, editor]): StandardEditorsRegistryItem => ({ id, name: id, editor })),
  );
  standardFieldConfigEditorRegistry.setInit(fieldOptions);
}
