// The editor of queries for variables, in any of the ways in which a data source can have one.
import {
  VariableSupportType,
  type DataQuery,
  type DataSourceApi,
  type DataSourceInstanceSettings,
  type MetricFindValue,
} from '@grafana/data';
import { Button, Field, Input } from '@grafana/ui';
import { useState, type ComponentType } from 'react';
import { Link } from 'react-router-dom-v5-compat';
import { lastValueFrom } from 'rxjs';
import { fault } from '../observe/faults';
import { useKept } from '../refresh/kept';
import type { AnyDataSourcePlugin } from '../services/plugins';
import { makeRequest, runRequest } from '../services/queries';
import { useTimeRange } from './address';
import { Boundary } from './boundary';

interface VariableSupport {
  getType(): VariableSupportType;
  editor?: ComponentType<any>; // takes the data source's own query
  toDataQuery?(query: unknown): DataQuery;
  query?: Parameters<typeof runRequest>[2];
}

/** The texts of an answer's first text field, or of its first field. */
async function values(answer: ReturnType<typeof runRequest>): Promise<MetricFindValue[]> {
  const { series, error } = await lastValueFrom(answer);
  if (error) {
    throw new Error(error.message);
  }
  const field = series[0]?.fields.find((f) => f.type === 'string') ?? series[0]?.fields[0];
  return (field?.values ?? []).map((value) => ({ text: String(value) }));
}

interface Props {
  plugin: AnyDataSourcePlugin;
  instance: DataSourceApi;
  settings: DataSourceInstanceSettings;
}

export function VariablePane({ plugin, instance, settings }: Props) {
  const support = instance.variables as unknown as VariableSupport | undefined;
  const [query, setQuery] = useKept<unknown>(`variable:${settings.type}`, () => (support ? { refId: 'A' } : ''));
  const [found, setFound] = useState<MetricFindValue[]>();
  const range = useTimeRange();
  const kind = support?.getType();
  const LegacyEditor = plugin.components.VariableQueryEditor as
    ComponentType<{ datasource: DataSourceApi; query: unknown; onChange(query: unknown, definition: string): void }> | undefined;
  const Editor = support?.editor ?? (kind === VariableSupportType.Datasource ? instance.components?.QueryEditor : undefined);
  const ask = async () => {
    const isStandard = kind === VariableSupportType.Standard;
    const target = isStandard ? support?.toDataQuery?.(query) : support && { ...(query as DataQuery), refId: 'A' };
    if (target) {
      return values(runRequest(instance, makeRequest({ range, targets: [target] }), support?.query?.bind(support)));
    }
    if (!instance.metricFindQuery) {
      throw new Error('the data source has neither variables nor metricFindQuery');
    }
    return instance.metricFindQuery(query, { range, variable: { name: 'preview' } });
  };
  const run = () => void ask().then(setFound, (e: unknown) => fault('event', e));
  if (!Editor && !LegacyEditor && !support && !instance.metricFindQuery) {
    return <p>The data source does not support variables: it has neither the property "variables" nor the method metricFindQuery.</p>;
  }
  const text = typeof query === 'string' ? query : ((query as { query?: string }).query ?? '');
  return (
    <>
      <Boundary what="the variable editor" dependencies={[Editor, LegacyEditor, query]}>
        {Editor ? (
          <Editor datasource={instance} query={query as DataQuery} range={range} onChange={setQuery} onRunQuery={run} />
        ) : LegacyEditor ? (
          <LegacyEditor datasource={instance} query={query} onChange={(changed) => setQuery(changed)} />
        ) : (
          <Field label="Query">
            <Input
              id="variable-query"
              value={text}
              onChange={(e) => setQuery(support ? { refId: 'A', query: e.currentTarget.value } : e.currentTarget.value)}
            />
          </Field>
        )}
      </Boundary>
      <Button icon="play" className="preview-action" onClick={run}>
        Run query
      </Button>
      {found && (
        <section aria-label="Answer" className="preview-answer">
          <p>
            {found.length
              ? 'Choose a value to open the query editor with it as ${preview}. In any address, &var-name=value sets ${name}.'
              : 'The query returned no values.'}
          </p>
          <ul aria-label="Values of the variable">
            {found.slice(0, 200).map((v, i) => (
              <li key={i}>
                <Link className="preview-link" to={`?tab=query&var-preview=${encodeURIComponent(v.text)}`}>
                  {v.text}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
