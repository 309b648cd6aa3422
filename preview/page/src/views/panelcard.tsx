// A panel in its frame: title, size, state of its query.
import type { FieldConfigSource, PanelData, PanelPlugin } from '@grafana/data';
import { PanelChrome } from '@grafana/ui';
import { Panel, type PanelState } from '../panels/panel';
import { Boundary } from './boundary';
import { Drawing } from './drawing';

interface Props {
  name: string;
  title: string;
  plugin: PanelPlugin;
  state: PanelState;
  data: PanelData;
  width: number;
  height: number;
  timeZone: string;
  onOptionsChange(options: object): void;
  onFieldConfigChange(config: FieldConfigSource): void;
  onTimeRange?(range: { from: number; to: number }): void;
  onInstanceState?(state: unknown): void;
}

export function PanelCard({ name, title, plugin, state, data, width, height, timeZone, ...handlers }: Props) {
  return (
    <Drawing name={name} title={title} data={data} style={{ width, height }}>
      <PanelChrome
        title={title}
        width={width}
        height={height}
        loadingState={data.state}
        statusMessage={data.error?.message}
        padding={plugin.noPadding ? 'none' : 'md'}
      >
        {(innerWidth, innerHeight) => (
          <Boundary what={`the panel "${title}"`} dependencies={[plugin, state.options, state.fieldConfig, data]}>
            <Panel
              plugin={plugin}
              {...state}
              data={data}
              title={title}
              width={innerWidth}
              height={innerHeight}
              timeZone={timeZone}
              {...handlers}
            />
          </Boundary>
        )}
      </PanelChrome>
    </Drawing>
  );
}
