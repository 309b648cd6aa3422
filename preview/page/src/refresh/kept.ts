// State of the page that a plugin gets as its props: it outlives the plugin's module and, as JSON, a reload of the page.
import { useCallback, useState } from 'react';

const prefix = 'preview.kept:';

export function readKept<T>(key: string): T | undefined {
  const text = sessionStorage.getItem(prefix + key);
  return text === null ? undefined : (JSON.parse(text) as T);
}

export function keep(key: string, value: unknown): void {
  try {
    sessionStorage.setItem(prefix + key, JSON.stringify(value));
  } catch {
    sessionStorage.removeItem(prefix + key); // too large, or circular: it lasts until the page is reloaded
  }
}

export function forgetKept(key: string): void {
  sessionStorage.removeItem(prefix + key);
}

/** Like useState, with a value that the session keeps under the key. */
export function useKept<T>(key: string, initial: () => T): [T, (value: T) => void] {
  const [state, set] = useState(() => ({ key, value: readKept<T>(key) ?? initial() }));
  const current = state.key === key ? state : { key, value: readKept<T>(key) ?? initial() };
  if (current !== state) {
    set(current);
  }
  const change = useCallback(
    (value: T) => {
      keep(key, value);
      set({ key, value });
    },
    [key],
  );
  return [current.value, change];
}
