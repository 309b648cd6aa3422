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
import { DashboardEditor, FieldNameEditor, MultiSelectEditor, RadioEditor, SelectEditor, StatsEditor } from './choices';
import { MappingsEditor } from './mappings';
import {
  ActionsEditor,
  BooleanEditor,
  ColorEditor,
  FieldColorEditor,
  LinksEditor,
  NumberEditor,
  SliderEditor,
  StringsEditor,
  TextEditor,
  TimeZoneEditor,
  UnitEditor,
} from './simple';
import { ThresholdsEditor } from './thresholds';

type Editor = ComponentType<StandardEditorProps<any, any>>; // each knows the type of its own value, as in the registry's type

/** The editors by the ids that builders use. */
const editors: Record<string, Editor> = {
  text: TextEditor,
  number: NumberEditor,
  slider: SliderEditor,
  boolean: BooleanEditor,
  strings: StringsEditor,
  color: ColorEditor,
  unit: UnitEditor,
  timezone: TimeZoneEditor,
  select: SelectEditor,
  'multi-select': MultiSelectEditor,
  radio: RadioEditor,
  'field-name': FieldNameEditor,
  'stats-picker': StatsEditor,
  'dashboard-uid': DashboardEditor,
  links: LinksEditor,
  actions: ActionsEditor,
  fieldColor: FieldColorEditor,
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
    {
      id: 'thresholds',
      name: 'Thresholds',
      category: ['Thresholds'],
      process: thresholdsOverrideProcessor,
      defaultValue: standardThresholds,
    },
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
