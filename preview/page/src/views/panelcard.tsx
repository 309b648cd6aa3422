// A panel in its frame: title, size, state of its query.
import { PanelChrome } from '@grafana/ui';
import { merge } from 'lodash';
import type { ReactNode } from 'react';
import { Panel, type PanelState, type PanelViewProps } from '../panels/panel';
import { Boundary } from './boundary';
import { Drawing } from './drawing';

interface Props extends PanelViewProps {
  name: string;
  titleItems?: ReactNode;
  change: (changes: Partial<PanelState>) => void;
}

export function PanelCard({ name, titleItems, width, height, change, ...panel }: Props) {
  const { title, plugin, data, options, fieldConfig } = panel;
  return (
    <Drawing name={name} title={title} data={data} style={{ width, height }}>
      <PanelChrome
        title={title}
        titleItems={titleItems}
        width={width}
        height={height}
        loadingState={data.state}
        statusMessage={data.error?.message}
        padding={plugin.noPadding ? 'none' : 'md'}
      >
        {(innerWidth, innerHeight) => (
          <Boundary what={`the panel "${title}"`} dependencies={[plugin, options, fieldConfig, data]}>
            <Panel
              {...panel}
              width={innerWidth}
              height={innerHeight}
              onOptionsChange={(some) => change({ options: { ...options, ...some } })} // as in the interface
              onFieldConfigChange={(some) => change({ fieldConfig: merge({}, fieldConfig, some) })}
            />
          </Boundary>
        )}
      </PanelChrome>
    </Drawing>
  );
}
