// A stand-in for the time series panel.
import { FieldType, type DataFrame, type Field, type PanelProps } from '@grafana/data';
import { GraphGradientMode, LegendDisplayMode, type GraphFieldConfig, type VizLegendOptions } from '@grafana/schema';
import { TimeSeries } from '@grafana/ui';
import { useMemo } from 'react';
import { Message } from './chart';

/** What TimeSeries has no default for. */
const lines: GraphFieldConfig = { lineWidth: 1, fillOpacity: 10, pointSize: 5, gradientMode: GraphGradientMode.None };

/** The frames that have a time and a number, with the settings of lines where the fields have none. */
export function graphable(frames: DataFrame[]): DataFrame[] {
  return frames.flatMap((frame) => {
    const [time] = frame.fields.filter((f) => f.type === FieldType.time);
    const numbers = frame.fields.filter((f) => f.type === FieldType.number);
    if (!frame.length || !time || !numbers.length) {
      return [];
    }
    const fields = [time, ...numbers].map((f): Field => ({ ...f, config: { ...f.config, custom: { ...lines, ...f.config.custom } } }));
    return [{ ...frame, fields }];
  });
}

const standardLegend: VizLegendOptions = { showLegend: true, displayMode: LegendDisplayMode.List, placement: 'bottom', calcs: [] };

export function TimeSeriesPanel({ data, options, timeRange, timeZone, width, height }: PanelProps<{ legend?: VizLegendOptions }>) {
  const frames = useMemo(() => graphable(data.series), [data.series]);
  if (!frames.length) {
    return <Message data={data} otherwise="The data has no times with numbers." />;
  }
  return (
    <TimeSeries
      structureRev={data.structureRev}
      legend={{ ...standardLegend, ...options.legend }}
      {...{ frames, timeRange, timeZone, width, height, options }}
    />
  );
}
