// A stand-in for the table panel, and for every panel that has none of its own.
import { getFrameDisplayName, type PanelProps } from '@grafana/data';
import { Select, Table, useTheme2 } from '@grafana/ui';
import { useState } from 'react';
import { Message } from './message';

export function TablePanel({ data, options, width, height }: PanelProps<{ frameIndex?: number }>) {
  const [chosen, choose] = useState<number>();
  const theme = useTheme2();
  const index = Math.min(chosen ?? options.frameIndex ?? 0, data.series.length - 1);
  const frame = data.series[index];
  if (!frame?.fields.length) {
    return <Message data={data} otherwise="The frame has no fields." />;
  }
  const hasChoice = data.series.length > 1;
  const choiceHeight = hasChoice ? theme.spacing.gridSize * 5 : 0;
  return (
    <div>
      <Table data={frame} width={width} height={height - choiceHeight} ariaLabel="Table" />
      {hasChoice && (
        <Select
          aria-label="Frame"
          options={data.series.map((f, value) => ({ value, label: getFrameDisplayName(f, value) }))}
          value={index}
          onChange={(c) => choose(c.value)}
        />
      )}
    </div>
  );
}
