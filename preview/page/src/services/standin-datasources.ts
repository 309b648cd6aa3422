// Data sources that the interface has and npm does not, as far as saved panels need them, and one for those that are not mounted.
import {
  DataSourceApi,
  LoadingState,
  type DataQueryRequest,
  type DataQueryResponse,
  type DataSourceInstanceSettings,
  type DataSourcePluginMeta,
  type TestDataSourceResponse,
} from '@grafana/data';
import type { DataQuery } from '@grafana/schema';
import { memoize } from 'lodash';
import { defer, merge, of, timer, type Observable } from 'rxjs';
import { delay, map } from 'rxjs/operators';
import { frameFromAny, frameOf, spanOf } from '../data/frames';
import { testData, type TestDataQuery } from '../data/testdata';
import { record } from '../observe/record';
import { manifests, metaOf } from './plugins';
import { variables } from './variables';

/** The settings of a data source that nobody configured. */
export function standInSettings(uid: string, type: string, name: string): DataSourceInstanceSettings {
  const meta: DataSourcePluginMeta = { ...metaOf(manifests.get(type) ?? { id: type, name, type: 'datasource' }), metrics: true };
  return { id: 0, uid, type, name, meta, access: 'proxy', url: `/api/datasources/proxy/uid/${uid}`, readOnly: true, jsonData: {} };
}

abstract class Computed<Q extends DataQuery> extends DataSourceApi<Q> {
  constructor(settings: DataSourceInstanceSettings) {
    super(settings);
    this.meta = settings.meta;
  }
  abstract answer(query: Q, request: DataQueryRequest<Q>): Observable<DataQueryResponse>;

  query(request: DataQueryRequest<Q>): Observable<DataQueryResponse> {
    const targets = request.targets.filter((query) => !query.hide);
    return targets.length ? merge(...targets.map((query) => this.answer(query, request))) : of({ data: [] });
  }
  testDatasource(): Promise<TestDataSourceResponse> {
    return Promise.resolve({ status: 'success', message: `The preview computes the data of ${this.name}.` });
  }
}

/** The test data source. */
class TestData extends Computed<TestDataQuery & DataQuery> {
  answer(query: TestDataQuery & DataQuery, request: DataQueryRequest): Observable<DataQueryResponse> {
    const csvContent = query.csvContent && variables.replace(query.csvContent, request.scopedVars);
    const alias = query.alias && variables.replace(query.alias, request.scopedVars);
    const respond = (shift = 0): DataQueryResponse => {
      const given = testData({ ...query, csvContent, alias }, spanOf(request.range, shift));
      const frames = [
        ...given.sheets.map((sheet) => frameOf(sheet, query.refId)),
        ...(given.frames ?? []).map((frame) => frameFromAny(frame, query.refId)),
      ];
      if (given.error) {
        record.note(`The query ${query.refId} of the test data source failed: ${given.error}.`);
      }
      const error = given.error ? { refId: query.refId, message: given.error } : undefined;
      return { key: query.refId, data: frames, state: error ? LoadingState.Error : LoadingState.Done, error };
    };
    switch (query.scenarioId) {
      case 'streaming_client':
      case 'live':
        return timer(0, 1000).pipe(map((n) => ({ ...respond(n * 1000), state: LoadingState.Streaming })));
      case 'slow_query':
        return defer(() => of(respond())).pipe(delay(2000));
      default:
        return defer(() => of(respond()));
    }
  }
}

type OwnQuery = DataQuery & { snapshot?: object[] };

/** The interface's own data source: a random walk, and measurements of a channel. */
class Own extends Computed<OwnQuery> {
  private readonly tests = new TestData(standInSettings('testdata', 'grafana-testdata-datasource', 'TestData'));

  answer(query: OwnQuery, request: DataQueryRequest): Observable<DataQueryResponse> {
    switch (query.queryType ?? 'randomWalk') {
      case 'randomWalk':
        return this.tests.answer({ ...query, scenarioId: 'random_walk' }, request);
      case 'measurements':
        return this.tests.answer({ ...query, scenarioId: 'streaming_client', alias: 'Value' }, request);
      case 'snapshot':
        return of({ data: (query.snapshot ?? []).map((frame) => frameFromAny(frame, query.refId)) });
      default:
        record.note(`The interface's own data source does not answer "${query.queryType}" here.`);
        return of({ data: [] });
    }
  }
}

type StaticQuery = DataQuery & { frame?: { fields?: { type?: string; values: unknown[] }[] } };

/** A data source whose queries contain their frames. */
class Static extends Computed<StaticQuery> {
  answer(query: StaticQuery, request: DataQueryRequest): Observable<DataQueryResponse> {
    if (!query.frame?.fields) {
      return of({ data: [] });
    }
    const fill = (value: unknown) => (typeof value === 'string' ? variables.replace(value, request.scopedVars, 'csv') : value);
    const fields = query.frame.fields.map((field) => (field.type === 'string' ? { ...field, values: field.values.map(fill) } : field));
    const frame = frameFromAny({ ...query.frame, fields }, query.refId);
    return of({ key: query.refId, data: [{ ...frame, refId: query.refId }] });
  }
}

/** A data source that is not here. */
class Absent extends Computed<DataQuery> {
  answer(): Observable<DataQueryResponse> {
    if (this.type !== this.uid) {
      // else there is only a name, which a note has
      record.note(`No data source of the type ${this.type} is mounted: its queries have no data here.`);
    }
    return of({ data: [] });
  }
  metricFindQuery = () => Promise.resolve([]);
  getTagKeys = this.metricFindQuery;
  getTagValues = this.metricFindQuery;
}

const kinds: Record<string, new (settings: DataSourceInstanceSettings) => DataSourceApi<any>> = {
  // each takes queries of its own
  testdata: TestData,
  'grafana-testdata-datasource': TestData,
  datasource: Own,
  grafana: Own,
  'marcusolsson-static-datasource': Static,
};

/** Whether the preview computes the data of this type. */
export function isComputed(type: string): boolean {
  return type in kinds;
}

/** The stand-in for a data source; the same one each time. */
export const standIn = memoize(
  (uid: string, type: string) => new (kinds[type] ?? Absent)(standInSettings(uid, type, type === 'datasource' ? '-- Grafana --' : type)),
  (uid, type) => `${type}/${uid}`,
);
