// Frames of an answer, as a plot and as a table.
import { getFrameDisplayName, type DataFrame, type PanelData } from '@grafana/data';
import { Alert, RadioButtonGroup, Stack } from '@grafana/ui';
import { useState } from 'react';
import { useMeasure } from 'react-use';
import { panicOf } from '../observe/faults';
import { initialState, Panel } from '../panels/panel';
import { ownPanel } from '../panels/standins';
import { graphable } from '../panels/timeseries';
import { useLoaded } from '../services/useloaded';
import { Place, useRecord } from './overlay';

type View = 'plot' | 'table' | 'json';
const views = [
  { value: 'plot' as View, label: 'Plot' },
  { value: 'table' as View, label: 'Table' },
  { value: 'json' as View, label: 'JSON' },
];

/** The error of a query, with the place in the backend's sources if it panicked. */
function Failure({ message }: { message: string }) {
  useRecord();
  const panic = panicOf(message);
  return (
    <Alert severity="error" topSpacing={1} title={panic?.message ?? message}>
      {panic && <Place fault={panic} />}
    </Alert>
  );
}

const first = (values: unknown[]) => (values.length > 20 ? [...values.slice(0, 20), `… ${values.length - 20} more`] : values);

const asJSON = (frame: DataFrame, i: number) => ({
  name: getFrameDisplayName(frame, i),
  fields: frame.fields.map(({ name, type, labels, values }) => ({ name, type, labels, values: first(values) })),
});

export function FramesView({ data, timeZone }: { data: PanelData; timeZone: string }) {
  const [element, { width }] = useMeasure<HTMLDivElement>();
  const [chosen, choose] = useState<View>();
  const view = chosen ?? (graphable(data.series).length ? 'plot' : 'table');
  const rows = data.series.reduce((sum, frame) => sum + frame.length, 0);
  const plugin = ownPanel(view === 'plot' ? 'timeseries' : 'table');
  const state = useLoaded(() => initialState(plugin, {}), [plugin]);
  return (
    <div ref={element}>
      <Stack alignItems="center" gap={2} wrap="wrap">
        <RadioButtonGroup size="sm" aria-label="How to show the frames" options={views} value={view} onChange={choose} />
        <span>{`${data.series.length} ${data.series.length === 1 ? 'frame' : 'frames'}, ${rows} ${rows === 1 ? 'row' : 'rows'}`}</span>
      </Stack>
      {data.error && <Failure message={data.error.message ?? 'The query failed.'} />}
      {view === 'json' ? (
        <pre tabIndex={0} aria-label="Frames as JSON" style={{ maxHeight: 320, overflow: 'auto' }}>
          {JSON.stringify(data.series.map(asJSON), null, 2)}
        </pre>
      ) : (
        state &&
        width > 0 &&
        (rows > 0 || !data.error) && (
          <Panel key={view} {...state} {...{ plugin, data, timeZone }} title="Frames" width={Math.floor(width)} height={300} />
        )
      )}
    </div>
  );
}
