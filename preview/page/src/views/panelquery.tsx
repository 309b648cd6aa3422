// The query whose answer a panel draws.
import type { DataQuery, DataSourceInstanceSettings, PanelData } from '@grafana/data';
import { useEffect } from 'react';
import { dataSources } from '../services/datasources';
import { useLoaded } from '../services/useloaded';
import { firstQuery, QueryPane } from './querypane';

interface Props {
  settings: DataSourceInstanceSettings;
  queries: DataQuery[];
  data: PanelData;
  onChange(queries: DataQuery[]): void;
  onRun(): void;
}

export function PanelQuery({ settings, queries, data, onChange, onRun }: Props) {
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
