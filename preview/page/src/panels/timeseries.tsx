// A stand-in for the time series panel.
import type { PanelProps } from '@grafana/data';
import { LegendDisplayMode, type VizLegendOptions } from '@grafana/schema';
import { TimeSeries } from '@grafana/ui';
import { useMemo } from 'react';
import { Message } from './message';
import { graphable } from './prepare';

const standardLegend: VizLegendOptions = { showLegend: true, displayMode: LegendDisplayMode.List, placement: 'bottom', calcs: [] };

export function TimeSeriesPanel({ data, options, timeRange, timeZone, width, height }: PanelProps<{ legend?: VizLegendOptions }>) {
  const frames = useMemo(() => graphable(data.series), [data.series]);
  if (!frames.length) {
    return <Message data={data} otherwise="The data has no times with numbers." />;
  }
  return (
    <TimeSeries
      frames={frames}
      structureRev={data.structureRev}
      timeRange={timeRange}
      timeZone={timeZone}
      width={width}
      height={height}
      legend={{ ...standardLegend, ...options.legend }}
      options={options}
    />
  );
}
