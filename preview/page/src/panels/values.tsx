// Stand-ins for the panels of single values: stat, gauge and bar gauge.
import {
  FieldType,
  getDisplayValueAlignmentFactors,
  getFieldDisplayValues,
  VizOrientation,
  type FieldDisplay,
  type PanelProps,
  type ReduceDataOptions,
} from '@grafana/data';
import { BarGaugeDisplayMode, type VizTextDisplayOptions } from '@grafana/schema';
import * as ui from '@grafana/ui';
import type { ReactElement } from 'react';
import { Message } from './message';

interface ValueOptions {
  reduceOptions?: ReduceDataOptions;
  orientation?: VizOrientation;
  text?: VizTextDisplayOptions;
  colorMode?: ui.BigValueColorMode;
  graphMode?: ui.BigValueGraphMode;
  justifyMode?: ui.BigValueJustifyMode;
  textMode?: ui.BigValueTextMode;
  displayMode?: BarGaugeDisplayMode;
  showUnfilled?: boolean;
  showThresholdMarkers?: boolean;
  showThresholdLabels?: boolean;
}

type Props = PanelProps<ValueOptions>;

const lastValue: ReduceDataOptions = { values: false, calcs: ['lastNotNull'], fields: '' };

/** The reduced values of a panel, each in a place of its own. */
function Values({
  props,
  draw,
}: {
  props: Props;
  draw: (value: FieldDisplay, width: number, height: number, all: FieldDisplay[]) => ReactElement;
}) {
  const { data, options, fieldConfig, width, height, timeZone, replaceVariables, renderCounter } = props;
  const theme = ui.useTheme2();
  const reduceOptions = options.reduceOptions?.calcs?.length || options.reduceOptions?.values ? options.reduceOptions : lastValue;
  const values = data.series.some((f) => f.length)
    ? getFieldDisplayValues({ fieldConfig, reduceOptions, replaceVariables, theme, data: data.series, sparkline: true, timeZone })
    : [];
  if (!values.length) {
    return <Message data={data} otherwise="The data has no numbers." />;
  }
  return (
    <ui.VizRepeater
      getValues={() => values}
      width={width}
      height={height}
      source={data}
      renderCounter={renderCounter}
      orientation={options.orientation ?? VizOrientation.Auto}
      autoGrid
      renderValue={({ value, width, height }) => draw(value, width, height, values)}
    />
  );
}

export function StatPanel(props: Props) {
  const theme = ui.useTheme2();
  const { options } = props;
  return (
    <Values
      props={props}
      draw={(value, width, height, all) => (
        <ui.BigValue
          value={value.display}
          sparkline={value.sparkline?.y.type === FieldType.number ? value.sparkline : undefined}
          width={width}
          height={height}
          theme={theme}
          count={all.length}
          text={options.text}
          colorMode={options.colorMode ?? ui.BigValueColorMode.Value}
          graphMode={options.graphMode ?? ui.BigValueGraphMode.Area}
          justifyMode={options.justifyMode}
          textMode={options.textMode}
        />
      )}
    />
  );
}

export function BarGaugePanel(props: Props) {
  const theme = ui.useTheme2();
  const { options } = props;
  const orientation =
    options.orientation && options.orientation !== VizOrientation.Auto
      ? options.orientation
      : props.width > props.height
        ? VizOrientation.Horizontal
        : VizOrientation.Vertical;
  return (
    <Values
      props={{ ...props, options: { ...options, orientation } }}
      draw={(value, width, height, all) => (
        <ui.BarGauge
          value={value.display}
          field={value.field}
          display={value.view?.getFieldDisplayProcessor(value.colIndex ?? 0)}
          width={width}
          height={height}
          orientation={orientation}
          theme={theme}
          displayMode={options.displayMode ?? BarGaugeDisplayMode.Gradient}
          showUnfilled={options.showUnfilled ?? true}
          alignmentFactors={getDisplayValueAlignmentFactors(all)}
          text={options.text}
          isOverflow={false}
        />
      )}
    />
  );
}

/** The gauge was left out of @grafana/ui in 13: bars are drawn there. */
export function GaugePanel(props: Props) {
  const theme = ui.useTheme2();
  const { options } = props;
  const Gauge = 'Gauge' in ui ? ui.Gauge : undefined;
  if (!Gauge) {
    return <BarGaugePanel {...props} />;
  }
  return (
    <Values
      props={props}
      draw={(value, width, height) => (
        <Gauge
          value={value.display}
          field={value.field}
          width={width}
          height={height}
          theme={theme}
          text={options.text}
          showThresholdMarkers={options.showThresholdMarkers ?? true}
          showThresholdLabels={options.showThresholdLabels ?? false}
        />
      )}
    />
  );
}
