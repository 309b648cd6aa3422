// The settings of a view are in the query of the address, where a link keeps them.
import type { TimeRange } from '@grafana/data';
import { locationService } from '@grafana/runtime';
import { useLocation } from 'react-router-dom-v5-compat';
import { useMemo } from 'react';
import { timeRange } from '../data/frames';

export type Settings = ReturnType<typeof useSettings>;

export function useSettings() {
  const { search } = useLocation();
  return useMemo(() => {
    const query = new URLSearchParams(search);
    const get = (name: string) => query.get(name) ?? undefined;
    return {
      get,
      number: (name: string, otherwise: number) => Number(get(name)) || otherwise,
      set: (changes: { [name: string]: string | number | undefined }) => {
        const { pathname, search } = locationService.getLocation();
        const next = new URLSearchParams(search); // in which a bare % is one
        for (const [name, value] of Object.entries(changes)) {
          next.set(name, String(value ?? ''));
          if (value === undefined || value === '') {
            next.delete(name);
          }
        }
        locationService.replace({ pathname, search: next.toString() });
      },
    };
  }, [search]);
}

/** The range of time that the address asks for, from now on. */
export const rangeOf = (settings: Settings) => timeRange({ from: settings.get('from') ?? 'now-1h', to: settings.get('to') ?? 'now' });

/** Puts a range into the address. */
export const setRange = (settings: Settings, { raw }: TimeRange) =>
  settings.set({ from: String(raw.from.valueOf()), to: String(raw.to.valueOf()) });

/** The same, as every editor of queries has it from the first drawing on. */
export function useTimeRange(): TimeRange {
  const settings = useSettings();
  return useMemo(() => rangeOf(settings), [settings]);
}
