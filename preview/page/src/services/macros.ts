// The variables that depend on where in the data an expression is: ${__field.name}, ${__value.raw}, ${__data.fields.x}.
import {
  formattedValueToString,
  getDisplayProcessor,
  getFieldDisplayName,
  type DataContextScopedVar,
  type DataFrame,
  type Field,
  type ScopedVars,
} from '@grafana/data';
import { config } from '@grafana/runtime';
import { get } from 'lodash';
import type { Variable } from './template';

function shown(field: Field, value: unknown): string {
  return formattedValueToString((field.display ?? getDisplayProcessor({ field, theme: config.theme2 }))(value));
}

type Context = DataContextScopedVar['value'];

function valueMacro({ frame, field, rowIndex = 0, calculatedValue }: Context, path: string | undefined): unknown {
  const raw: unknown = field.values[rowIndex];
  switch (path) {
    case 'numeric':
      return calculatedValue?.numeric ?? Number(raw);
    case 'text':
      return calculatedValue ? formattedValueToString(calculatedValue) : shown(field, raw);
    case 'time':
      return frame.fields.find((f) => f.type === 'time')?.values[rowIndex];
    default:
      return calculatedValue?.numeric ?? raw;
  }
}

/** Values of a row by the name or the number of a field: __data.fields.name, __data.fields["a b"].text. */
function fieldsMacro(frame: DataFrame, row: number, path: string): unknown {
  const match = /^fields(?:\.(\w+)|\[["']?(.*?)["']?\])(?:\.(\w+))?$/.exec(path);
  const name = match?.[1] ?? match?.[2] ?? '';
  const field = frame.fields.find((f) => f.name === name || getFieldDisplayName(f, frame) === name) ?? frame.fields[Number(name)];
  return field && (match?.[3] === 'text' ? shown(field, field.values[row]) : field.values[row]);
}

export function macro(name: string, path: string | undefined, scoped: ScopedVars | undefined): Variable | undefined {
  const context = (scoped?.__dataContext as DataContextScopedVar | undefined)?.value;
  if (!context || !/^__(field|value|series|data)$/.test(name)) {
    return undefined;
  }
  const { frame, field, rowIndex = 0 } = context;
  const displayName = getFieldDisplayName(field, frame);
  switch (name) {
    case '__field':
      return { value: path?.startsWith('labels') ? (get(field, path) ?? '') : /^(displayName|name)$/.test(path ?? '') ? displayName : '' };
    case '__series':
      return { value: frame.name ?? displayName };
    case '__value':
      return { value: valueMacro(context, path) ?? '' };
    default:
      return { value: (path?.startsWith('fields') ? fieldsMacro(frame, rowIndex, path) : path ? get(frame, path) : frame) ?? '' };
  }
}
