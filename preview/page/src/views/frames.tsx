// Frames of an answer, as a plot and as a table.
import { getFrameDisplayName, type PanelData } from '@grafana/data';
import { Alert, RadioButtonGroup, Stack } from '@grafana/ui';
import { useEffect, useRef, useState } from 'react';
import { panicOf } from '../observe/faults';
import { graphable } from '../panels/prepare';
import { initialState, Panel } from '../panels/panel';
import { ownPanel } from '../panels/standins';
import { useLoaded } from '../services/useloaded';
import { Place, useRecord } from './overlay';

type View = 'plot' | 'table' | 'json';
const views = [
  { value: 'plot' as View, label: 'Plot' },
  { value: 'table' as View, label: 'Table' },
  { value: 'json' as View, label: 'JSON' },
];

/** The width of an element, as it is now. */
export function useWidth() {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    if (element.current) {
      observer.observe(element.current);
    }
    return () => observer.disconnect();
  }, []);
  return { element, width };
}

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

export function FramesView({ data, timeZone }: { data: PanelData; timeZone: string }) {
  const { element, width } = useWidth();
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
          {JSON.stringify(
            data.series.map((f, i) => ({
              name: getFrameDisplayName(f, i),
              fields: f.fields.map(({ name, type, labels, values }) => ({ name, type, labels, values: values.slice(0, 20) })),
            })),
            null,
            2,
          )}
        </pre>
      ) : (
        state &&
        width > 0 &&
        (rows > 0 || !data.error) && (
          <Panel key={view} plugin={plugin} {...state} data={data} title="Frames" width={width} height={300} timeZone={timeZone} />
        )
      )}
    </div>
  );
}
