// The options and field configuration of the panel that is shown, kept while the plugin's module is replaced.
import type { PanelPlugin } from '@grafana/data';
import { useCallback, useEffect, useState } from 'react';
import { fault } from '../observe/faults';
import { markWorking } from '../observe/network';
import { initialState, type PanelState, type StoredPanel } from '../panels/panel';
import { forgetKept, keep, readKept } from '../refresh/kept';

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
