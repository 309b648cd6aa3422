// Runs queries: one request as a stream of panel data, and the runner that scenes use.
import {
  compareArrayValues,
  compareDataFrameStructures,
  CoreApp,
  LoadingState,
  rangeUtil,
  toDataFrame,
  type DataFrame,
  type DataQuery,
  type DataQueryError,
  type DataQueryRequest,
  type DataQueryResponse,
  type DataSourceApi,
  type PanelData,
  type QueryRunner,
  type QueryRunnerOptions,
} from '@grafana/data';
import { from, of, ReplaySubject, type Observable, type Subscription } from 'rxjs';
import { catchError, map } from 'rxjs/operators';
import { describe, fault, noteFault } from '../observe/faults';
import { record } from '../observe/record';
import { dataSources } from './datasources';
import { manifests } from './plugins';

type QueryFunction = (request: DataQueryRequest) => Observable<DataQueryResponse> | Promise<DataQueryResponse>;

function errorOf(thrown: unknown): DataQueryError {
  const failed = thrown as { status?: number; statusText?: string; data?: DataQueryError['data'] };
  return { message: describe(thrown), status: failed?.status, statusText: failed?.statusText, data: failed?.data };
}

/** The state of a whole whose parts have these. */
export function stateOf(parts: LoadingState[]): LoadingState {
  return [LoadingState.Error, LoadingState.Loading, LoadingState.Streaming].find((s) => parts.includes(s)) ?? LoadingState.Done;
}

/** Notes the error that a data source answers: it is a fault of one of the repository, and not of one that has a stand-in. */
function answered({ type, name }: DataSourceApi, { refId, message }: DataQueryError): void {
  const text = `${refId ? `${refId}: ` : ''}${message ?? 'the data source answers with an error'}`;
  if (manifests.has(type)) {
    noteFault('query', text);
  } else {
    record.note(`The query of ${name || type} has no data here: ${text}`);
  }
}

/** Whether the data source does not want the query to be sent, such as one that is not complete. */
export function isDropped(instance: DataSourceApi, query: DataQuery): boolean {
  try {
    return !(instance.filterQuery?.(query) ?? true);
  } catch (e) {
    fault('event', e);
    return false;
  }
}

/** Runs a request. The queries of a function, such as those of variables, are not for filterQuery. Answers with different keys are parts of one; a later one with the same key replaces the earlier. */
export function runRequest(dataSource: DataSourceApi, request: DataQueryRequest, queryFunction?: QueryFunction): Observable<PanelData> {
  const packets = new Map<string, DataQueryResponse>();
  let last: DataFrame[] = [];
  let structureRev = 1;
  request.startTime ||= Date.now();
  const targets = queryFunction ? request.targets : request.targets.filter((query) => !isDropped(dataSource, query));
  const isFewer = targets.length < request.targets.length;
  if (isFewer) {
    record.note(`filterQuery of ${dataSource.name || dataSource.type} drops a query: it is not sent.`);
  }

  const merge = (packet: DataQueryResponse): PanelData => {
    packets.set(packet.key ?? 'A', packet);
    const all = [...packets.values()];
    const series = all.flatMap((p) => (p.data ?? []).map((frame: object) => toDataFrame(frame)));
    if (!compareArrayValues(series, last, compareDataFrameStructures)) {
      structureRev++;
    }
    last = series;
    const errors = all.flatMap((p) => p.errors ?? (p.error ? [p.error] : []));
    errors.forEach((e) => answered(dataSource, e));
    const states = all.map((p) => (p.error || p.errors?.length ? LoadingState.Error : (p.state ?? LoadingState.Done)));
    return {
      state: stateOf(states),
      series: series.filter((f) => f.meta?.dataTopic !== 'annotations'),
      annotations: series.filter((f) => f.meta?.dataTopic === 'annotations'),
      errors,
      error: errors[0],
      request: { ...request, endTime: Date.now() },
      timeRange: request.range,
      structureRev,
    };
  };

  let answer: ReturnType<QueryFunction>;
  try {
    if (isFewer && !targets.length) {
      return of(merge({ data: [] }));
    }
    const asked = isFewer ? { ...request, targets } : request;
    answer = queryFunction ? queryFunction(asked) : dataSource.query(asked);
  } catch (e) {
    return of(merge({ data: [], error: errorOf(e) }));
  }
  return from(answer).pipe(
    map(merge),
    catchError((e: unknown) => {
      const error = errorOf(e);
      answered(dataSource, error);
      return of({ ...merge({ data: [] }), state: LoadingState.Error, error, errors: [error] });
    }),
  );
}

let requests = 0;

/** A request of the page. */
export function makeRequest(given: Pick<DataQueryRequest, 'range' | 'targets'> & Partial<DataQueryRequest>): DataQueryRequest {
  const { interval, intervalMs } = rangeUtil.calculateInterval(given.range, given.maxDataPoints ?? 1000, given.interval);
  const intervals = { __interval: { text: interval, value: interval }, __interval_ms: { text: String(intervalMs), value: intervalMs } };
  return {
    requestId: `preview-${++requests}`,
    timezone: 'browser',
    app: CoreApp.PanelEditor,
    startTime: Date.now(),
    maxDataPoints: 1000,
    rangeRaw: given.range.raw,
    ...given,
    interval,
    intervalMs,
    scopedVars: { ...intervals, ...given.scopedVars },
  };
}

/** The runner that @grafana/runtime's createQueryRunner returns. */
class Runner implements QueryRunner {
  private readonly results = new ReplaySubject<PanelData>(1);
  private running?: Subscription;
  private last?: DataQueryRequest;

  get(): Observable<PanelData> {
    return this.results.asObservable();
  }
  run(options: QueryRunnerOptions): void {
    this.running?.unsubscribe();
    const { datasource, timeRange: range, queries: targets, timezone, app, maxDataPoints, minInterval, scopedVars, panelId } = options;
    const request = makeRequest({ range, targets, timezone, app, maxDataPoints, interval: minInterval ?? undefined, scopedVars, panelId });
    this.last = request;
    this.results.next({ state: LoadingState.Loading, series: [], timeRange: range, request });
    void (async () => {
      const instance = datasource && 'query' in datasource ? datasource : await dataSources.get(datasource ?? undefined, scopedVars);
      if (this.last === request) {
        this.running = runRequest(instance as DataSourceApi, request).subscribe((data) => this.results.next(data));
      }
    })();
  }
  cancel(): void {
    this.running?.unsubscribe();
    this.last = undefined;
  }
  destroy(): void {
    this.cancel();
    this.results.complete();
  }
}

export const makeRunner = (): QueryRunner => new Runner();
