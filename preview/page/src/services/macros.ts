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

function valueMacro(
  field: Field,
  raw: unknown,
  calculated: DataContextScopedVar['value']['calculatedValue'],
  path: string | undefined,
  frame: DataFrame,
  row: number,
): unknown {
  switch (path) {
    case 'numeric':
      return calculated?.numeric ?? Number(raw);
    case 'text':
      return calculated ? formattedValueToString(calculated) : shown(field, raw);
    case 'time':
      return frame.fields.find((f) => f.type === 'time')?.values[row];
    default:
      return calculated?.numeric ?? raw;
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
  const { frame, field, rowIndex = 0, calculatedValue } = context;
  switch (name) {
    case '__field':
      return {
        value: path?.startsWith('labels')
          ? (get(field, path) ?? '')
          : path === 'displayName' || path === 'name'
            ? getFieldDisplayName(field, frame)
            : '',
      };
    case '__series':
      return { value: frame.name ?? getFieldDisplayName(field, frame) };
    case '__value':
      return { value: valueMacro(field, field.values[rowIndex], calculatedValue, path, frame, rowIndex) ?? '' };
    default:
      return { value: (path?.startsWith('fields') ? fieldsMacro(frame, rowIndex, path) : path ? get(frame, path) : frame) ?? '' };
  }
}
