// A stand-in for the bar chart.
import {
  FieldType,
  getDisplayProcessor,
  getFieldDisplayName,
  getFieldSeriesColor,
  outerJoinDataFrames,
  VizOrientation,
  type DataFrame,
  type Field,
  type PanelProps,
} from '@grafana/data';
import { StackingMode, VisibilityMode } from '@grafana/schema';
import type { Options } from '@grafana/schema/dist/esm/raw/composable/barchart/panelcfg/x/BarChartPanelCfg_types.gen';
import { useTheme2 } from '@grafana/ui';
import { scaleBand, scaleLinear } from 'd3';
import { Axis, Chart, Message, textOf, widest } from './chart';

/** The field that names the bars: the chosen one, else the first text or time. */
function nameIn(frame: DataFrame, chosen?: string): Field | undefined {
  const first = (type: FieldType) => frame.fields.find((f) => f.type === type);
  return frame.fields.find((f) => chosen && getFieldDisplayName(f, frame) === chosen) ?? first(FieldType.string) ?? first(FieldType.time);
}

/** Where the bars of a row begin and end: beside each other at zero, or each on top of the one before. */
export function spans(values: number[], stacking: StackingMode): [number, number][] {
  const whole = stacking === StackingMode.Percent ? values.reduce((sum, v) => sum + Math.abs(v), 0) || 1 : 1;
  return values.map((value, i) => {
    const before = stacking === StackingMode.None ? [] : values.slice(0, i).filter((v) => v < 0 === value < 0);
    const from = before.reduce((sum, v) => sum + v, 0);
    return [from / whole, (from + value) / whole];
  });
}

export function BarChartPanel({ data, options, width, height }: PanelProps<Partial<Options>>) {
  const theme = useTheme2();
  const { orientation = VizOrientation.Auto, stacking = StackingMode.None, showValue = VisibilityMode.Auto, xField, legend } = options;
  const [isStacked, isPercent] = [stacking !== StackingMode.None, stacking === StackingMode.Percent];
  const joinBy = (field: Field, frame: DataFrame) => field === nameIn(frame, xField);
  const frame = data.series.length > 1 ? outerJoinDataFrames({ frames: data.series, joinBy }) : data.series[0];
  const names = frame && nameIn(frame, xField);
  const isShown = (f: Field) => f.type === FieldType.number && f !== names && !f.config.custom?.hideFrom?.viz;
  const shown = frame?.fields.filter(isShown) ?? [];
  const titles = shown.map((f) => getFieldDisplayName(f, frame, data.series));
  // Colors of a palette count these fields alone.
  const fields = shown.map((f, seriesIndex) => {
    const field = { ...f, state: { ...f.state, seriesIndex } };
    return { ...field, display: getDisplayProcessor({ field, theme }) };
  });
  if (!names || !fields.length) {
    return <Message data={data} otherwise="The data has no texts with numbers." />;
  }
  const isHorizontal = orientation === VizOrientation.Horizontal || (orientation === VizOrientation.Auto && width < height);
  const labels = names.values.map((value) => textOf(names, value));
  const rows = labels.map((_, row) => {
    const values = fields.map((f) => Number(f.values[row] ?? 0));
    return spans(values, stacking);
  });
  const [first] = fields;
  const ends = rows.flat(2);
  const [lowest, highest] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const room = isPercent ? 0 : (highest - lowest) / 10;
  const domain = [first.config.min ?? (lowest && lowest - room), first.config.max ?? (highest && highest + room)];
  const tickText = (v: number) => (isPercent ? `${Math.round(v * 100)}%` : textOf(first, v));

  const draw = (width: number, height: number) => {
    const scale = scaleLinear().domain(domain);
    const marks: number[] = scale.ticks(isHorizontal ? width / 80 : height / 40);
    const left = 16 + Math.min(width / 2, widest(isHorizontal ? labels : marks.map(tickText)));
    const [w, h] = [width - left - 16, height - 32];
    scale.range(isHorizontal ? [0, w] : [h, 0]);
    const outer = scaleBand(labels.keys(), [0, isHorizontal ? h : w]).padding(fields.length > 1 && !isStacked ? 0.3 : 0.05);
    const inner = scaleBand(isStacked ? [0] : fields.keys(), [0, outer.bandwidth()]).padding(0.03);
    const thickness: number = inner.bandwidth();
    const every = Math.ceil((isHorizontal ? 16 : widest(labels) + 8) / outer.step());
    const named = labels.map((text, i) => ({ at: outer(i) + outer.bandwidth() / 2, text })).filter((_, i) => i % every === 0);
    const valued = marks.map((v) => ({ at: scale(v), text: tickText(v) }));
    const bar = ([from, to]: [number, number], row: number, i: number) => {
      const { values, display, config } = fields[i];
      const text = textOf(fields[i], values[row]);
      const along = outer(row) + (inner(i) ?? inner(0));
      const [start, end]: number[] = [scale(from), scale(to)].sort((a, b) => a - b);
      const fits = isHorizontal ? thickness > 12 : thickness > widest([text]);
      // In a stack, a value stands in its bar; else beyond its end.
      const beyond = (to < 0 === isHorizontal ? -1 : 1) * (isHorizontal ? 4 + widest([text]) / 2 : 8);
      const [at, middle] = [isStacked ? (start + end) / 2 : scale(to) + beyond, along + thickness / 2];
      return (
        <g key={`${row} ${i}`} textAnchor="middle">
          <rect
            transform={isHorizontal ? 'matrix(0 1 1 0 0 0)' : undefined /* x and y change places */}
            {...{ x: along, y: start, width: thickness, height: end - start }}
            fill={display(values[row]).color}
            fillOpacity={(config.custom?.fillOpacity ?? 80) / 100}
          >
            <title>{`${labels[row]}, ${titles[i]}: ${text}`}</title>
          </rect>
          {(showValue === VisibilityMode.Always || (showValue === VisibilityMode.Auto && fits)) && (
            <text {...(isHorizontal ? { x: at, y: middle } : { x: middle, y: at })} dy="0.35em">
              {text}
            </text>
          )}
        </g>
      );
    };
    return (
      <g transform={`translate(${left} 8)`}>
        <Axis ticks={isHorizontal ? named : valued} length={isHorizontal ? 0 : w} />
        <Axis below={h} ticks={isHorizontal ? valued : named} length={isHorizontal ? h : 0} />
        {rows.map((row, r) => row.map((span, i) => bar(span, r, i)))}
      </g>
    );
  };
  const items = fields.map((f, i) => ({ label: titles[i], color: getFieldSeriesColor(f, theme).color }));
  return (
    <Chart width={width} height={height} legend={legend} items={items}>
      {draw}
    </Chart>
  );
}
