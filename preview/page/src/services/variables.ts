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
    const shared = { hide: VariableHide.dontHide, skipUrlSync: false };
    return this.stored.map((v) => ({ ...v, ...shared, id: v.name, options: choices(v), current: v.current ?? {} }) as never);
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
    return replaceVariables(target, (name, path) => this.find(name, path, scoped), format as Format | undefined, found);
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
    const [from, to] = [this.range?.from.valueOf(), this.range?.to.valueOf()];
    const all = this.stored.flatMap((v) => [currentValue(v).value].flat().map((x) => `var-${v.name}=${encodeURIComponent(String(x))}`));
    const values = new Map<string, unknown>([
      ['__from', from],
      ['__to', to],
      ['__timezone', this.timeZone],
      ['__user', { id: '1', login: 'preview', email: 'preview@localhost' }[path ?? 'login'] ?? ''],
      ['__org', path === 'name' ? 'Main' : '1'],
      ['__dashboard', path === 'uid' ? 'preview' : 'Preview'],
      ['__url_time_range', `from=${from ?? ''}&to=${to ?? ''}`],
      ['__all_variables', all.join('&')],
    ]);
    const value = values.get(name);
    return value === undefined ? undefined : { value };
  }
}

export const variables = new Variables();
