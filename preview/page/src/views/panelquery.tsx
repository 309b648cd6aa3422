// The query whose answer a panel draws.
import type { DataQuery, DataSourceApi, DataSourceInstanceSettings, PanelData } from '@grafana/data';
import { useEffect, useState } from 'react';
import { fault } from '../observe/faults';
import { dataSources } from '../services/datasources';
import { firstQuery, QueryPane } from './querypane';

/** The instance for settings; undefined until its plugin is loaded, and when it could not be. */
function useInstance(settings: DataSourceInstanceSettings): DataSourceApi | undefined {
  const [instance, setInstance] = useState<DataSourceApi>();
  useEffect(() => {
    let isCurrent = true;
    dataSources.get(settings.uid).then(
      (made) => isCurrent && setInstance(made),
      (e: unknown) => fault('load', e),
    );
    return () => {
      isCurrent = false;
    };
  }, [settings]);
  return instance;
}

interface Props {
  settings: DataSourceInstanceSettings;
  queries: DataQuery[];
  data: PanelData;
  onChange(queries: DataQuery[]): void;
  onRun(): void;
}

export function PanelQuery({ settings, queries, data, onChange, onRun }: Props) {
  const instance = useInstance(settings);
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
      <QueryPane
        instance={instance}
        settings={settings}
        query={queries[0]}
        data={data}
        onChange={(query) => onChange([query])}
        onRun={onRun}
      />
    </section>
  );
}
