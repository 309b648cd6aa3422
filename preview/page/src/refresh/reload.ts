// What happens when the author saves: the server says so, and the new module takes the place of the old.
import { AppPlugin } from '@grafana/data';
import { record } from '../observe/record';
import { dataSources } from '../services/datasources';
import { replaceApp } from '../services/extensions';
import { loadPlugin, manifests, presentPlugin } from '../services/plugins';
import { use } from './current';

export type Part = 'frontend' | 'backend' | 'assets';

/** Each evaluation of a module leaves some memory behind; after so many the page starts anew, with its state. */
const mostSwaps = 50;
let swaps = 0;

/** How long the last replacement took, in milliseconds. */
export let lastSwap: number | undefined;

const backendListeners = new Set<() => void>();

/** Calls back when a backend has been built again, so that queries run again. */
export function onBackend(listener: () => void): () => void {
  backendListeners.add(listener);
  return () => backendListeners.delete(listener);
}

/**
 * Evaluates the new module. React Fast Refresh replaces the components that are registered, keeping their state if they still
 * call the same hooks; others are mounted anew with the options, queries and settings, which the page keeps.
 */
export async function swap(id: string): Promise<void> {
  const begun = performance.now();
  if (++swaps > mostSwaps || !presentPlugin(id)) {
    location.reload(); // a plugin that never loaded cannot be replaced
    return;
  }
  let plugin;
  try {
    plugin = await loadPlugin(id, String(Date.now()));
  } catch {
    return; // the fault is noted, and what was there before stays on the screen
  }
  record.clear(({ kind }) => kind !== 'build' && kind !== 'types');
  window.__refresh?.();
  dataSources.forget(id);
  if (plugin instanceof AppPlugin) {
    replaceApp(plugin);
  }
  use(id, plugin);
  requestAnimationFrame(() => (lastSwap = performance.now() - begun));
}

let earlier = Promise.resolve();

/** Puts a build in use, after those before it: a module that is slow to load must not take the place of a newer one. */
export function changed(id: string, parts: Part[]): Promise<void> {
  const done = earlier.then(() => putInUse(id, parts));
  earlier = done.catch(() => undefined);
  return done;
}

async function putInUse(id: string, parts: Part[]): Promise<void> {
  if (!manifests.has(id) || parts.includes('assets')) {
    location.reload();
    return;
  }
  if (parts.includes('frontend')) {
    await swap(id);
  }
  if (parts.includes('backend')) {
    record.clear(({ kind }) => kind === 'query' || kind === 'health');
    dataSources.forget(id);
    backendListeners.forEach((listener) => listener());
  }
}
