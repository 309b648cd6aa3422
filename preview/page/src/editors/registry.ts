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
  return [
    option({
      id: 'unit',
      kind: 'unit',
      name: 'Unit',
      process: unitOverrideProcessor,
      shouldApply: isNumber,
      settings: { ...auto, isClearable: true },
    }),
    option({
      id: 'min',
      kind: 'number',
      name: 'Min',
      description: 'Leave empty to calculate based on all values',
      process: numberOverrideProcessor,
      shouldApply: isNumber,
      settings: auto,
    }),
    option({
      id: 'max',
      kind: 'number',
      name: 'Max',
      description: 'Leave empty to calculate based on all values',
      process: numberOverrideProcessor,
      shouldApply: isNumber,
      settings: auto,
    }),
    option({
      id: 'fieldMinMax',
      kind: 'boolean',
      name: 'Field min/max',
      description: 'Calculate min max per field',
      process: booleanOverrideProcessor,
      shouldApply: isNumber,
    }),
    option({
      id: 'decimals',
      kind: 'number',
      name: 'Decimals',
      process: numberOverrideProcessor,
      shouldApply: isNumber,
      settings: { ...auto, min: 0, max: 15, integer: true },
    }),
    option({
      id: 'displayName',
      kind: 'text',
      name: 'Display name',
      description: 'Change the field or series name',
      process: displayNameOverrideProcessor,
      settings: { placeholder: 'none', expandTemplateVars: true },
    }),
    option({
      id: 'noValue',
      kind: 'text',
      name: 'No value',
      description: 'What to show when there is no value',
      process: stringOverrideProcessor,
      settings: { placeholder: '-' },
    }),
    option({
      id: 'color',
      kind: 'fieldColor',
      name: 'Color scheme',
      process: identityOverrideProcessor,
      defaultValue: { mode: FieldColorModeId.Thresholds },
      settings: { byValueSupport: true },
    }),
    option({
      id: 'links',
      kind: 'links',
      name: 'Data links',
      process: dataLinksOverrideProcessor,
      category: ['Data links and actions'],
      settings: { placeholder: '-' },
    }),
    option({ id: 'actions', kind: 'actions', name: 'Actions', process: identityOverrideProcessor, category: ['Data links and actions'] }),
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
    option({ id: 'filterable', kind: 'boolean', name: 'Ad-hoc filterable', process: booleanOverrideProcessor }),
  ];
}

export function registerEditors(): void {
  standardEditorsRegistry.setInit(() =>
    Object.entries(editors).map(([id, editor]): StandardEditorsRegistryItem => ({ id, name: id, editor })),
  );
  standardFieldConfigEditorRegistry.setInit(fieldOptions);
}
