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
import { BarGaugeDisplayMode } from '@grafana/schema';
import type { Options as BarGaugeOptions } from '@grafana/schema/dist/esm/raw/composable/bargauge/panelcfg/x/BarGaugePanelCfg_types.gen';
import type { Options as StatOptions } from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen';
import {
  BarGauge,
  BigValue,
  BigValueColorMode,
  BigValueGraphMode,
  useTheme2,
  VizRepeater,
  type VizRepeaterRenderValueProps,
} from '@grafana/ui';
import type { ReactElement } from 'react';
import { Message } from './chart';

export type ValueOptions = Partial<StatOptions & BarGaugeOptions>;

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
      {...{ width, height, renderCounter }}
      source={data}
      orientation={options.orientation ?? VizOrientation.Auto}
      autoGrid
      renderValue={draw}
    />
  );
}

export function StatPanel(props: Props) {
  const theme = useTheme2();
  const { text, colorMode = BigValueColorMode.Value, graphMode = BigValueGraphMode.Area, justifyMode, textMode } = props.options;
  const shared = { theme, text, colorMode, graphMode, justifyMode, textMode };
  return (
    <Values
      props={props}
      draw={({ value: { display, sparkline }, width, height, count }) => (
        <BigValue
          value={display}
          sparkline={sparkline?.y.type === FieldType.number ? sparkline : undefined}
          {...{ width, height, count }}
          {...shared}
        />
      )}
    />
  );
}

export function BarGaugePanel(props: Props) {
  const theme = useTheme2();
  const { options } = props;
  const { text, displayMode = BarGaugeDisplayMode.Gradient, showUnfilled = true } = options;
  const { orientation: given = VizOrientation.Auto } = options;
  const longer = props.width > props.height ? VizOrientation.Horizontal : VizOrientation.Vertical;
  const orientation = given === VizOrientation.Auto ? longer : given;
  return (
    <Values
      props={{ ...props, options: { ...options, orientation } }}
      draw={({ value, width, height, alignmentFactors }) => (
        <BarGauge
          value={value.display}
          field={value.field}
          display={value.view?.getFieldDisplayProcessor(value.colIndex ?? 0)}
          {...{ width, height, orientation, theme, displayMode, showUnfilled, alignmentFactors, text }}
          isOverflow={false}
        />
      )}
    />
  );
}
