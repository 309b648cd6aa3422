// The pane of a panel's own options, by the plugin's builder.
import { EventBusSrv, VariableOrigin, type DataFrame, type PanelPlugin, type StandardEditorContext } from '@grafana/data';
import { ControlledCollapse, Field } from '@grafana/ui';
import { useMemo, useState } from 'react';
import { variables } from '../services/variables';
import { Boundary } from './boundary';
import { optionItems, type OptionItem } from './items';

type Editor = OptionItem['item']['editor'];

const builtIn = ['__value.raw', '__value.text', '__value.time', '__field.name', '__series.name', '__url_time_range', '__all_variables'];

/** What can be completed after a dollar sign. */
function suggestions() {
  const own = variables.getVariables().map(({ name }) => ({ value: name, label: name, origin: VariableOrigin.Template }));
  return [...builtIn.map((value) => ({ value, label: value, origin: VariableOrigin.Value })), ...own];
}

const shared = { annotations: [], replaceVariables: (text: string) => variables.replace(text), getSuggestions: suggestions };

export function useEditorContext(data: DataFrame[], options: object, instanceState: unknown): StandardEditorContext<unknown> {
  const [eventBus] = useState(() => new EventBusSrv());
  return useMemo(() => ({ ...shared, data, options, instanceState, eventBus }), [data, options, instanceState, eventBus]);
}

/** One option: its name, what it says about itself, and its editor, which is another one in an override. */
export function OptionField({ id, item, Editor = item.editor, ...rest }: Omit<OptionItem, 'key'> & { id: string; Editor?: Editor }) {
  return (
    <Field label={item.name} description={rest.context.isOverride ? undefined : item.description} htmlFor={id}>
      <Boundary what={`the editor of "${item.name}"`} dependencies={[rest.value, Editor]}>
        <Editor id={id} item={item} {...rest} />
      </Boundary>
    </Field>
  );
}

/** The options by their categories. */
export function OptionFields({ groups, prefix }: { groups: Map<string, OptionItem[]>; prefix: string }) {
  return [...groups].map(([category, items]) => (
    <ControlledCollapse key={category} label={category} isOpen>
      {items.map(({ key, ...option }) => (
        <OptionField key={key} id={`${prefix}-${key}`} {...option} />
      ))}
    </ControlledCollapse>
  ));
}

interface Props {
  plugin: PanelPlugin;
  options: object;
  data: DataFrame[];
  instanceState: unknown;
  onChange: (options: object) => void;
}

export function OptionsPane({ plugin, options, data, instanceState, onChange }: Props) {
  const context = useEditorContext(data, options, instanceState);
  const groups = useMemo(
    () => optionItems(plugin.getPanelOptionsSupplier(), options, context, onChange),
    [plugin, options, context, onChange],
  );
  if (!groups.size) {
    return <p>The plugin has no options: setPanelOptions was not called.</p>;
  }
  return <OptionFields groups={groups} prefix="option" />;
}
