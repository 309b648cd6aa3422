// Panels that the repository's dashboards contain, as stories with their data.
import {
  DataTopic,
  LoadingState,
  standardTransformersRegistry,
  transformDataFrame,
  type DataFrame,
  type DataSourceRef,
  type DataTransformerConfig,
  type PanelData,
  type TimeRange,
} from '@grafana/data';
import type { DataQuery } from '@grafana/schema';
import { memoize } from 'lodash';
import { combineLatest, from, of, type Observable } from 'rxjs';
import { map, mergeMap, startWith } from 'rxjs/operators';
import { identity } from '../boot/boot';
import { grouped } from '../data/partition';
import { fault } from '../observe/faults';
import { record } from '../observe/record';
import { dataSources } from '../services/datasources';
import { makeRequest, runRequest, stateOf } from '../services/queries';
import type { StoredVariable } from '../services/stored';
import { variables } from '../services/variables';
import type { StoredPanel } from './panel';

type Target = DataQuery & { panelId?: number };

export interface SavedPanel extends StoredPanel {
  id?: number;
  type: string;
  targets?: Target[];
  datasource?: DataSourceRef | string | null;
  transformations?: DataTransformerConfig[];
  timeFrom?: string;
  gridPos?: { w: number; h: number };
}

/** As preview/stories.go sends it. */
export interface Story {
  title: string;
  dashboard: string;
  panel: SavedPanel;
  variables: StoredVariable[] | null;
  time: { from: string; to: string } | null;
  sources: SavedPanel[];
}

export const storiesOf = memoize(async (plugin: string): Promise<Story[]> => {
  try {
    const answer = await fetch(`/-/stories?plugin=${encodeURIComponent(plugin)}`, { headers: identity });
    return answer.ok ? ((await answer.json()) as Story[]) : [];
  } catch (e) {
    fault('load', e);
    return [];
  }
});

/** Saves a panel in the repository, and returns which story it is. */
export async function saveStory(panel: SavedPanel, time: Story['time']): Promise<number> {
  const body = JSON.stringify({ plugin: panel.type, panel, time });
  const answer = await fetch('/-/stories', { method: 'POST', headers: identity, body });
  const { story, message } = (await answer.json()) as { story: number; message?: string };
  if (!answer.ok) {
    throw new Error(message);
  }
  storiesOf.cache.delete(panel.type);
  return story;
}

/** The queries of a data source plugin that the repository's dashboards contain. */
export async function savedQueries(type: string): Promise<{ label: string; query: DataQuery }[]> {
  const known = dataSources.getList();
  const typeOf = (ref: SavedPanel['datasource']) => {
    const name = uidOf(ref);
    return (typeof ref === 'object' && ref?.type) || known.find((s) => s.uid === name || s.name === name)?.type || name || undefined;
  };
  return (await storiesOf(type)).flatMap(({ title, panel }) =>
    (panel.targets ?? [])
      .filter((target) => (typeOf(target.datasource as SavedPanel['datasource']) ?? typeOf(panel.datasource)) === type)
      .map((query) => ({ label: `${title}, ${query.refId}`, query })),
  );
}

const uidOf = (ref: SavedPanel['datasource']) => (typeof ref === 'string' ? ref : ref?.uid);

/** The queries of a panel by their data sources; a panel without any asks its data source once. */
function groups(panel: SavedPanel): { ref: SavedPanel['datasource']; targets: Target[] }[] {
  const targets: Target[] = panel.targets?.length ? panel.targets : panel.datasource ? [{ refId: 'A' }] : [];
  const shared = uidOf(panel.datasource) === '-- Mixed --' ? undefined : panel.datasource;
  const refOf = (target: Target) => target.datasource ?? shared;
  const asked = targets.filter((t) => !t.hide);
  return [...grouped(asked, (t) => JSON.stringify(refOf(t))).values()].map((own) => ({ ref: refOf(own[0]), targets: own }));
}

function transformed(data: PanelData, transformations: DataTransformerConfig[] = []): Observable<PanelData> {
  const active = transformations.filter(({ id, topic, disabled }) => {
    const isKnown = standardTransformersRegistry.getIfExists(id) !== undefined;
    if (!isKnown && !disabled) {
      record.note(`The transformation ${id} is not here: the data stays as it was.`);
    }
    return isKnown && topic !== DataTopic.Annotations;
  });
  const interpolate = (text: string) => variables.replace(text, data.request?.scopedVars);
  return transformDataFrame(active, data.series, { interpolate }).pipe(map((series) => ({ ...data, series })));
}

function merged(parts: PanelData[], range: TimeRange): PanelData {
  return {
    state: stateOf(parts.map((p) => p.state)),
    series: parts.flatMap((p) => p.series),
    annotations: parts.flatMap((p): DataFrame[] => p.annotations ?? []),
    timeRange: range,
    error: parts.find((p) => p.error)?.error,
    structureRev: parts.reduce((sum, p) => sum + (p.structureRev ?? 0), 0),
    request: parts[0]?.request,
  };
}

/** The data of a saved panel. */
export function storyData(story: Story, range: TimeRange, timezone: string, panel = story.panel): Observable<PanelData> {
  const idle: PanelData = { state: LoadingState.Loading, series: [], timeRange: range };
  const parts = groups(panel).map(({ ref, targets }): Observable<PanelData> => {
    if (uidOf(ref) === '-- Dashboard --') {
      const source = story.sources.find((p) => p.id === targets[0].panelId && p !== panel);
      return source ? storyData(story, range, timezone, source) : of({ ...idle, state: LoadingState.Done });
    }
    const request = makeRequest({ range, targets, timezone, panelId: panel.id, panelPluginId: panel.type });
    return from(dataSources.get(ref)).pipe(
      mergeMap((dataSource) => runRequest(dataSource, request)),
      startWith(idle),
    );
  });
  const all = parts.length ? combineLatest(parts).pipe(map((p) => merged(p, range))) : of({ ...idle, state: LoadingState.Done });
  return all.pipe(mergeMap((data) => transformed(data, panel.transformations)));
}
