// What a promise gives, as state of a component.
import { useEffect, useState } from 'react';
import { fault } from '../observe/faults';
import type { FaultKind } from '../observe/record';

/** The latest result, which is asked for again when a dependency changes. A failure is noted, and leaves what was there. */
export function useLoaded<T>(load: () => Promise<T>, dependencies: unknown[], kind: FaultKind = 'load'): T | undefined {
  const [loaded, setLoaded] = useState<T>();
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (result) => isCurrent && setLoaded(() => result),
      (e: unknown) => fault(kind, e),
    );
    return () => {
      isCurrent = false;
    };
  }, dependencies);
  return loaded;
}
