// The query editor with what a run answers.
import { LoadingState, type DataQuery, type DataSourceApi, type DataSourceInstanceSettings, type PanelData } from '@grafana/data';
import { Select, TimeRangeInput } from '@grafana/ui';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Subscription } from 'rxjs';
import { bare, boot } from '../boot/boot';
import { markWorking } from '../observe/network';
import { savedQueries } from '../panels/stories';
import { onBackend } from '../refresh/reload';
import { useKept } from '../refresh/kept';
import { makeRequest, runRequest } from '../services/queries';
import { rangeOf, setRange, useSettings } from './address';
import { FramesView } from './frames';
import { firstQuery, QueryPane } from './querypane';

/** The latest answer to a query of the instance, and how to ask. */
export function useRun(instance: DataSourceApi): { data?: PanelData; run(queries: DataQuery[]): void } {
  const settings = useSettings();
  const [data, setData] = useState<PanelData>();
  const running = useRef<Subscription>();
  useEffect(() => () => running.current?.unsubscribe(), [instance]);
  const run = (targets: DataQuery[]) => {
    running.current?.unsubscribe();
    const range = rangeOf(settings);
    markWorking('query', true);
    setData({ state: LoadingState.Loading, series: [], timeRange: range });
    running.current = runRequest(instance, makeRequest({ range, targets })).subscribe((answer) => {
      setData(answer);
      markWorking('query', answer.state === LoadingState.Loading);
    });
  };
  return { data, run };
}

export function QueryRunPane({ instance, settings }: { instance: DataSourceApi; settings: DataSourceInstanceSettings }) {
  const first = useMemo(() => firstQuery(instance), [instance]);
  const [query, setQuery] = useKept<DataQuery>(`query:${settings.type}:${settings.uid}`, () => first);
  const { data, run } = useRun(instance);
  const latest = useRef(query); // editors call onRunQuery right after onChange, before React has drawn the change
  latest.current = query;
  const change = (next: DataQuery) => {
    latest.current = next;
    setQuery(next);
  };
  const [saved, setSaved] = useState<{ label: string; query: DataQuery }[]>([]);
  const runLatest = () => run([latest.current]);
  useEffect(() => onBackend(runLatest));
  const address = useSettings();
  useEffect(() => {
    void savedQueries(settings.type).then((all) => {
      setSaved(all);
      const story = address.get('saved'); // a check asks for one, or for the first query of the editor
      if (bare && story) {
        choose(all[Number(story)]?.query);
      } else if (bare) {
        runLatest();
      }
    });
  }, [instance]);
  const choose = (chosen: DataQuery | undefined) => {
    if (chosen) {
      change({ ...chosen, refId: 'A', hide: false, datasource: query.datasource });
      runLatest();
    }
  };
  return (
    <>
      {saved.length > 0 && !bare && (
        <Select
          aria-label="Saved queries"
          placeholder="Take a query from a dashboard of the repository"
          value={null}
          options={saved.map(({ label }, value) => ({ value, label }))}
          onChange={(c) => choose(saved[c.value ?? -1]?.query)}
        />
      )}
      {!bare && (
        <div style={{ width: 'fit-content', marginBottom: 8 }}>
          <TimeRangeInput value={rangeOf(address)} showIcon onChange={(chosen) => setRange(address, chosen)} />
        </div>
      )}
      <QueryPane {...{ instance, settings, query, data }} onChange={change} onRun={runLatest} />
      {data && (!bare || boot.clock > 0) && (
        <section aria-label="Answer" className="preview-answer">
          <FramesView data={data} timeZone="browser" />
        </section>
      )}
    </>
  );
}
