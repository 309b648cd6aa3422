// The options that a plugin's builder lists, in categories, with nested ones brought to the top.
import { PanelOptionsEditorBuilder, type PanelOptionsEditorItem, type PanelPlugin, type StandardEditorContext } from '@grafana/data';
import { get, set } from 'lodash';

export interface OptionItem {
  item: PanelOptionsEditorItem;
  key: string;
  value: unknown;
  onChange(value: unknown): void;
  context: StandardEditorContext<unknown>;
}

type Supplier = ReturnType<PanelPlugin<unknown>['getPanelOptionsSupplier']>;

/** A group of options with a builder of its own; @grafana/data does not export its class. */
interface Nested {
  path: string;
  category?: string[];
  getBuilder(): Supplier;
  getNestedValueAccess(parent: { getValue(path: string): unknown; onChange: Change }): {
    getValue(path: string): unknown;
    onChange: Change;
    getContext?(parent: StandardEditorContext<unknown>): StandardEditorContext<unknown>;
  };
}

function isNested(item: object): item is Nested {
  return 'getBuilder' in item && 'getNestedValueAccess' in item;
}

type Change = (path: string, value: unknown) => void;

/** A copy of the options with one value changed. */
export function changed(options: object, path: string, value: unknown): object {
  return set(structuredClone(options), path, value);
}

function walk(
  supplier: Supplier,
  context: StandardEditorContext<unknown>,
  read: (path: string) => unknown,
  write: Change,
  prefix: string,
  parent: string[],
  into: Map<string, OptionItem[]>,
): void {
  const builder = new PanelOptionsEditorBuilder<unknown>();
  supplier(builder, context);
  for (const item of builder.getItems()) {
    if (isNested(item)) {
      const access = item.getNestedValueAccess({ getValue: read, onChange: write });
      const inner = access.getContext?.(context) ?? { ...context, options: read(item.path) };
      walk(item.getBuilder(), inner, access.getValue, access.onChange, `${prefix}${item.path}.`, item.category ?? parent, into);
      continue;
    }
    if (item.showIf && !item.showIf(context.options, context.data, context.annotations)) {
      continue;
    }
    const category = (item.category ?? parent).join(' › ');
    const option = { item, key: prefix + item.id, value: read(item.path), onChange: (value: unknown) => write(item.path, value), context };
    into.set(category, [...(into.get(category) ?? []), option]);
  }
}

export function optionItems(
  supplier: Supplier,
  options: object,
  context: StandardEditorContext<unknown>,
  onChange: (options: object) => void,
): Map<string, OptionItem[]> {
  const into = new Map<string, OptionItem[]>();
  walk(
    supplier,
    context,
    (path) => get(options, path),
    (path, value) => onChange(changed(options, path, value)),
    '',
    ['Panel options'],
    into,
  );
  return into;
}
