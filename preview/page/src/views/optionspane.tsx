// The pane of a panel's own options, by the plugin's builder.
import { EventBusSrv, VariableOrigin, type DataFrame, type PanelPlugin, type StandardEditorContext } from '@grafana/data';
import { Field } from '@grafana/ui';
import { useMemo, useState } from 'react';
import { variables } from '../services/variables';
import { Boundary } from './boundary';
import { Category } from './category';
import { optionItems, type OptionItem } from './items';

const dataVariables = [
  '__value.raw',
  '__value.text',
  '__value.time',
  '__field.name',
  '__series.name',
  '__url_time_range',
  '__all_variables',
];

/** What can be completed after a dollar sign. */
function suggestions() {
  const own = variables.getVariables().map(({ name }) => ({ value: name, label: name, origin: VariableOrigin.Template }));
  return [...dataVariables.map((value) => ({ value, label: value, origin: VariableOrigin.Value })), ...own];
}

export function useEditorContext(data: DataFrame[], options: object, instanceState: unknown): StandardEditorContext<unknown> {
  const [eventBus] = useState(() => new EventBusSrv());
  return useMemo(
    () => ({
      data,
      options,
      instanceState,
      eventBus,
      annotations: [],
      replaceVariables: (text: string) => variables.replace(text),
      getSuggestions: suggestions,
    }),
    [data, options, instanceState, eventBus],
  );
}

/** One option: its name, what it says about itself, and its editor. */
export function OptionField({
  name,
  description,
  Editor,
  id,
  ...rest
}: Pick<OptionItem, 'item' | 'value' | 'onChange' | 'context'> & {
  name: string;
  description?: string;
  Editor: OptionItem['item']['editor'];
  id: string;
}) {
  return (
    <Field label={name} description={description}>
      <Guarded id={id} name={name} Editor={Editor} {...rest} />
    </Field>
  );
}

/** Field reads the id of its child for the label. */
function Guarded({
  name,
  Editor,
  id,
  item,
  value,
  onChange,
  context,
}: Pick<OptionItem, 'item' | 'value' | 'onChange' | 'context'> & { name: string; Editor: OptionItem['item']['editor']; id: string }) {
  return (
    <Boundary what={`the editor of "${name}"`} dependencies={[value, Editor]}>
      <Editor id={id} item={item} value={value} onChange={onChange} context={context} />
    </Boundary>
  );
}

export function OptionsPane({
  plugin,
  options,
  data,
  instanceState,
  onChange,
}: {
  plugin: PanelPlugin;
  options: object;
  data: DataFrame[];
  instanceState: unknown;
  onChange: (options: object) => void;
}) {
  const context = useEditorContext(data, options, instanceState);
  const groups = useMemo(
    () => optionItems(plugin.getPanelOptionsSupplier(), options, context, onChange),
    [plugin, options, context, onChange],
  );
  if (!groups.size) {
    return <p>The plugin has no options: setPanelOptions was not called.</p>;
  }
  return [...groups].map(([category, items]) => (
    <Category key={category} title={category}>
      {items.map(({ item, key, ...rest }) => (
        <OptionField
          key={key}
          id={`option-${key}`}
          name={item.name}
          description={item.description}
          Editor={item.editor}
          item={item}
          {...rest}
        />
      ))}
    </Category>
  ));
}
