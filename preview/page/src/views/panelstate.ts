// What a view of a panel holds as state: the data of a source, and the panel's options and field configuration, which are kept
// while the plugin's module is replaced.
import { LoadingState, type PanelData, type PanelPlugin, type TimeRange } from '@grafana/data';
import { useCallback, useEffect, useRef, useState } from 'react';
import { describe, fault } from '../observe/faults';
import { markWorking } from '../observe/network';
import { initialState, type PanelState, type StoredPanel } from '../panels/panel';
import { sourceData, type Source } from '../panels/source';
import { forgetKept, keep, readKept } from '../refresh/kept';
import { onBackend } from '../refresh/reload';

/** Follows the data; "run" is counted up to ask again. A backend that was built again is asked again, too. */
export function usePanelData(source: Source, range: TimeRange, timeZone: string, run = 0): PanelData {
  const [data, setData] = useState<PanelData>({ state: LoadingState.Loading, series: [], timeRange: range });
  const answered = useRef<Source>();
  const [builds, setBuilds] = useState(0);
  useEffect(() => onBackend(() => setBuilds((n) => n + 1)), []);
  useEffect(() => {
    const key = `data ${Math.random()}`;
    const isAwaited = source.kind === 'story' || source.kind === 'query';
    markWorking(key, isAwaited);
    const subscription = sourceData(source, range, timeZone).subscribe({
      next: (next) => {
        const isAgain = answered.current === source && next.state === LoadingState.Loading && !next.series.length;
        answered.current = source;
        setData((before) => (isAgain ? { ...next, series: before.series } : next)); // what is asked for again stays until its answer
        markWorking(key, isAwaited && next.state === LoadingState.Loading);
      },
      error: (e: unknown) => {
        fault('load', e);
        setData({ state: LoadingState.Error, series: [], timeRange: range, error: { message: describe(e) } });
        markWorking(key, false);
      },
    });
    return () => {
      subscription.unsubscribe();
      markWorking(key, false);
    };
  }, [source, range, timeZone, run, builds]);
  return data;
}

/** Begins with what was edited under the key in this session, else with the stored panel. */
export function usePanelState(key: string, plugin: PanelPlugin, stored: StoredPanel) {
  const [held, setHeld] = useState<{ key: string; state: PanelState; isEdited: boolean }>();
  const [resets, setResets] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    const kept = readKept<PanelState>(key);
    const from: StoredPanel = kept ? { ...kept, pluginVersion: plugin.meta.info.version } : stored;
    markWorking(key, true);
    initialState(plugin, from)
      .then((state) => isCurrent && setHeld({ key, state, isEdited: kept !== undefined }))
      .catch((e: unknown) => fault('load', e))
      .finally(() => markWorking(key, false));
    return () => {
      isCurrent = false;
    };
  }, [key, plugin, stored, resets]);
  const change = useCallback((changes: Partial<PanelState>) => {
    setHeld((held) => {
      if (!held) {
        return held;
      }
      const state = { ...held.state, ...changes };
      keep(held.key, state);
      return { ...held, state, isEdited: true };
    });
  }, []);
  const reset = useCallback(() => {
    forgetKept(key);
    setResets((n) => n + 1);
  }, [key]);
  return { state: held?.key === key ? held.state : undefined, isEdited: held?.isEdited ?? false, change, reset };
}
