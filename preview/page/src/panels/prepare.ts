// Brings frames into the form that graphs expect.
import { FieldType, type DataFrame, type Field } from '@grafana/data';
import {
  AxisColorMode,
  AxisPlacement,
  GraphDrawStyle,
  GraphGradientMode,
  LineInterpolation,
  ScaleDistribution,
  VisibilityMode,
  type GraphFieldConfig,
} from '@grafana/schema';

const lines: GraphFieldConfig = {
  drawStyle: GraphDrawStyle.Line,
  lineInterpolation: LineInterpolation.Linear,
  lineWidth: 1,
  fillOpacity: 10,
  gradientMode: GraphGradientMode.None,
  showPoints: VisibilityMode.Auto,
  pointSize: 5,
  axisPlacement: AxisPlacement.Auto,
  axisColorMode: AxisColorMode.Text,
  scaleDistribution: { type: ScaleDistribution.Linear },
  spanNulls: false,
};

/** The frames that have a time and a number, with the settings of lines where the fields have none. */
export function graphable(frames: DataFrame[]): DataFrame[] {
  return frames
    .filter((f) => f.length > 0 && f.fields.some((x) => x.type === FieldType.time) && f.fields.some((x) => x.type === FieldType.number))
    .map((frame) => {
      const fields = frame.fields.filter((f) => f.type === FieldType.time || f.type === FieldType.number);
      const time = fields.findIndex((f) => f.type === FieldType.time);
      const inOrder = [fields[time], ...fields.filter((_, i) => i !== time)];
      return {
        ...frame,
        fields: inOrder.map((field): Field => ({ ...field, config: { ...field.config, custom: { ...lines, ...field.config.custom } } })),
      };
    });
}
