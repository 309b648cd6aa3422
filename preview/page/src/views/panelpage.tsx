// The view of a panel plugin.
import { dataFrameToJSON, rangeUtil, type DataFrame, type DataQuery, type PanelData, type PanelPlugin } from '@grafana/data';
import { defaultIntervals, Tab, TabsBar } from '@grafana/ui';
import { useMemo, useState } from 'react';
import { useInterval, useMeasure } from 'react-use';
import { bare } from '../boot/boot';
import { frameFromAny, timeRange } from '../data/frames';
import { fault } from '../observe/faults';
import type { PanelState, StoredPanel } from '../panels/panel';
import type { Source } from '../panels/source';
import { saveStory, storiesOf, type SavedPanel, type Story } from '../panels/stories';
import { useKept } from '../refresh/kept';
import { dataSources } from '../services/datasources';
import { useLoaded } from '../services/useloaded';
import { variables } from '../services/variables';
import { useSettings, type Settings } from './address';
import { FieldPane, OverridesPane } from './fieldpane';
import { FramesView } from './frames';
import { OptionsPane } from './optionspane';
import { PanelCard } from './panelcard';
import { choiceIn, PanelControls } from './panelcontrols';
import { usePanelData, usePanelState } from './panelstate';
import { PanelQuery } from './querypane';

const empty: StoredPanel = {};

export function PanelPage({ plugin }: { plugin: PanelPlugin }) {
  const [saves, setSaves] = useState(0);
  const stories = useLoaded(() => storiesOf(plugin.meta.id), [plugin.meta.id, saves]);
  return stories ? <Ready plugin={plugin} stories={stories} onSaved={() => setSaves(saves + 1)} /> : null;
}

function storedIn(settings: Settings, story: Story | undefined): StoredPanel {
  const options = settings.get('options');
  return story?.panel ?? (options ? { options: JSON.parse(options) as object } : empty);
}

/** What a saved panel asks for its data: frames that no data source has are saved with it. */
function savedSource(source: Source, shown: DataFrame[]): Partial<SavedPanel> {
  switch (source.kind) {
    case 'story':
      return source.story.panel;
    case 'query':
      return { datasource: source.ref, targets: source.queries };
    default: {
      const frames = JSON.stringify(shown.map((frame) => dataFrameToJSON(frame)));
      const target = { refId: 'A', scenarioId: 'raw_frame', rawFrameContent: frames };
      return { datasource: { type: 'grafana-testdata-datasource', uid: 'testdata' }, targets: [target] };
    }
  }
}

function Ready({ plugin, stories, onSaved }: { plugin: PanelPlugin; stories: Story[]; onSaved(): void }) {
  const settings = useSettings();
  const choice = choiceIn(settings, stories.length > 0);
  const [kind, id] = [choice.slice(0, choice.indexOf(':')), choice.slice(choice.indexOf(':') + 1)];
  const story = kind === 'story' ? stories[Number(id)] : undefined;
  const timeZone = settings.get('tz') ?? 'browser';
  const from = settings.get('from') ?? story?.time?.from ?? 'now-6h';
  const to = settings.get('to') ?? story?.time?.to ?? 'now';
  const [queries, setQueries] = useKept<DataQuery[]>(`query:${plugin.meta.id}:${id}`, () => []);
  const [file, setFile] = useKept<object[]>(`file:${plugin.meta.id}`, () => []);
  const [run, setRun] = useState(0);
  const refresh = defaultIntervals.find((interval) => interval === settings.get('refresh'));
  const onRun = () => setRun(run + 1);
  useInterval(onRun, refresh ? rangeUtil.intervalToMs(refresh) : null);
  const range = useMemo(() => timeRange({ from, to }, timeZone), [from, to, timeZone, run]);
  const source = useMemo((): Source => {
    switch (kind) {
      case 'story':
        return story ? { kind: 'story', story } : { kind: 'scenario', id: 'series' };
      case 'query':
        return { kind: 'query', ref: { uid: id }, queries };
      case 'file':
        return { kind: 'frames', frames: file.map((frame) => frameFromAny(frame, 'A')) };
      default:
        return { kind: 'scenario', id };
    }
  }, [kind, id, story, queries, file]);
  variables.set(story?.variables ?? []);
  variables.updateTimeRange(range);
  variables.timeZone = timeZone;
  const data = usePanelData(source, range, timeZone, run);
  const stored = useMemo(() => storedIn(settings, story), [settings, story]);
  const key = `panel:${plugin.meta.id}:${kind === 'story' ? choice : 'sample'}`;
  const { state, isEdited, change, reset } = usePanelState(key, plugin, stored);
  const [instanceState, setInstanceState] = useState<unknown>();
  const [element, { width }] = useMeasure<HTMLDivElement>();
  const size = { width: settings.number('w', bare ? 640 : Math.floor(Math.min(640, width || 640))), height: settings.number('h', 360) };
  const title = variables.replace(story?.title ?? plugin.meta.name);

  const card = state && (
    <PanelCard
      name={plugin.meta.id}
      {...state}
      {...size}
      {...{ plugin, title, data, timeZone, change }}
      onChangeTimeRange={(r) => settings.set({ from: r.from, to: r.to })}
      onInstanceState={setInstanceState}
    />
  );
  if (bare) {
    return card;
  }
  const save = () => {
    const asked = state && window.prompt('Title of the story', title);
    if (asked) {
      const { options, fieldConfig } = state;
      const changes = { type: plugin.meta.id, title: asked, pluginVersion: plugin.meta.info.version, options, fieldConfig };
      saveStory({ ...savedSource(source, data.series), ...changes }, { from, to }).then(
        (saved) => {
          reset();
          onSaved();
          settings.set({ scenario: undefined, query: undefined, file: undefined, story: saved });
        },
        (e: unknown) => fault('load', e),
      );
    }
  };
  const readFile = (text: string) => {
    try {
      setFile([JSON.parse(text) as object | object[]].flat());
    } catch (e) {
      fault('load', new Error(`The file is not JSON: ${(e as Error).message}`));
    }
  };
  return (
    <>
      <PanelControls
        {...{ settings, stories, choice, range, timeZone, size, isEdited }}
        onReset={reset}
        onRun={onRun}
        onSave={save}
        onFile={readFile}
      />
      <div className="preview-split">
        <div className="preview-scroll" ref={element}>
          {card}
          {kind === 'query' && (
            <PanelQuery settings={dataSources.getInstanceSettings(id)} {...{ queries, data, onRun }} onChange={setQueries} />
          )}
          <section aria-label="Data of the panel">
            <FramesView data={data} timeZone={timeZone} />
          </section>
        </div>
        {state && <Panes {...{ plugin, data, state, instanceState, change }} />}
      </div>
    </>
  );
}

const panes = ['Options', 'Fields', 'Overrides'] as const;

interface PanesProps {
  plugin: PanelPlugin;
  data: PanelData;
  state: PanelState;
  instanceState: unknown;
  change: (changes: Partial<PanelState>) => void;
}

function Panes({ plugin, data, state, instanceState, change }: PanesProps) {
  const [pane, setPane] = useKept<(typeof panes)[number]>('pane', () => 'Options');
  const onChange = (fieldConfig: PanelState['fieldConfig']) => change({ fieldConfig });
  const shared = { plugin, data: data.series };
  const fields = { ...shared, fieldConfig: state.fieldConfig, onChange };
  const options = { ...shared, instanceState, options: state.options, onChange: (options: object) => change({ options }) };
  return (
    <section aria-label="Settings of the panel" className="preview-pane">
      <TabsBar>
        {panes.map((name) => (
          <Tab key={name} label={name} active={name === pane} onChangeTab={() => setPane(name)} />
        ))}
      </TabsBar>
      {pane === 'Options' && <OptionsPane {...options} />}
      {pane === 'Fields' && <FieldPane {...fields} />}
      {pane === 'Overrides' && <OverridesPane {...fields} />}
    </section>
  );
}
