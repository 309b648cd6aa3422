// A stand-in for the pie chart.
import { formattedValueToString, type PanelProps } from '@grafana/data';
import type { VizLegendOptions } from '@grafana/schema';
import { arc, pie } from 'd3';
import { Chart, Message } from './chart';
import { useValues, type ValueOptions } from './values';

type Shown = 'name' | 'value' | 'percent';

interface PieOptions extends ValueOptions {
  pieType?: 'pie' | 'donut';
  sort?: 'asc' | 'desc' | 'none';
  displayLabels?: Shown[];
  legend?: VizLegendOptions & { values?: Shown[] };
}

export function PieChartPanel(props: PanelProps<PieOptions>) {
  const { data, width, height } = props;
  const { pieType, sort = 'desc', displayLabels = [], legend } = props.options;
  const values = useValues(props).filter(({ display, field }) => !isNaN(display.numeric) && !field.custom?.hideFrom?.viz);
  if (!values.length) {
    return <Message data={data} otherwise="The data has no numbers." />;
  }
  const sign = { asc: 1, desc: -1, none: 0 }[sort];
  const sorted = values.map((v) => v.display).sort((a, b) => sign * (a.numeric - b.numeric));
  const sum = sorted.reduce((all, { numeric }) => all + numeric, 0);
  const texts = sorted.map((display) => ({
    name: display.title ?? '',
    value: formattedValueToString(display),
    percent: `${((display.numeric / sum) * 100).toFixed(0)}%`,
  }));
  const items = sorted.map(({ color }, i) => ({
    label: texts[i].name,
    color,
    getDisplayValues: () => (legend?.values ?? []).filter((v) => v !== 'name').map((v) => ({ numeric: 0, text: texts[i][v], title: v })),
  }));
  const slices = pie().sort(null).padAngle(0.005)(sorted.map((display) => display.numeric));
  const draw = (width: number, height: number) => {
    const radius = Math.min(width, height) / 2 - 8;
    const hole = pieType === 'donut' ? radius - Math.max(radius / 3, 20) : 0;
    const path = arc().innerRadius(hole).outerRadius(radius).cornerRadius(3);
    return (
      <g transform={`translate(${width / 2} ${height / 2})`} textAnchor="middle">
        {slices.map((slice: { startAngle: number; endAngle: number }, i: number) => (
          <g key={i}>
            <path d={path(slice)} fill={sorted[i].color}>
              <title>{`${texts[i].name}: ${texts[i].value}`}</title>
            </path>
            {slice.endAngle - slice.startAngle > 0.3 && (
              <text transform={`translate(${path.centroid(slice)})`} pointerEvents="none">
                {displayLabels.map((label, line) => (
                  <tspan key={label} x={0} dy={line ? '1.2em' : `${0.9 - 0.6 * displayLabels.length}em`}>
                    {texts[i][label]}
                  </tspan>
                ))}
              </text>
            )}
          </g>
        ))}
      </g>
    );
  };
  return (
    <Chart width={width} height={height} legend={legend} items={items}>
      {draw}
    </Chart>
  );
}
