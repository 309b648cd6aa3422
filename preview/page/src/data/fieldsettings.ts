// Settings of fields that are in data themselves: what each field of a frame stands for, and what a row of them says.
import {
  anyToNumber,
  FieldColorModeId,
  FieldType,
  getFieldDisplayName,
  MappingType,
  ThresholdsMode,
  type DataFrame,
  type Field,
  type FieldConfig,
  type ValueMappingResult,
} from '@grafana/data';

/** What the author of a transformation chose for a field. */
export interface Mapping {
  fieldName: string;
  handlerKey: string | null;
  reducerId?: string;
  handlerArguments?: { threshold?: { color?: string } };
}

interface Role {
  name: string;
  field: Field;
  key: string | null;
  mapping?: Mapping;
}

function numeric(key: 'min' | 'max' | 'decimals', value: unknown, isValid = (n: number) => !isNaN(n)): FieldConfig {
  const n = anyToNumber(value);
  return isValid(n) ? { [key]: n } : {};
}

/** What a value sets, by the name that a field has or that the author chose for it. */
const settings: { [key: string]: (value: unknown, before: FieldConfig, mapping?: Mapping) => FieldConfig } = {
  min: (value) => numeric('min', value),
  max: (value) => numeric('max', value),
  decimals: (value) => numeric('decimals', value, (n) => Number.isInteger(n) && n >= 0 && n <= 15),
  unit: (value) => ({ unit: String(value) }),
  displayName: (value) => ({ displayName: String(value) }),
  color: (value) => ({ color: { fixedColor: value as string, mode: FieldColorModeId.Fixed } }),
  threshold1: (given, { thresholds }, mapping) => {
    const step = { value: anyToNumber(given), color: mapping?.handlerArguments?.threshold?.color ?? 'red' };
    return isNaN(step.value) ? {} : { thresholds: { mode: ThresholdsMode.Absolute, steps: [...(thresholds?.steps ?? []), step] } };
  },
};
const special = ['field.name', 'field.value', 'field.label', '__ignore', 'mappings.value', 'mappings.color', 'mappings.text'];

/** What each field stands for. With rows, the first text is the name, the first number the value, and what is nothing else a label. */
export function rolesOf(frame: DataFrame, mappings: Mapping[], areRows = false): Role[] {
  const chosen = (key: string) => mappings.some((m) => m.handlerKey === key);
  const taken = new Set<string | null>();
  return frame.fields.map((field) => {
    const name = getFieldDisplayName(field, frame);
    const mapping = mappings.find((m) => m.fieldName === name);
    let key = mapping ? mapping.handlerKey : name.toLowerCase();
    if (areRows && !(key && (key in settings || special.includes(key)))) {
      const kinds = { [FieldType.string]: 'field.name', [FieldType.number]: 'field.value' };
      const kind = kinds[field.type as keyof typeof kinds] ?? '';
      key = kind && !mapping && !chosen(kind) && !taken.has(kind) ? kind : 'field.label';
    }
    taken.add(key);
    return { name, field, key, mapping };
  });
}

/** The configuration that values of these roles make. */
export function configOf(values: (Role & { value: unknown })[]): FieldConfig {
  const config: FieldConfig = {};
  for (const { key, value, mapping } of values.filter((v) => v.value != null)) {
    Object.assign(config, settings[key ?? '']?.(value, config, mapping));
  }
  const list = (key: string) => values.findLast((v) => v.key === key && Array.isArray(v.value))?.value as unknown[] | undefined;
  const [keys, colors, texts] = ['mappings.value', 'mappings.color', 'mappings.text'].map(list);
  if (keys) {
    const options = keys.flatMap((key, index) =>
      key == null ? [] : [[String(key), { color: colors?.[index], text: texts?.[index], index }]],
    );
    config.mappings = [{ type: MappingType.ValueToText, options: Object.fromEntries(options) as Record<string, ValueMappingResult> }];
  }
  return config;
}
