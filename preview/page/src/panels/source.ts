// Where a panel's data comes from, and the data itself.
import { LoadingState, type DataFrame, type DataSourceRef, type PanelData, type TimeRange } from '@grafana/data';
import type { DataQuery } from '@grafana/schema';
import { from, of, timer, type Observable } from 'rxjs';
import { map, mergeMap, startWith } from 'rxjs/operators';
import { frameOf, spanOf } from '../data/frames';
import { scenarios } from '../data/scenarios';
import { letters } from '../data/testdata';
import { dataSources } from '../services/datasources';
import { makeRequest, runRequest } from '../services/queries';
import { storyData, type Story } from './stories';

export type Source =
  | { kind: 'scenario'; id: string }
  | { kind: 'story'; story: Story }
  | { kind: 'query'; ref: DataSourceRef; queries: DataQuery[] }
  | { kind: 'frames'; frames: DataFrame[] };

function scenarioData(id: string, range: TimeRange): Observable<PanelData> {
  const scenario = scenarios[id] ?? scenarios.series;
  const state = LoadingState[scenario.state ?? 'Done'];
  const error = state === LoadingState.Error ? { message: 'The query failed, as this scenario says' } : undefined;
  const at = (shift: number): PanelData => {
    const sheets = scenario.sheets(spanOf(range, shift));
    const series = sheets.map((sheet, i) => frameOf(sheet, letters[i % letters.length]));
    return { state, series, timeRange: range, annotations: [], structureRev: 1, error };
  };
  return scenario.state === 'Streaming' ? timer(0, 1000).pipe(map((n) => at(n * 1000))) : of(at(0));
}

/** The data of a source; it goes on for as long as the source streams. */
export function sourceData(source: Source, range: TimeRange, timezone: string): Observable<PanelData> {
  switch (source.kind) {
    case 'scenario':
      return scenarioData(source.id, range);
    case 'story':
      return storyData(source.story, range, timezone);
    case 'frames':
      return of({ state: LoadingState.Done, series: source.frames, timeRange: range, structureRev: 1 });
    case 'query':
      return from(dataSources.get(source.ref)).pipe(
        mergeMap((dataSource) => runRequest(dataSource, makeRequest({ range, timezone, targets: source.queries }))),
        startWith({ state: LoadingState.Loading, series: [], timeRange: range }),
      );
  }
}
