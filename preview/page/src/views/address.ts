// The settings of a view are in the query of the address, where a link keeps them.
import type { TimeRange } from '@grafana/data';
import { locationService } from '@grafana/runtime';
import { mapValues } from 'lodash';
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
        const next = mapValues(changes, (value) => (value === '' ? undefined : value));
        locationService.partial(next, true);
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
