// A stand-in for the logs panel.
import {
  dateTimeFormat,
  FieldType,
  formatLabels,
  LogLevel,
  systemDateFormats,
  type DataFrame,
  type Labels,
  type PanelProps,
} from '@grafana/data';
import { useTheme2 } from '@grafana/ui';
import { Message } from './message';

interface LogOptions {
  showTime?: boolean;
  showLabels?: boolean;
  wrapLogMessage?: boolean;
  prettifyLogMessage?: boolean;
  sortOrder?: 'Ascending' | 'Descending';
}

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
  const [time, levels, labels] = [
    frame.fields.find((f) => f.type === FieldType.time),
    named(/^(severity|(detected_)?level|lvl)$/i),
    named(/^labels$/),
  ];
  const body = named(/^(body|line|message)$/i) ?? frame.fields.find((f) => f.type === FieldType.string && f !== levels);
  return (body?.values ?? []).map((value: unknown, row): Line => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const own = { ...body?.labels, ...(labels?.values[row] as Labels | undefined) };
    const level = String(
      levels?.values[row] ?? own.level ?? own.detected_level ?? /\b(?:level|lvl)"?[=:]"?(\w+)/.exec(text)?.[1],
    ).toLowerCase();
    return { time: Number(time?.values[row]), text, level: LogLevel[level as keyof typeof LogLevel] ?? LogLevel.unknown, labels: own };
  });
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export function LogsPanel({ data, options, timeZone, height }: PanelProps<LogOptions>) {
  const theme = useTheme2();
  const sign = options.sortOrder === 'Ascending' ? 1 : -1;
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
