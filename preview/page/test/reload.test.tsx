import { reloads, routes } from './browser';
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { test } from 'node:test';
import type { PanelPlugin } from '@grafana/data';
import { act, type ComponentType } from 'react';
import { createRoot } from 'react-dom/client';
import { installLoader } from '../src/modules/load';
import { shareModules } from '../src/modules/shared';
import { record } from '../src/observe/record';
import { usePlugin } from '../src/refresh/current';
import { changed, onBackend } from '../src/refresh/reload';
import { loadPlugin, presentPlugin } from '../src/services/plugins';

installLoader();
const id = 'acme-panel';
const button = () => document.querySelector('button')!;
const styles = () => [...document.querySelectorAll('style')].map((style) => style.textContent).filter((text) => text?.endsWith(' {}'));

/** A module with a panel, as the build makes it: the component is registered for Fast Refresh. */
const module = (text: string, effects = '', after = '') => `define(['react', '@grafana/data'], (React, { PanelPlugin }) => {
  document.head.append(Object.assign(document.createElement('style'), { textContent: '${text} {}' }));
  ${effects}
  function Panel() {
    const [clicks, set] = React.useState(0);${after}
    return React.createElement('button', { onClick: () => set(clicks + 1) }, '${text} ' + clicks);
  }
  $RefreshReg$(Panel, 'src/Panel.tsx Panel');
  return { plugin: new PanelPlugin(Panel) };
})`;

/** Puts a module in the place of the plugin's and says that it was built. */
async function build(text: string, parts: ('frontend' | 'backend')[] = ['frontend']): Promise<void> {
  routes[`GET /public/plugins/${id}/module.js`] = () => text;
  await act(() => changed(id, parts));
}

function Shown() {
  const current = usePlugin(id);
  if (current.state !== 'ready') {
    return <p>{current.state}</p>;
  }
  const Panel = (current.plugin as PanelPlugin).panel as ComponentType<object>;
  return <Panel />;
}

test('the globals of the interface are there before a plugin is loaded', async () => {
  await shareModules({});
  const { $, jQuery, _ } = window as never as {
    $: unknown;
    jQuery: { (html: string): { length: number }; plot?: unknown };
    _: { move(...args: unknown[]): unknown };
  };
  assert.deepEqual([$ === jQuery, jQuery('<p>').length, _.move([1, 2, 3], 0, 2)], [true, 1, [2, 3, 1]]);
  assert.deepEqual([jQuery.plot, [...record.missingNames]], [undefined, ['jquery#plot']]);
  jQuery.plot = 'Flot';
  assert.equal(jQuery.plot, 'Flot');
});

test('a plugin that never loaded is not replaced: the page begins anew', async () => {
  await build(module('zero'));
  assert.equal(reloads, 1);
});

test('the plugin is loaded when it is first drawn', async () => {
  const root = document.body.appendChild(document.createElement('div'));
  routes[`GET /public/plugins/${id}/module.js`] = () => module('one');
  await act(() => createRoot(root).render(<Shown />));
  assert.equal(root.textContent, 'loading');
  await act(() => loadPlugin(id));
  await act(() => button().click());
  assert.equal(button().textContent, 'one 1');
});

test('a new module takes its place, with the state of components whose hooks are the same', async () => {
  await build(module('two'));
  assert.equal(button().textContent, 'two 1');
  assert.deepEqual(styles(), ['two {}']);
  await build(module('three', '', 'React.useRef();'));
  assert.equal(button().textContent, 'three 0');
});

test('a module that fails leaves what was there, until another one takes its place', async () => {
  await build(module('broken', 'throw new Error("in the module");'));
  assert.equal(button().textContent, 'three 0');
  assert.deepEqual(
    record.faults.map((f) => [f.kind, f.message]),
    [['load', 'in the module']],
  );
  await build('define({})');
  assert.match(record.faults[1].message, /src\/module.ts of acme-panel exports nothing. It needs: export const plugin = new PanelPlugin/);
  await build(module('four'));
  assert.deepEqual([button().textContent, record.faults, styles()], ['four 0', [], ['four {}']]);
});

test('of two builds the later one stays, whichever is loaded first', async () => {
  const [waits, titles] = [
    [0, 50, 0],
    ['loaded', 'older', 'newer'],
  ];
  routes['GET /api/plugins/acme-app/settings'] = () => setTimeout(waits.shift(), {});
  routes['GET /public/plugins/acme-app/module.js'] = () =>
    `define(['@grafana/data'], ({ AppPlugin }) => ({ plugin: Object.assign(new AppPlugin(), { title: '${titles.shift() ?? ''}' }) }))`;
  await loadPlugin('acme-app');
  await Promise.all([changed('acme-app', ['frontend']), changed('acme-app', ['frontend'])]);
  assert.equal((presentPlugin('acme-app') as { title?: string }).title, 'newer');
});

test('who asks a backend asks again, after the frontend was replaced', async () => {
  const seen: (string | null)[] = [];
  const end = onBackend(() => seen.push(styles()[0]));
  await build(module('seven'), ['backend', 'frontend']);
  await build(module('eight'));
  end();
  await build(module('nine'), ['backend']);
  assert.deepEqual(seen, ['seven {}']);
  assert.equal(button().textContent, 'eight 0');
});

test('what cannot be replaced begins the page anew: assets, other plugins, and after many modules', async () => {
  const before = reloads;
  await changed(id, ['assets']);
  await changed('other-panel', ['frontend']);
  assert.equal(reloads, before + 2);
  for (let n = 0; n < 50 && reloads === before + 2; n++) {
    await build(module('many'));
  }
  assert.equal(reloads, before + 3);
});
