// A panel in its frame: title, size, state of its query.
import { PanelChrome } from '@grafana/ui';
import { Panel, type PanelViewProps } from '../panels/panel';
import { Boundary } from './boundary';
import { Drawing } from './drawing';

export function PanelCard({ name, width, height, ...panel }: PanelViewProps & { name: string }) {
  const { title, plugin, data, options, fieldConfig } = panel;
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
          <Boundary what={`the panel "${title}"`} dependencies={[plugin, options, fieldConfig, data]}>
            <Panel {...panel} width={innerWidth} height={innerHeight} />
          </Boundary>
        )}
      </PanelChrome>
    </Drawing>
  );
}
