// Stand-ins for the panels of the interface itself, which are in no package.
import {
  FieldColorModeId,
  FieldConfigProperty,
  getFrameDisplayName,
  PanelPlugin,
  renderMarkdown,
  textUtil,
  type PanelProps,
} from '@grafana/data';
import { Select, Table, useTheme2 } from '@grafana/ui';
import { memoize } from 'lodash';
import { useState, type ComponentType } from 'react';
import { record } from '../observe/record';
import { metaOf } from '../services/plugins';
import { variables } from '../services/variables';
import { BarChartPanel } from './barchart';
import { Message } from './chart';
import { LogsPanel } from './logs';
import { PieChartPanel } from './piechart';
import { StateTimelinePanel, StatusHistoryPanel } from './statetimeline';
import { TimeSeriesPanel } from './timeseries';
import { BarGaugePanel, StatPanel } from './values';

const lineHeight = 18;

/** A drawing that is another one than the interface's says so, in the panel: a picture of it must not mislead. */
function saying<Props extends PanelProps<any>>(what: string, Drawn: ComponentType<Props>): ComponentType<Props> {
  return function Saying(props) {
    return (
      <>
        <div style={{ height: lineHeight, overflow: 'hidden', fontSize: 12, opacity: 0.7 }}>{what}</div>
        <Drawn {...props} height={Math.max(0, props.height - lineHeight)} />
      </>
    );
  };
}

/** For every panel that has no stand-in of its own, too. */
function TablePanel({ data, options, width, height }: PanelProps<{ frameIndex?: number }>) {
  const [chosen, choose] = useState<number>();
  const theme = useTheme2();
  const index = Math.min(chosen ?? options.frameIndex ?? 0, data.series.length - 1);
  const frame = data.series[index];
  if (!frame?.fields.length) {
    return <Message data={data} otherwise="The frame has no fields." />;
  }
  const hasChoice = data.series.length > 1;
  const choiceHeight = hasChoice ? theme.spacing.gridSize * 5 : 0;
  return (
    <div>
      <Table data={frame} width={width} height={height - choiceHeight} ariaLabel="Table" />
      {hasChoice && (
        <Select
          aria-label="Frame"
          options={data.series.map((f, value) => ({ value, label: getFrameDisplayName(f, value) }))}
          value={index}
          onChange={(c) => choose(c.value)}
        />
      )}
    </div>
  );
}

function TextPanel({ options }: PanelProps<{ mode?: string; content?: string }>) {
  const content = variables.replace(options.content ?? '');
  if (options.mode === 'code') {
    return <pre>{content}</pre>;
  }
  const html = options.mode === 'html' ? textUtil.sanitizeTextPanelContent(content) : renderMarkdown(content);
  return <div className="markdown-html" style={{ height: '100%', overflow: 'auto' }} dangerouslySetInnerHTML={{ __html: html }} />;
}

const panels: Record<string, ComponentType<PanelProps<any>>> = {
  // each knows its own options
  timeseries: TimeSeriesPanel,
  graph: TimeSeriesPanel,
  stat: StatPanel,
  singlestat: StatPanel,
  gauge: saying('A gauge, drawn as a bar', BarGaugePanel),
  bargauge: BarGaugePanel,
  barchart: BarChartPanel,
  piechart: PieChartPanel,
  'state-timeline': StateTimelinePanel,
  'status-history': StatusHistoryPanel,
  logs: LogsPanel,
  table: TablePanel,
  text: TextPanel,
};

/** Those that begin with other colors than those of thresholds. */
const colors: Record<string, FieldColorModeId> = {
  ...Object.fromEntries(['timeseries', 'graph', 'barchart', 'piechart'].map((id) => [id, FieldColorModeId.PaletteClassic])),
  'state-timeline': FieldColorModeId.ContinuousGrYlRd,
};

/** The stand-in with which the page shows data of its own accord. */
export const ownPanel = memoize((id: string): PanelPlugin => {
  const own = panels[id];
  const plugin = new PanelPlugin(own ?? saying(`The panel ${id}, drawn as a table`, TablePanel));
  const mode = colors[id];
  plugin.useFieldConfig({ standardOptions: mode ? { [FieldConfigProperty.Color]: { defaultValue: { mode } } } : {} });
  plugin.meta = { ...metaOf({ id, name: id, type: 'panel' }), sort: 0 };
  return plugin;
});

/** The stand-in that a plugin gets, which is worth a note. */
export function standInPanel(id: string): PanelPlugin {
  record.note(panels[id] ? `The panel ${id} is a stand-in.` : `The panel ${id} is not here; a table of its data takes its place.`);
  return ownPanel(id);
}
