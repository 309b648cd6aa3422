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
import { ActionsEditor, FieldColorEditor, LinksEditor } from './links';
import { MappingsEditor } from './mappings';
import { BooleanEditor, ColorEditor, NumberEditor, SliderEditor, StringsEditor, TextEditor, TimeZoneEditor, UnitEditor } from './simple';
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

type Option = Pick<FieldConfigPropertyItem, 'id' | 'name' | 'process'> & Partial<FieldConfigPropertyItem> & { kind: string };

function option({ kind, ...given }: Option): FieldConfigPropertyItem {
  return {
    path: given.id,
    category: ['Standard options'],
    editor: editors[kind],
    override: editors[kind],
    shouldApply: always,
    settings: {},
    ...given,
  };
}

const standardThresholds = {
  mode: ThresholdsMode.Absolute,
  steps: [
    { value: -Infinity, color: 'green' },
    { value: 80, color: 'red' },
  ],
};

function fieldOptions(): FieldConfigPropertyItem[] {
  const auto = { placeholder: 'auto' };
  const number = { kind: 'number', process: numberOverrideProcessor, shouldApply: isNumber, settings: auto };
  const text = { kind: 'text', process: stringOverrideProcessor };
  const flag = { kind: 'boolean', process: booleanOverrideProcessor };
  const links = { process: dataLinksOverrideProcessor, category: ['Data links and actions'], settings: { placeholder: '-' } };
  const limit = 'Leave empty to calculate based on all values';
  const color = { mode: FieldColorModeId.Thresholds };
  const whole = { ...auto, min: 0, max: 15, integer: true };
  const name = { placeholder: 'none', expandTemplateVars: true };
  return [
    option({ ...number, id: 'unit', kind: 'unit', name: 'Unit', process: unitOverrideProcessor, settings: { ...auto, isClearable: true } }),
    option({ ...number, id: 'min', name: 'Min', description: limit }),
    option({ ...number, id: 'max', name: 'Max', description: limit }),
    option({ ...flag, id: 'fieldMinMax', name: 'Field min/max', description: 'Calculate min max per field', shouldApply: isNumber }),
    option({ ...number, id: 'decimals', name: 'Decimals', settings: whole }),
    option({
      ...text,
      id: 'displayName',
      name: 'Display name',
      description: 'Change the field or series name',
      process: displayNameOverrideProcessor,
      settings: name,
    }),
    option({
      ...text,
      id: 'noValue',
      name: 'No value',
      description: 'What to show when there is no value',
      settings: { placeholder: '-' },
    }),
    option({
      id: 'color',
      kind: 'fieldColor',
      name: 'Color scheme',
      process: identityOverrideProcessor,
      defaultValue: color,
      settings: { byValueSupport: true },
    }),
    option({ ...links, id: 'links', kind: 'links', name: 'Data links' }),
    option({ ...links, id: 'actions', kind: 'actions', name: 'Actions', process: identityOverrideProcessor, settings: {} }),
    option({
      id: 'mappings',
      kind: 'mappings',
      name: 'Value mappings',
      process: valueMappingsOverrideProcessor,
      category: ['Value mappings'],
      defaultValue: [],
    }),
    option({
      id: 'thresholds',
      kind: 'thresholds',
      name: 'Thresholds',
      process: thresholdsOverrideProcessor,
      category: ['Thresholds'],
      defaultValue: standardThresholds,
    }),
    option({ ...flag, id: 'filterable', name: 'Ad-hoc filterable' }),
  ];
}

export function registerEditors(): void {
  standardEditorsRegistry.setInit(() =>
    Object.entries(editors).map(([id, editor]): StandardEditorsRegistryItem => ({ id, name: id, editor })),
  );
  standardFieldConfigEditorRegistry.setInit(fieldOptions);
}
