// A query of a data source, with its plugin's editor.
import {
  CoreApp,
  DataSourcePluginContextProvider,
  type DataQuery,
  type DataSourceApi,
  type DataSourceInstanceSettings,
  type PanelData,
  type QueryEditorProps,
} from '@grafana/data';
import { Button } from '@grafana/ui';
import { useEffect, type ComponentType } from 'react';
import { bare } from '../boot/boot';
import { dataSources } from '../services/datasources';
import { manifests } from '../services/plugins';
import { isDropped } from '../services/queries';
import { useLoaded } from '../services/useloaded';
import { useTimeRange } from './address';
import { Boundary } from './boundary';

interface Props {
  instance: DataSourceApi;
  settings: DataSourceInstanceSettings;
  query: DataQuery;
  data?: PanelData;
  onChange: (query: DataQuery) => void;
  onRun: () => void;
}

/** The query that an editor begins with. */
export function firstQuery(instance: DataSourceApi): DataQuery {
  return { ...instance.getDefaultQuery?.(CoreApp.PanelEditor), refId: 'A', datasource: { type: instance.type, uid: instance.uid } };
}

export function QueryPane({ instance, settings, query, data, onChange, onRun }: Props) {
  const range = useTimeRange();
  const { QueryEditor, QueryEditorHelp } = instance.components ?? {};
  if (!QueryEditor) {
    const isPlugins = manifests.has(settings.type); // else a stand-in, or a name in the address
    return <p>{`${settings.name} has no query editor${isPlugins ? ': setQueryEditor was not called' : ' here'}.`}</p>;
  }
  const set = (other: DataQuery) => onChange({ ...other, refId: query.refId });
  const Editor = QueryEditor as ComponentType<QueryEditorProps<DataSourceApi, DataQuery>>;
  return (
    <DataSourcePluginContextProvider instanceSettings={settings}>
      <Boundary what="the query editor" dependencies={[Editor, query, instance]}>
        {/* the query itself: some editors complete the object that they are given, and the data source needs the rest */}
        <Editor
          {...{ query, data, onChange }}
          datasource={instance}
          queries={[query]}
          range={data?.timeRange ?? range}
          app={CoreApp.PanelEditor}
          history={[]}
          onRunQuery={onRun}
          onAddQuery={set}
        />
      </Boundary>
      <Button icon="play" className="preview-action" data-preview-own onClick={onRun}>
        Run query
      </Button>
      {isDropped(instance, query) && (
        <p className="preview-action" data-preview-own>
          filterQuery of the data source drops this query: it is not sent.
        </p>
      )}
      {!bare && (
        <details className="preview-action">
          <summary>JSON of the query</summary>
          <pre tabIndex={0}>{JSON.stringify(query, null, 2)}</pre>
        </details>
      )}
      {QueryEditorHelp && (
        <details className="preview-action">
          <summary>Help of the query editor</summary>
          <Boundary what="the help" dependencies={[QueryEditorHelp]}>
            <QueryEditorHelp datasource={instance} query={query} onClickExample={set} />
          </Boundary>
        </details>
      )}
    </DataSourcePluginContextProvider>
  );
}

interface PanelQueryProps extends Pick<Props, 'settings' | 'data' | 'onRun'> {
  queries: DataQuery[];
  onChange(queries: DataQuery[]): void;
}

/** The query whose answer a panel draws. */
export function PanelQuery({ settings, queries, data, onChange, onRun }: PanelQueryProps) {
  const instance = useLoaded(() => dataSources.get(settings.uid), [settings]);
  useEffect(() => {
    if (instance && !queries.length) {
      onChange([firstQuery(instance)]);
    }
  }, [instance, queries.length, onChange]);
  if (!instance || !queries.length) {
    return null;
  }
  return (
    <section aria-label={`Query of ${settings.name}`}>
      <QueryPane {...{ instance, settings, data, onRun }} query={queries[0]} onChange={(query) => onChange([query])} />
    </section>
  );
}
