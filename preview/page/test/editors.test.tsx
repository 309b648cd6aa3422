import './browser';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { MemoryRouter } from 'react-router-dom-v5-compat';
import { AnnotationPane } from '../src/views/annotationpane';
import { QueryPane } from '../src/views/querypane';
import { VariablePane } from '../src/views/variablepane';

test('each editor of queries has the time range of the address when it is first drawn', async () => {
  const years: unknown[] = [];
  const Editor = ({ range }: { range?: { from: { year(): number } } }) => {
    years.push(range?.from.year());
    return null;
  };
  const instance = {
    type: 'acme',
    uid: 'a',
    components: { QueryEditor: Editor },
    annotations: {},
    variables: { getType: () => 'datasource' },
  };
  const given = { instance, settings: { type: 'acme', uid: 'a', meta: {} }, plugin: { components: {} }, query: { refId: 'A' } } as never;
  for (const Pane of [QueryPane, AnnotationPane, VariablePane]) {
    const root = createRoot(document.body.appendChild(document.createElement('div')));
    await act(() =>
      root.render(
        <MemoryRouter initialEntries={['/?from=2020-06-01&to=2020-06-02']}>
          <Pane {...(given as object as any)} />
        </MemoryRouter>,
      ),
    );
    assert.deepEqual([...new Set(years)], [2020], Pane.name);
    years.length = 0;
    root.unmount();
  }
});
