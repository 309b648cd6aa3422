// Stand-ins for the panels of single values: stat and bar gauge. The gauge is drawn as bars, too: that of @grafana/ui needs a plugin
// of jQuery that is in no package.
import {
  FieldType,
  getDisplayValueAlignmentFactors,
  getFieldDisplayValues,
  VizOrientation,
  type DisplayValueAlignmentFactors,
  type FieldDisplay,
  type PanelProps,
  type ReduceDataOptions,
} from '@grafana/data';
import { BarGaugeDisplayMode, type VizTextDisplayOptions } from '@grafana/schema';
import {
  BarGauge,
  BigValue,
  BigValueColorMode,
  BigValueGraphMode,
  useTheme2,
  VizRepeater,
  type BigValueJustifyMode,
  type BigValueTextMode,
  type VizRepeaterRenderValueProps,
} from '@grafana/ui';
import type { ReactElement } from 'react';
import { Message } from './message';

export interface ValueOptions {
  reduceOptions?: ReduceDataOptions;
  orientation?: VizOrientation;
  text?: VizTextDisplayOptions;
  colorMode?: BigValueColorMode;
  graphMode?: BigValueGraphMode;
  justifyMode?: BigValueJustifyMode;
  textMode?: BigValueTextMode;
  displayMode?: BarGaugeDisplayMode;
  showUnfilled?: boolean;
}

type Props = PanelProps<ValueOptions>;

const lastValue: ReduceDataOptions = { values: false, calcs: ['lastNotNull'], fields: '' };

/** The reduced values of a panel. */
export function useValues({ data, options, fieldConfig, timeZone, replaceVariables }: Props): FieldDisplay[] {
  const theme = useTheme2();
  const reduceOptions = options.reduceOptions?.calcs?.length || options.reduceOptions?.values ? options.reduceOptions : lastValue;
  return data.series.some((f) => f.length)
    ? getFieldDisplayValues({ fieldConfig, reduceOptions, replaceVariables, theme, data: data.series, sparkline: true, timeZone })
    : [];
}

type Draw = (given: VizRepeaterRenderValueProps<FieldDisplay, DisplayValueAlignmentFactors>) => ReactElement;

/** Each value in a place of its own. */
function Values({ props, draw }: { props: Props; draw: Draw }) {
  const { data, options, width, height, renderCounter } = props;
  const values = useValues(props);
  if (!values.length) {
    return <Message data={data} otherwise="The data has no numbers." />;
  }
  return (
    <VizRepeater
      getValues={() => values}
      getAlignmentFactors={getDisplayValueAlignmentFactors}
      width={width}
      height={height}
      source={data}
      renderCounter={renderCounter}
      orientation={options.orientation ?? VizOrientation.Auto}
      autoGrid
      renderValue={draw}
    />
  );
}

export function StatPanel(props: Props) {
  const theme = useTheme2();
  const { options } = props;
  return (
    <Values
      props={props}
      draw={({ value, width, height, count }) => (
        <BigValue
          value={value.display}
          sparkline={value.sparkline?.y.type === FieldType.number ? value.sparkline : undefined}
          width={width}
          height={height}
          theme={theme}
          count={count}
          text={options.text}
          colorMode={options.colorMode ?? BigValueColorMode.Value}
          graphMode={options.graphMode ?? BigValueGraphMode.Area}
          justifyMode={options.justifyMode}
          textMode={options.textMode}
        />
      )}
    />
  );
}

export function BarGaugePanel(props: Props) {
  const theme = useTheme2();
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
      draw={({ value, width, height, alignmentFactors }) => (
        <BarGauge
          value={value.display}
          field={value.field}
          display={value.view?.getFieldDisplayProcessor(value.colIndex ?? 0)}
          width={width}
          height={height}
          orientation={orientation}
          theme={theme}
          displayMode={options.displayMode ?? BarGaugeDisplayMode.Gradient}
          showUnfilled={options.showUnfilled ?? true}
          alignmentFactors={alignmentFactors}
          text={options.text}
          isOverflow={false}
        />
      )}
    />
  );
}
