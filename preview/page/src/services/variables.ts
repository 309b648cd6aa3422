// The template service: variables of the story or of the page, those of the scope, and the built-in ones.
import { VariableHide, type ScopedVars, type TimeRange, type TypedVariableModel } from '@grafana/data';
import type { TemplateSrv, VariableInterpolation } from '@grafana/runtime';
import { macro } from './macros';
import { containsVariable, replaceVariables, valueAt, type Format, type Variable } from './template';

/** A variable as a dashboard stores it. */
export interface StoredVariable {
  name: string;
  type: string;
  label?: string;
  query?: unknown;
  multi?: boolean;
  includeAll?: boolean;
  allValue?: string;
  options?: { text: string; value: string; selected?: boolean }[];
  current?: { text?: string | string[]; value?: string | string[] };
}

/** The choices of a custom variable, from its text "a, b : c". */
export function choices(variable: StoredVariable): { text: string; value: string }[] {
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
    return {
      value:
        variable.allValue ||
        choices(variable)
          .map((c) => c.value)
          .filter((v) => v !== '$__all'),
      text: 'All',
    };
  }
  return { value: value ?? (typeof variable.query === 'string' ? variable.query : ''), text };
}

export class Variables implements TemplateSrv {
  private stored: StoredVariable[] = [];
  private range?: TimeRange;
  timeZone = 'browser';

  set(stored: StoredVariable[]): void {
    this.stored = stored;
  }

  getVariables(): TypedVariableModel[] {
    return this.stored.map(
      (v) =>
        ({
          ...v,
          id: v.name,
          options: choices(v),
          current: v.current ?? {},
          hide: VariableHide.dontHide,
          skipUrlSync: false,
        }) as unknown as TypedVariableModel,
    );
  }
  /** The older name of the same, which plugins still use. */
  get variables(): TypedVariableModel[] {
    return this.getVariables();
  }
  getAdhocFilters(): [] {
    return [];
  }
  containsTemplate(target?: string): boolean {
    return !!target && containsVariable(target);
  }
  updateTimeRange(range: TimeRange): void {
    this.range = range;
  }
  getVariableName(expression: string): string | undefined {
    return /^\$\{?(\w+)/.exec(expression)?.[1];
  }

  replace(target?: string, scoped?: ScopedVars, format?: string | Function, found?: VariableInterpolation[]): string {
    if (typeof target !== 'string') {
      return target ?? '';
    }
    return replaceVariables(target, (name, path) => this.find(name, path, scoped), format as Format | undefined, found as never);
  }

  private find(name: string, path: string | undefined, scoped?: ScopedVars): Variable | undefined {
    const inScope = scoped?.[name];
    if (inScope) {
      return path ? { value: valueAt(inScope.value, path) } : inScope;
    }
    const stored = this.stored.find((v) => v.name === name);
    if (stored) {
      return currentValue(stored);
    }
    return macro(name, path, scoped) ?? this.builtIn(name, path);
  }

  private builtIn(name: string, path: string | undefined): Variable | undefined {
    const time = (t: number | undefined) => (t === undefined ? undefined : { value: t });
    switch (name) {
      case '__from':
        return time(this.range?.from.valueOf());
      case '__to':
        return time(this.range?.to.valueOf());
      case '__timezone':
        return { value: this.timeZone };
      case '__user':
        return { value: { id: '1', login: 'preview', email: 'preview@localhost' }[path ?? 'login'] ?? '' };
      case '__org':
        return { value: path === 'name' ? 'Main' : '1' };
      case '__dashboard':
        return { value: path === 'uid' ? 'preview' : 'Preview' };
      case '__url_time_range':
        return { value: `from=${this.range?.from.valueOf() ?? ''}&to=${this.range?.to.valueOf() ?? ''}` };
      case '__all_variables':
        return {
          value: this.stored
            .map((v) =>
              [currentValue(v).value]
                .flat()
                .map((x) => `var-${v.name}=${encodeURIComponent(String(x))}`)
                .join('&'),
            )
            .join('&'),
        };
      default:
        return undefined;
    }
  }
}

export const variables = new Variables();
