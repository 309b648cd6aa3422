// The pane of the field configuration: defaults, and overrides for fields by name.
import {
  getFieldDisplayName,
  type ConfigOverrideRule,
  type DataFrame,
  type FieldConfigPropertyItem,
  type FieldConfigSource,
  type PanelPlugin,
} from '@grafana/data';
import { IconButton, Select, Stack } from '@grafana/ui';
import { get } from 'lodash';
import { Category } from './category';
import { changed } from './items';
import { OptionField, useEditorContext } from './optionspane';

interface Props {
  plugin: PanelPlugin;
  data: DataFrame[];
  fieldConfig: FieldConfigSource;
  onChange: (config: FieldConfigSource) => void;
}

const pathOf = (item: FieldConfigPropertyItem) => (item.isCustom ? `custom.${item.path}` : item.path);

export function FieldPane({ plugin, data, fieldConfig, onChange }: Props) {
  const context = useEditorContext(data, fieldConfig.defaults, undefined);
  const groups = new Map<string, FieldConfigPropertyItem[]>();
  for (const item of plugin.fieldConfigRegistry.list()) {
    const isShown =
      !item.hideFromDefaults &&
      (!item.showIf || item.showIf(item.isCustom ? (fieldConfig.defaults.custom ?? {}) : fieldConfig.defaults, data, []));
    if (isShown) {
      const category = (item.category ?? [plugin.meta.name]).join(' › ');
      groups.set(category, [...(groups.get(category) ?? []), item]);
    }
  }
  if (!groups.size) {
    return <p>The plugin has no field configuration: useFieldConfig was not called.</p>;
  }
  const set = (item: FieldConfigPropertyItem) => (value: unknown) =>
    onChange({ ...fieldConfig, defaults: changed(fieldConfig.defaults, pathOf(item), value) });
  return [...groups].map(([category, items]) => (
    <Category key={category} title={category}>
      {items.map((item) => (
        <OptionField
          key={item.id}
          id={`field-${item.id}`}
          name={item.name}
          description={item.description}
          Editor={item.editor}
          item={item as never}
          value={get(fieldConfig.defaults, pathOf(item))}
          onChange={set(item)}
          context={context}
        />
      ))}
    </Category>
  ));
}

/** Overrides of fields that are chosen by name; others, which a dashboard stored, are named and can be removed. */
export function OverridesPane({ plugin, data, fieldConfig, onChange }: Props) {
  const context = useEditorContext(data, fieldConfig.defaults, undefined);
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
          <Category key={i} title={`Override ${i + 1}: ${title}`}>
            {rule.properties.map((property) => {
              const item = items.find((x) => x.id === property.id || (x.isCustom && `custom.${x.id}` === property.id));
              return item ? (
                <OptionField
                  key={property.id}
                  id={`override-${i}-${property.id}`}
                  name={item.name}
                  Editor={item.override}
                  item={item as never}
                  value={property.value}
                  onChange={(v) => setProperty(property.id, v)}
                  context={{ ...context, isOverride: true }}
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
          </Category>
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
