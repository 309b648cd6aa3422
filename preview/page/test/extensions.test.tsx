import { routes } from './browser';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { firstValueFrom } from 'rxjs';
import { filter } from 'rxjs/operators';
import { installLoader } from '../src/modules/load';
import { record } from '../src/observe/record';
import { changed } from '../src/refresh/reload';
import { appEvents, ModalEvent } from '../src/services/events';
import { observeLinks, usePluginComponent, usePluginComponents, usePluginFunctions } from '../src/services/extensions';
import { loadPlugin } from '../src/services/plugins';

installLoader();
const point = 'grafana/dashboard/panel/menu';
const module = (greeting: string) => `define(['react', '@grafana/data'], (React, { AppPlugin, usePluginContext }) => {
  const Greeting = ({ name }) => React.createElement('b', null, '${greeting} ' + name + ' of ' + usePluginContext().meta.id);
  const plugin = new AppPlugin()
    .addLink({ title: 'Plain', targets: '${point}', path: '/a/acme-app' })
    .addLink({ title: 'Elsewhere', targets: 'other' })
    .addLink({ title: 'Hidden', targets: ['${point}'], configure: (context) => (context?.hide ? undefined : { title: 'Shown' }) })
    .addLink({ title: 'Broken', targets: '${point}', configure: () => { throw new Error('in configure'); } })
    .addLink({ title: 'Modal', targets: '${point}', onClick: (_, { openModal }) => openModal({ title: 'Opened', body: () => null }) })
    .addComponent({ title: 'Greeting', targets: '${point}', component: Greeting })
    .addFunction({ title: 'Sum', targets: '${point}', fn: (a, b) => a + b })
    .exposeComponent({ id: 'acme-app/greeting/v1', title: 'Greeting', component: Greeting });
  return { plugin };
})`;
routes['GET /public/plugins/acme-app/module.js'] = () => module('Hello');
const links = (context?: object, limitPerPlugin?: number) =>
  firstValueFrom(observeLinks({ extensionPointId: point, context, limitPerPlugin }).pipe(filter((found) => found.length > 0)));
const titles = async (...args: Parameters<typeof links>) => (await links(...args)).map((l) => l.title);

test('links at a point: configured, hidden in a context, at most so many, and without those that fail', async () => {
  assert.deepEqual(await titles(), ['Plain', 'Shown', 'Modal']);
  assert.deepEqual(await titles({ hide: true }), ['Plain', 'Modal']);
  assert.deepEqual(await titles(undefined, 1), ['Plain']);
  assert.deepEqual(
    record.faults.map((f) => [f.kind, f.message]),
    [['event', 'in configure']],
  );
});

test('a link opens a modal of the page', async () => {
  const opened: string[] = [];
  appEvents.subscribe(ModalEvent, ({ payload }) => opened.push(payload.title));
  (await links()).at(-1)?.onClick?.();
  assert.deepEqual(opened, ['Opened']);
});

function Asking() {
  const { components } = usePluginComponents({ extensionPointId: point });
  const { component: Exposed, isLoading } = usePluginComponent('acme-app/greeting/v1');
  const { functions } = usePluginFunctions({ extensionPointId: point });
  const { component: Absent } = usePluginComponent('acme-app/absent/v1');
  return (
    <>
      {components.map((Added) => (
        <Added key={Added.meta.id} name={Added.meta.title} />
      ))}
      {Exposed && <Exposed name="exposed" />}
      {functions.map(({ id, fn }) => ` ${id}: ${(fn as (a: number, b: number) => number)(1, 2)}`)}
      {isLoading && 'loading'}
      {Absent && 'absent'}
    </>
  );
}

test('components and functions, of the module that was built last', async () => {
  await loadPlugin('acme-app');
  const root = document.body.appendChild(document.createElement('div'));
  await act(() => createRoot(root).render(<Asking />));
  const text = (greeting: string) => `${greeting} Greeting of acme-app${greeting} exposed of acme-app function-acme-app-sum: 3`;
  assert.equal(root.textContent, text('Hello'));
  routes['GET /public/plugins/acme-app/module.js'] = () => module('Goodbye');
  await act(() => changed('acme-app', ['frontend']));
  assert.equal(root.textContent, text('Goodbye'));
  assert.ok(record.notes.has('No mounted app exposes the component acme-app/absent/v1.'));
});
