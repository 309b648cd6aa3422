// What stand-ins share: what is shown if there is nothing to draw, and of the charts that the page draws itself, a legend and axes.
import { formattedValueToString, LoadingState, type Field, type PanelData } from '@grafana/data';
import { LegendDisplayMode, type VizLegendOptions } from '@grafana/schema';
import { measureText, useTheme2, VizLayout, VizLegend, type VizLegendItem } from '@grafana/ui';
import type { ReactNode } from 'react';

const fontSize = 12;
export const widest = (texts: string[]) => Math.max(0, ...texts.map((text) => measureText(text, fontSize).width));
export const textOf = (field: Field, value: unknown) => formattedValueToString(field.display!(value));

/** What a panel shows that has nothing to draw. */
export function Message({ data, otherwise, nothing = 'No data' }: { data: PanelData; otherwise: string; nothing?: string }) {
  const theme = useTheme2();
  const text =
    data.error?.message ?? (data.state === LoadingState.Loading ? 'Loading…' : data.series.some((f) => f.length) ? otherwise : nothing);
  return (
    <div style={{ display: 'grid', placeItems: 'center', height: '100%', color: theme.colors.text.secondary, textAlign: 'center' }}>
      {text}
    </div>
  );
}

interface ChartProps {
  width: number;
  height: number;
  legend?: Partial<VizLegendOptions>;
  items: Omit<VizLegendItem, 'yAxis'>[];
  children: (width: number, height: number) => ReactNode;
}

export function Chart({ width, height, legend = {}, items, children }: ChartProps) {
  const { colors } = useTheme2();
  const { showLegend = true, displayMode = LegendDisplayMode.List, placement = 'bottom' } = legend;
  const isShown = showLegend && displayMode !== LegendDisplayMode.Hidden && items.length > 0;
  const shown = isShown ? (
    <VizLayout.Legend placement={placement}>
      <VizLegend items={items.map((item) => ({ ...item, yAxis: 1 }))} placement={placement} displayMode={displayMode} readonly />
    </VizLayout.Legend>
  ) : null;
  return (
    <VizLayout width={width} height={height} legend={shown}>
      {(width, height) => (
        <svg width={width} height={height} fontSize={fontSize} fill={colors.text.primary}>
          {children(width, height)}
        </svg>
      )}
    </VizLayout>
  );
}

interface AxisProps {
  /** The height of the chart, for an axis at its lower end; else, it is on the left. */
  below?: number;
  ticks: { at: number; text: string }[];
  /** How far the lines of the grid go through the chart. */
  length?: number;
}

export function Axis({ below, ticks, length = 0 }: AxisProps) {
  const isBelow = below !== undefined;
  return ticks.map(({ at, text }) => (
    <g key={at} transform={isBelow ? `translate(${at} ${below})` : `translate(0 ${at})`}>
      <line {...(isBelow ? { y2: -length } : { x2: length })} stroke="rgb(128 128 128 / 20%)" />
      <text {...(isBelow ? { y: 18, textAnchor: 'middle' } : { x: -8, dy: '0.35em', textAnchor: 'end' })}>{text}</text>
    </g>
  ));
}
