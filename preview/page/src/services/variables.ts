// The template service: variables of the story or of the page, those of the scope, and the built-in ones.
import { VariableHide, type ScopedVars, type TimeRange, type TypedVariableModel } from '@grafana/data';
import type { TemplateSrv, VariableInterpolation } from '@grafana/runtime';
import { get } from 'lodash';
import { record } from '../observe/record';
import { macro } from './macros';
import { choices, currentValue, withAddress, type StoredVariable } from './stored';
import { containsVariable, replaceVariables, type Format, type Variable } from './template';

class Variables implements TemplateSrv {
  private saved: StoredVariable[] = [];
  private range?: TimeRange;
  timeZone = 'browser';

  set(stored: StoredVariable[]): void {
    this.saved = stored;
  }
  private get stored(): StoredVariable[] {
    return withAddress(this.saved, location.search);
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
    record.note('The plugin asked for ad hoc filters; there are none here.');
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
      return path ? { value: get(inScope.value, path) } : inScope;
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
      case '__all_variables': {
        const pairs = this.stored.flatMap((v) =>
          [currentValue(v).value].flat().map((x) => `var-${v.name}=${encodeURIComponent(String(x))}`),
        );
        return { value: pairs.join('&') };
      }
      default:
        return undefined;
    }
  }
}

export const variables = new Variables();
