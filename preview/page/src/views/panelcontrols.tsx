// The controls above a panel: its data, size, time range and time zone.
import type { TimeRange } from '@grafana/data';
import { Button, FileDropzone, InlineField, Input, RefreshPicker, Select, Stack, TimeRangeInput, TimeZonePicker } from '@grafana/ui';
import { upperFirst } from 'lodash';
import { scenarios } from '../data/scenarios';
import type { Story } from '../panels/stories';
import { dataSources } from '../services/datasources';
import { setRange, type Settings } from './address';

interface Props {
  settings: Settings;
  stories: Story[];
  /** The choice among scenarios, stories, data sources and a file, as the address has it. */
  choice: string;
  range: TimeRange;
  timeZone: string;
  size: { width: number; height: number };
  isEdited: boolean;
  onReset(): void;
  onRun(): void;
  onSave(): void;
  onFile(text: string): void;
}

/** The choice of data in the address. */
export function choiceIn(settings: Settings, hasStories: boolean): string {
  const given = (['story', 'scenario', 'query', 'file'] as const).find((name) => settings.get(name) !== undefined);
  return given ? `${given}:${settings.get(given)}` : hasStories ? 'story:0' : 'scenario:series';
}

function choose(settings: Settings, choice: string): void {
  const [kind, ...rest] = choice.split(':');
  settings.set({ story: undefined, scenario: undefined, query: undefined, file: undefined, [kind]: rest.join(':') });
}

function choices(stories: Story[]) {
  const saved = stories.map((story, i) => ({ value: `story:${i}`, label: story.title || `Panel ${i + 1}`, description: story.dashboard }));
  const built = Object.entries(scenarios).map(([id, { label, description }]) => ({ value: `scenario:${id}`, label, description }));
  const queries = dataSources.getList().map(({ uid, name, type }) => ({ value: `query:${uid}`, label: name, description: type }));
  return [
    { label: 'Stories', options: saved },
    { label: 'Sample data', options: built },
    { label: 'Queries of data sources', options: queries },
    { label: 'Frames', options: [{ value: 'file:json', label: 'A file', description: 'frames as JSON' }] },
  ].filter((group) => group.options.length);
}

export function PanelControls({ settings, stories, choice, range, timeZone, size, isEdited, onReset, onRun, onSave, onFile }: Props) {
  return (
    <Stack direction="column" gap={1}>
      <Stack gap={1} wrap="wrap" alignItems="flex-start">
        <InlineField label="Data" htmlFor="data">
          <Select
            inputId="data"
            aria-label="Data"
            width={26}
            options={choices(stories)}
            value={choice}
            onChange={(c) => choose(settings, c.value ?? 'scenario:series')}
          />
        </InlineField>
        <TimeRangeInput value={range} timeZone={timeZone} showIcon onChange={(chosen) => setRange(settings, chosen)} />
        <RefreshPicker
          value={settings.get('refresh')}
          tooltip="Run the queries"
          onRefresh={onRun}
          onIntervalChanged={(refresh) => settings.set({ refresh })}
        />
        <InlineField label="Time zone" htmlFor="timezone">
          <TimeZonePicker inputId="timezone" value={timeZone} includeInternal onChange={(tz) => settings.set({ tz })} width={18} />
        </InlineField>
        <Stack>
          {(['width', 'height'] as const).map((name) => (
            <InlineField key={name} label={upperFirst(name)} htmlFor={name}>
              <Input
                id={name}
                type="number"
                width={8}
                min={50}
                value={settings.get(name[0]) ?? ''}
                placeholder={`${size[name]}`}
                onChange={(e) => settings.set({ [name[0]]: e.currentTarget.value })}
              />
            </InlineField>
          ))}
        </Stack>
        <Button variant="secondary" disabled={!isEdited} onClick={onReset}>
          Reset
        </Button>
        <Button variant="secondary" onClick={onSave}>
          Save as story
        </Button>
      </Stack>
      {choice.startsWith('file:') && (
        <FileDropzone
          options={{
            accept: { 'application/json': ['.json'] },
            multiple: false,
            onDrop: ([file]: File[]) => void file?.text().then(onFile),
          }}
        >
          <div style={{ textAlign: 'center' }}>Drop a JSON file here, with frames as a query answers them, or click to choose one.</div>
        </FileDropzone>
      )}
    </Stack>
  );
}
