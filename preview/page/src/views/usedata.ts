// The data of a source as state of a component.
import { LoadingState, type PanelData, type TimeRange } from '@grafana/data';
import { useEffect, useRef, useState } from 'react';
import { describe, fault } from '../observe/faults';
import { markWorking } from '../observe/network';
import { sourceData, type Source } from '../panels/source';
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
