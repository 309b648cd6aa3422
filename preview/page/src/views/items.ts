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

interface Access {
  getValue(path: string): unknown;
  onChange(path: string, value: unknown): void;
}

/** A group of options with a builder of its own; @grafana/data does not export its class. */
interface Nested {
  getBuilder(): Supplier;
  getNestedValueAccess(parent: Access): Access & { getContext?(parent: StandardEditorContext<unknown>): StandardEditorContext<unknown> };
}

function isNested(item: object): item is Nested {
  return 'getBuilder' in item && 'getNestedValueAccess' in item;
}

/** A copy of the options with one value changed. */
export function changed(options: object, path: string, value: unknown): object {
  return set(structuredClone(options), path, value);
}

export function optionItems(
  supplier: Supplier,
  options: object,
  context: StandardEditorContext<unknown>,
  onChange: (options: object) => void,
): Map<string, OptionItem[]> {
  const into = new Map<string, OptionItem[]>();
  const walk = (supplier: Supplier, context: StandardEditorContext<unknown>, access: Access, prefix: string, parent: string[]): void => {
    const builder = new PanelOptionsEditorBuilder<unknown>();
    supplier(builder, context);
    for (const item of builder.getItems()) {
      const { path, category = parent } = item;
      if (isNested(item)) {
        const inner = item.getNestedValueAccess(access);
        const its = inner.getContext?.(context) ?? { ...context, options: access.getValue(path) };
        walk(item.getBuilder(), its, inner, `${prefix}${path}.`, category);
      } else if (!item.showIf || item.showIf(context.options, context.data, context.annotations)) {
        const change = (value: unknown) => access.onChange(path, value);
        const option = { item, key: prefix + item.id, value: access.getValue(path), onChange: change, context };
        const title = category.join(' › ');
        into.set(title, [...(into.get(title) ?? []), option]);
      }
    }
  };
  const getValue = (path: string): unknown => get(options, path);
  walk(supplier, context, { getValue, onChange: (path, value) => onChange(changed(options, path, value)) }, '', ['Panel options']);
  return into;
}
