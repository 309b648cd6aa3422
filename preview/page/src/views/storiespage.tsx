// All saved panels of a plugin at once.
import type { PanelPlugin } from '@grafana/data';
import { uniqBy } from 'lodash';
import { useMemo } from 'react';
import { Link } from 'react-router-dom-v5-compat';
import { timeRange } from '../data/frames';
import { scenarios } from '../data/scenarios';
import type { PanelViewProps, StoredPanel } from '../panels/panel';
import type { Source } from '../panels/source';
import { storiesOf, type Story } from '../panels/stories';
import { useLoaded } from '../services/useloaded';
import { variables } from '../services/variables';
import { useSettings } from './address';
import { PanelCard } from './panelcard';
import { usePanelData, usePanelState } from './panelstate';

const lastHours = { from: 'now-6h', to: 'now' };
const empty: StoredPanel = {};

/** The saved panels; for a plugin that has none, the sample data. */
function shownOf(stories: Story[]) {
  if (!stories.length) {
    return Object.entries(scenarios).map(([id, { label }]) => {
      const source: Source = { kind: 'scenario', id };
      return { key: `scenario:${id}`, title: label, source, stored: empty, time: lastHours };
    });
  }
  return stories.map((story, i) => {
    const source: Source = { kind: 'story', story };
    return { key: `story:${i}`, title: story.title || `Panel ${i + 1}`, source, stored: story.panel, time: story.time ?? lastHours };
  });
}

export function StoriesPage({ plugin }: { plugin: PanelPlugin }) {
  const settings = useSettings();
  const [width, height] = [settings.number('w', 360), settings.number('h', 250)];
  const stories = useLoaded(() => storiesOf(plugin.meta.id), [plugin.meta.id]);
  const shown = useMemo(() => {
    // One page has one set of variables: that of the first dashboard that has a variable of the name.
    const stored = stories?.flatMap((story) => story.variables ?? []);
    variables.set(uniqBy(stored, 'name'));
    return stories && shownOf(stories);
  }, [stories]);
  const [from, count] = [settings.number('first', 0), settings.number('count', Infinity)];
  return (
    <div style={{ display: 'flex', flexWrap: 'wrap', gap: 16 }}>
      {shown?.slice(from, from + count).map((one) => (
        <StoryCard key={one.key} plugin={plugin} shown={one} width={width} height={height} />
      ))}
    </div>
  );
}

type CardProps = Pick<PanelViewProps, 'plugin' | 'width' | 'height'> & { shown: ReturnType<typeof shownOf>[number] };

function StoryCard({ plugin, shown, width, height }: CardProps) {
  const range = useMemo(() => timeRange(shown.time), [shown.time]);
  const data = usePanelData(shown.source, range, 'browser');
  const { state, change } = usePanelState(`grid:${plugin.meta.id}:${shown.key}`, plugin, shown.stored);
  const title = variables.replace(shown.title);
  const titleItems = <Link to={`/panel/${plugin.meta.id}?${shown.key.replace(':', '=')}`}>Open</Link>;
  const view = { title, titleItems, plugin, data, width, height, change };
  return state ? <PanelCard name={shown.key} timeZone="browser" {...state} {...view} /> : null;
}
