// The pane of the field configuration: defaults, and overrides for fields by name.
import {
  getFieldDisplayName,
  type ConfigOverrideRule,
  type DataFrame,
  type FieldConfigPropertyItem,
  type FieldConfigSource,
  type PanelPlugin,
} from '@grafana/data';
import { ControlledCollapse, IconButton, Select, Stack } from '@grafana/ui';
import { get } from 'lodash';
import { grouped } from '../data/partition';
import { changed, type OptionItem } from './items';
import { OptionField, OptionFields, useEditorContext } from './optionspane';

interface Props {
  plugin: PanelPlugin;
  data: DataFrame[];
  fieldConfig: FieldConfigSource;
  onChange: (config: FieldConfigSource) => void;
}

export function FieldPane({ plugin, data, fieldConfig, onChange }: Props) {
  const context = useEditorContext(data, fieldConfig.defaults, undefined);
  const { defaults } = fieldConfig;
  const isShown = ({ hideFromDefaults, showIf, isCustom }: FieldConfigPropertyItem) =>
    !hideFromDefaults && (!showIf || showIf(isCustom ? (defaults.custom ?? {}) : defaults, data, []));
  const items = plugin.fieldConfigRegistry.list().filter(isShown);
  if (!items.length) {
    return <p>The plugin has no field configuration: useFieldConfig was not called.</p>;
  }
  const options = items.map((item): OptionItem => {
    const path = item.isCustom ? `custom.${item.path}` : item.path;
    const set = (value: unknown) => onChange({ ...fieldConfig, defaults: changed(defaults, path, value) });
    return { item: item as never, key: item.id, value: get(defaults, path), onChange: set, context };
  });
  const groups = grouped(options, ({ item }) => (item.category ?? [plugin.meta.name]).join(' › '));
  return <OptionFields groups={groups} prefix="field" />;
}

/** Overrides of fields that are chosen by name; others, which a dashboard stored, are named and can be removed. */
export function OverridesPane({ plugin, data, fieldConfig, onChange }: Props) {
  const context = { ...useEditorContext(data, fieldConfig.defaults, undefined), isOverride: true };
  const items = plugin.fieldConfigRegistry.list().filter((item) => !item.hideFromOverrides);
  const names = [...new Set(data.flatMap((frame) => frame.fields.map((field) => getFieldDisplayName(field, frame, data))))];
  const { overrides } = fieldConfig;
  const replace = (i: number, rule?: ConfigOverrideRule) =>
    onChange({ ...fieldConfig, overrides: overrides.flatMap((old, j) => (j === i ? (rule ?? []) : old)) });
  const add = (name: string) =>
    onChange({ ...fieldConfig, overrides: [...overrides, { matcher: { id: 'byName', options: name }, properties: [] }] });

  return (
    <>
      {overrides.map((rule, i) => {
        const title =
          rule.matcher.id === 'byName' ? String(rule.matcher.options) : `${rule.matcher.id}: ${JSON.stringify(rule.matcher.options)}`;
        const setProperty = (id: string, value: unknown) =>
          replace(i, { ...rule, properties: rule.properties.map((p) => (p.id === id ? { id, value } : p)) });
        return (
          <ControlledCollapse key={i} label={`Override ${i + 1}: ${title}`} isOpen>
            {rule.properties.map((property) => {
              const item = items.find((x) => x.id === property.id || (x.isCustom && `custom.${x.id}` === property.id));
              return item ? (
                <OptionField
                  key={property.id}
                  id={`override-${i}-${property.id}`}
                  Editor={item.override}
                  item={item as never}
                  value={property.value}
                  onChange={(v) => setProperty(property.id, v)}
                  context={context}
                />
              ) : (
                <p key={property.id}>{`${property.id}: the plugin has no such property`}</p>
              );
            })}
            <Stack>
              <Select
                aria-label="Add a property"
                placeholder="Add a property"
                value={null}
                options={items.map((item) => ({ value: item.id, label: item.name }))}
                onChange={(c) => replace(i, { ...rule, properties: [...rule.properties, { id: c.value ?? '', value: undefined }] })}
              />
              <IconButton name="trash-alt" aria-label={`Remove override ${i + 1}`} onClick={() => replace(i)} />
            </Stack>
          </ControlledCollapse>
        );
      })}
      <Select
        aria-label="Add an override for a field"
        placeholder="Add an override for a field"
        value={null}
        options={names.map((value) => ({ value, label: value }))}
        onChange={(c) => add(c.value ?? '')}
      />
    </>
  );
}
