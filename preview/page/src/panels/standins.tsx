// Stand-ins for the panels of the interface itself, which are in no package.
import { FieldColorModeId, FieldConfigProperty, PanelPlugin, type PanelProps } from '@grafana/data';
import type { ComponentType } from 'react';
import { record } from '../observe/record';
import { metaOf } from '../services/plugins';
import { BarChartPanel } from './barchart';
import { LogsPanel } from './logs';
import { PieChartPanel } from './piechart';
import { StateTimelinePanel, StatusHistoryPanel } from './statetimeline';
import { TablePanel } from './table';
import { TextPanel } from './text';
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

/** The colors of those that begin with others than those of thresholds. */
const colors: Record<string, FieldColorModeId> = {
  timeseries: FieldColorModeId.PaletteClassic,
  graph: FieldColorModeId.PaletteClassic,
  barchart: FieldColorModeId.PaletteClassic,
  piechart: FieldColorModeId.PaletteClassic,
  'state-timeline': FieldColorModeId.ContinuousGrYlRd,
};

const made = new Map<string, PanelPlugin>();

function make(id: string): PanelPlugin {
  const own = panels[id];
  const plugin = new PanelPlugin(own ?? saying(`The panel ${id}, drawn as a table`, TablePanel));
  const mode = colors[id];
  plugin.useFieldConfig({ standardOptions: mode ? { [FieldConfigProperty.Color]: { defaultValue: { mode } } } : {} });
  plugin.meta = { ...metaOf({ id, name: id, type: 'panel' }), sort: 0 };
  return plugin;
}

/** The stand-in with which the page shows data of its own accord. */
export function ownPanel(id: string): PanelPlugin {
  const plugin = made.get(id) ?? make(id);
  made.set(id, plugin);
  return plugin;
}

/** The stand-in that a plugin gets, which is worth a note. */
export function standInPanel(id: string): PanelPlugin {
  record.note(panels[id] ? `The panel ${id} is a stand-in.` : `The panel ${id} is not here; a table of its data takes its place.`);
  return ownPanel(id);
}
