// A stand-in for the logs panel.
import {
  dateTimeFormat,
  FieldType,
  formatLabels,
  LogLevel,
  LogsSortOrder,
  systemDateFormats,
  type DataFrame,
  type Labels,
  type PanelProps,
} from '@grafana/data';
import type { Options } from '@grafana/schema/dist/esm/raw/composable/logs/panelcfg/x/LogsPanelCfg_types.gen';
import { useTheme2 } from '@grafana/ui';
import { Message } from './chart';

/** The names in the palette of the colors that levels have. */
const colors = { critical: 'purple', error: 'red', warning: 'orange', info: 'green', debug: 'blue', trace: 'light-blue', unknown: 'gray' };

interface Line {
  time: number;
  text: string;
  level: LogLevel;
  labels: Labels;
}

/** The lines of a frame, by the names that its fields have: those of the type for logs, or older ones. */
export function linesOf(frame: DataFrame): Line[] {
  const named = (names: RegExp) => frame.fields.find((f) => names.test(f.name));
  const time = frame.fields.find((f) => f.type === FieldType.time);
  const [levels, labels] = [named(/^(severity|(detected_)?level|lvl)$/i), named(/^labels$/)];
  const body = named(/^(body|line|message)$/i) ?? frame.fields.find((f) => f.type === FieldType.string && f !== levels);
  return (body?.values ?? []).map((value: unknown, row): Line => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const own = { ...body?.labels, ...(labels?.values[row] as Labels | undefined) };
    const inText = /\b(?:level|lvl)"?[=:]"?(\w+)/.exec(text)?.[1];
    const written = String(levels?.values[row] ?? own.level ?? own.detected_level ?? inText).toLowerCase();
    const level = LogLevel[written as keyof typeof LogLevel] ?? LogLevel.unknown;
    return { time: Number(time?.values[row]), text, level, labels: own };
  });
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export function LogsPanel({ data, options, timeZone, height }: PanelProps<Partial<Options>>) {
  const theme = useTheme2();
  const sign = options.sortOrder === LogsSortOrder.Ascending ? 1 : -1;
  const lines = data.series.flatMap(linesOf).sort((a, b) => sign * (a.time - b.time));
  if (!lines.length) {
    return <Message data={data} otherwise="The data has no texts." />;
  }
  return (
    <div tabIndex={0} style={{ height, overflow: 'auto', fontFamily: theme.typography.fontFamilyMonospace, fontSize: 12 }}>
      {lines.map(({ time, text, level, labels }, i) => (
        <div
          key={i}
          style={{
            display: 'flex',
            gap: 8,
            padding: '2px 8px',
            borderLeft: `4px solid ${theme.visualization.getColorByName(colors[level])}`,
            whiteSpace: options.wrapLogMessage ? 'pre-wrap' : 'pre',
          }}
        >
          {options.showTime && (
            <span style={{ flex: 'none' }}>{dateTimeFormat(time, { timeZone, format: systemDateFormats.fullDateMS })}</span>
          )}
          {options.showLabels && (
            <span style={{ flex: 'none', maxWidth: '30%', color: theme.colors.text.secondary }}>{formatLabels(labels)}</span>
          )}
          <span style={{ overflowWrap: 'anywhere' }}>{options.prettifyLogMessage ? pretty(text) : text}</span>
        </div>
      ))}
    </div>
  );
}
