// The plugin object in use for each id, which a build replaces.
import { useEffect } from 'react';
import { useObservable } from 'react-use';
import { BehaviorSubject } from 'rxjs';
import { loadPlugin, type AnyPlugin } from '../services/plugins';

type Current = { state: 'loading' } | { state: 'failed'; error: unknown } | { state: 'ready'; plugin: AnyPlugin; revision: number };

const currents = new BehaviorSubject<ReadonlyMap<string, Current>>(new Map());
const loading: Current = { state: 'loading' };

function set(id: string, current: Current): void {
  currents.next(new Map([...currents.value, [id, current]]));
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

/** The plugin in use, loaded when it is first asked for. */
export function usePlugin(id: string): Current {
  useEffect(() => {
    if (!currents.value.has(id)) {
      void start(id);
    }
  }, [id]);
  return useObservable(currents, currents.value).get(id) ?? loading;
}
