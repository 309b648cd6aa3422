// Replaces variables in text: $name, ${name.field:format} and [[name:format]].
import type { VariableInterpolation } from '@grafana/runtime';
import { formats } from './formats';

export interface Variable {
  value: unknown;
  text?: unknown;
}

/** Gives the value of a name; undefined leaves the expression as it is. */
export type Lookup = (name: string, fieldPath: string | undefined, format: string | undefined) => Variable | undefined;

export type Format = string | ((value: unknown, variable: object, fallback?: unknown) => string);

const pattern = /\$(\w+)|\[\[(\w+?)(?::(\w+))?\]\]|\$\{(\w+)(?:\.([^:^}]+))?(?::([^}]+))?\}/g;

export function containsVariable(text: string): boolean {
  return new RegExp(pattern).test(text);
}

function written(variable: Variable, name: string, format: Format | undefined): string {
  const { value, text = value } = variable;
  if (typeof format === 'function') {
    return format(value, { name, type: 'custom', multi: Array.isArray(value), includeAll: false });
  }
  const [id, ...argument] = (format ?? 'glob').split(':');
  if (value !== null && typeof value === 'object' && !Array.isArray(value) && !format) {
    return JSON.stringify(value);
  }
  return (formats[id] ?? formats.glob)(value, argument.join(':') || undefined, name, text);
}

export function replaceVariables(text: string, lookup: Lookup, format?: Format, found?: VariableInterpolation[]): string {
  return text.replace(pattern, (match, plain, bracket, bracketFormat, brace, fieldPath, braceFormat) => {
    const name: string = plain ?? bracket ?? brace;
    const own: string | undefined = bracketFormat ?? braceFormat;
    const variable = lookup(name, fieldPath, own);
    const value = variable ? written(variable, name, own ?? format) : match;
    found?.push({ match, variableName: name, fieldPath, format: own, value, found: variable !== undefined });
    return value;
  });
}
