// Variables as dashboards store them.
import type { VariableModel, VariableOption } from '@grafana/schema';
import type { Variable } from './template';

/** A variable as a dashboard stores it. */
export interface StoredVariable extends Omit<Partial<VariableModel>, 'type' | 'current'> {
  name: string;
  type: string;
  current?: Partial<VariableOption>;
}

/** The choices of a custom variable, from its text "a, b : c". */
export function choices(variable: StoredVariable): VariableOption[] {
  if (variable.type === 'custom' && typeof variable.query === 'string') {
    return [...variable.query.matchAll(/(?:\\,|[^,])+/g)].map(([part]) => {
      const [text, value = text] = part
        .replaceAll('\\,', ',')
        .split(/\s:\s/)
        .map((s) => s.trim());
      return { text, value };
    });
  }
  return variable.options ?? [];
}

/** What a dashboard stores as the current value; "All" stands for every choice. */
export function currentValue(variable: StoredVariable): Variable {
  const { value, text } = variable.current ?? {};
  if ([value].flat().includes('$__all')) {
    const all = choices(variable).flatMap((choice) => (choice.value === '$__all' ? [] : choice.value));
    return { value: variable.allValue || all, text: 'All' };
  }
  return { value: value ?? (typeof variable.query === 'string' ? variable.query : ''), text };
}

/** The variables with the values that the address gives them: "var-host=a" for ${host}, whether it is stored or not. */
export function withAddress(stored: StoredVariable[], search: string): StoredVariable[] {
  const query = new URLSearchParams(search);
  const given = new Set([...query.keys()].filter((key) => key.startsWith('var-')).map((key) => key.slice('var-'.length)));
  return [...given].reduce((all, name) => {
    const values = query.getAll(`var-${name}`);
    const value = values.length > 1 ? values : values[0];
    const known = all.find((v) => v.name === name) ?? { name, type: 'custom' };
    return [...all.filter((v) => v !== known), { ...known, current: { text: value, value } }];
  }, stored);
}
