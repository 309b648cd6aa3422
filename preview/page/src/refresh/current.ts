// The plugin object in use for each id, which a build replaces.
import { useEffect, useSyncExternalStore } from 'react';
import { loadPlugin, type AnyPlugin } from '../services/plugins';

type Current = { state: 'loading' } | { state: 'failed'; error: unknown } | { state: 'ready'; plugin: AnyPlugin; revision: number };

const currents = new Map<string, Current>();
const listeners = new Set<() => void>();
const loading: Current = { state: 'loading' };

function set(id: string, current: Current): void {
  currents.set(id, current);
  listeners.forEach((listener) => listener());
}

let revisions = 0;

/** Puts a plugin in use; the components that draw it are drawn again. */
export function use(id: string, plugin: AnyPlugin): void {
  set(id, { state: 'ready', plugin, revision: ++revisions });
}

async function start(id: string): Promise<void> {
  set(id, loading);
  try {
    use(id, await loadPlugin(id));
  } catch (error) {
    set(id, { state: 'failed', error });
  }
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The plugin in use, loaded when it is first asked for. */
export function usePlugin(id: string): Current {
  useEffect(() => {
    if (!currents.has(id)) {
      void start(id);
    }
  }, [id]);
  return useSyncExternalStore(subscribe, () => currents.get(id) ?? loading);
}
