// Stand-ins for the state timeline and the status history.
import {
  dateTimeFormat,
  FieldColorModeId,
  FieldType,
  getFieldDisplayName,
  systemDateFormats,
  ThresholdsMode,
  type DataFrame,
  type Field,
  type GrafanaTheme2,
  type PanelProps,
} from '@grafana/data';
import { VisibilityMode } from '@grafana/schema';
import type { Options as TimelineOptions } from '@grafana/schema/dist/esm/raw/composable/statetimeline/panelcfg/x/StateTimelinePanelCfg_types.gen';
import type { Options as HistoryOptions } from '@grafana/schema/dist/esm/raw/composable/statushistory/panelcfg/x/StatusHistoryPanelCfg_types.gen';
import { useTheme2 } from '@grafana/ui';
import { scaleTime } from 'd3';
import { Axis, Chart, Message, textOf, widest } from './chart';

interface State {
  text: string;
  color: string;
}

interface Box extends State {
  from: number;
  to: number;
}

/** The thresholds that color a field, in words; none if its values have texts of their own. */
export function thresholdsOf(field: Field, theme: GrafanaTheme2): State[] {
  const { color, mappings, thresholds } = field.config;
  const { mode, steps = [] } = thresholds ?? {};
  const isBy = field.type === FieldType.number && color?.mode === FieldColorModeId.Thresholds && !mappings?.length;
  const words = (value: number) => (mode === ThresholdsMode.Percentage ? `${value}%` : textOf(field, value));
  return (isBy ? steps : []).map(({ value, color }, i) => ({
    text: i === 0 && steps.length > 1 ? `< ${words(steps[1].value)}` : `${words(value)}+`,
    color: theme.visualization.getColorByName(color),
  }));
}

/** The values of a field as boxes, each to the next time or to the second one of its row. A value without a text is a gap. */
export function boxesOf(field: Field, [start, end]: Field[], last: number, thresholds: State[], merges: boolean): Box[] {
  const boxes: Box[] = [];
  field.values.forEach((value, row) => {
    const { color = 'gray' } = field.display!(value);
    const text = (merges && value != null && thresholds.find((t) => t.color === color)?.text) || textOf(field, value);
    const from = start.values[row] as number;
    const to = ((end ? end.values[row] : start.values[row + 1]) as number | undefined) ?? last;
    const before = boxes.at(-1);
    if (merges && before?.to === from && before.text === text && before.color === color) {
      before.to = to;
    } else if (text) {
      boxes.push({ from, to, text, color });
    }
  });
  return boxes;
}

function timeFormat(step: number, span: number): string {
  const { second, minute, hour, day } = systemDateFormats.interval;
  return step < 60_000 ? second : span <= 86_400_000 ? minute : step < 86_400_000 ? hour : day;
}

/** The history has a box around each time, the timeline one for as long as a value stays. */
const panel = (isHistory: boolean) =>
  function Timeline({ data, options, timeRange, timeZone, width, height }: PanelProps<Partial<TimelineOptions & HistoryOptions>>) {
    const theme = useTheme2();
    const { showValue = VisibilityMode.Auto, alignValue = 'left', rowHeight = 0.9, colWidth = 0.9, mergeValues = true, legend } = options;
    const timesOf = (frame: DataFrame) => frame.fields.filter((f) => f.type === FieldType.time);
    const isShown = (f: Field) => f.type !== FieldType.time && !f.config.custom?.hideFrom?.viz;
    const found = data.series
      .filter((frame) => frame.length > 0 && timesOf(frame).length > 0)
      .flatMap((frame) => frame.fields.filter(isShown).map((field) => ({ field, frame, thresholds: thresholdsOf(field, theme) })));
    if (!found.length) {
      return <Message data={data} otherwise="The data has no times with values." />;
    }
    const [from, to] = [timeRange.from.valueOf(), timeRange.to.valueOf()];
    const rows = found.map(({ field, frame, thresholds }) => ({
      label: getFieldDisplayName(field, frame, data.series),
      opacity: (field.config.custom?.fillOpacity ?? 70) / 100,
      boxes: boxesOf(field, timesOf(frame), to, thresholds, mergeValues && !isHistory),
    }));
    const all = rows.flatMap(({ boxes }) => boxes);
    const half = isHistory ? (all[0].to - all[0].from) / 2 : 0;
    const [first, last] = isHistory ? [Math.max(from, all[0].from - half), Math.min(to, all.at(-1)!.from + half)] : [from, to];
    const isContinuous = found.some(({ field }) => field.config.color?.mode.startsWith('continuous'));
    const states = isContinuous ? [] : (found.find((f) => f.thresholds.length)?.thresholds ?? all);
    const items = [...new Map(states.map(({ text, color }) => [text, color]))].map(([label, color]) => ({ label, color }));

    const draw = (width: number, height: number) => {
      const left = 16 + Math.min(width / 2, widest(rows.map((row) => row.label)));
      const [w, h] = [width - left - 16, height - 28];
      const scale = scaleTime([first, last], [0, w]).clamp(true);
      const marks: Date[] = scale.ticks(w / 70);
      const format = timeFormat(Number(marks[1]) - Number(marks[0]), last - first);
      const each = h / rows.length;
      const box = (one: Box, key: number, row: number) => {
        const ends = isHistory ? [one.from - half * colWidth, one.from + half * colWidth] : [one.from, one.to];
        const [x, end]: number[] = ends.map((t) => scale(t));
        const at = isHistory ? 0.5 : { left: 0, center: 0.5, right: 1 }[alignValue];
        const fits = end - x > widest([one.text]) + 8 && each * rowHeight > 14;
        return (
          <g key={key} transform={`translate(${x} ${(row + 0.5 - rowHeight / 2) * each})`}>
            <rect width={Math.max(0, end - x)} height={each * rowHeight} fill={one.color} fillOpacity={rows[row].opacity}>
              <title>{`${rows[row].label}: ${one.text}, ${dateTimeFormat(one.from, { timeZone })}`}</title>
            </rect>
            {(showValue === VisibilityMode.Always || (showValue === VisibilityMode.Auto && fits)) && (
              <text
                x={4 + at * (end - x - 8)}
                y={(each * rowHeight) / 2}
                dy="0.35em"
                textAnchor={(['start', 'middle', 'end'] as const)[at * 2]}
                pointerEvents="none"
              >
                {one.text}
              </text>
            )}
          </g>
        );
      };
      return (
        <g transform={`translate(${left} 0)`}>
          <Axis ticks={rows.map(({ label }, i) => ({ at: (i + 0.5) * each, text: label }))} />
          <Axis below={h} length={h} ticks={marks.map((t) => ({ at: scale(t), text: dateTimeFormat(t, { timeZone, format }) }))} />
          {rows.map(({ boxes }, row) => boxes.map((one, i) => box(one, i, row)))}
        </g>
      );
    };
    return (
      <Chart width={width} height={height} legend={legend} items={items}>
        {draw}
      </Chart>
    );
  };

export const StateTimelinePanel = panel(false);
export const StatusHistoryPanel = panel(true);
