import { calls, routes } from './browser';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FieldType, PanelPlugin, toDataFrame, type PanelData, type PanelPluginMeta } from '@grafana/data';
import { lastValueFrom } from 'rxjs';
import { map, take, toArray } from 'rxjs/operators';
import { frameFromAny, timeRange } from '../src/data/frames';
import { record } from '../src/observe/record';
import { initialState } from '../src/panels/panel';
import { sourceData, type Source } from '../src/panels/source';
import { savedQueries, storiesOf, storyData, type SavedPanel, type Story } from '../src/panels/stories';
import { registerTransformers } from '../src/services/transformers';
import { variables } from '../src/services/variables';

registerTransformers();
const range = timeRange({ from: '0', to: '60000' });
const testdata = { type: 'grafana-testdata-datasource', uid: 'testdata' };
const csv = (refId: string, csvContent: string, more = {}) => ({ refId, scenarioId: 'csv_content', csvContent, ...more });
const story = (saved: Partial<SavedPanel>, sources: SavedPanel[] = []): Story => {
  const panel = { type: 'acme-panel', datasource: testdata, ...saved };
  return { title: 'Story', dashboard: 'Dashboard', panel, variables: null, time: null, sources };
};
const shown = (one: Story) => lastValueFrom(storyData(one, range, 'utc'));
const source = (from: Source) => sourceData(from, range, 'utc');
const table = ({ series }: PanelData) =>
  series.map((f) => f.fields.map(({ name, values, config }) => [config.displayName ?? name, ...values]));

test('the queries of a panel are run, but for hidden ones, and it loads until all have answered', async () => {
  const hidden = csv('B', '', { hide: true, datasource: { uid: 'hidden' } });
  const targets = [csv('A', 'a\n1'), hidden, csv('C', '', { datasource: { uid: 'none' } })];
  const steps = await lastValueFrom(storyData(story({ targets }), range, 'utc').pipe(toArray()));
  assert.deepEqual([steps[0].state, steps.at(-1)!.state], ['Loading', 'Done']);
  assert.deepEqual(table(steps.at(-1)!), [[['a', 1]]]);
  const notes = [...record.notes].join();
  assert.ok(notes.includes('No data source "none" exists here') && !notes.includes('of the type none') && !notes.includes('hidden'), notes);
});

test('queries of a mixed panel go to their own data sources, or to the default', async () => {
  const mixed = { uid: '-- Mixed --' };
  const snapshot = [{ fields: [{ name: 's', values: [1] }] }];
  const own = { refId: 'B', datasource: { type: 'datasource', uid: 'grafana' }, queryType: 'snapshot', snapshot };
  const data = await shown(story({ datasource: mixed, targets: [csv('A', 'a\n1'), own] }));
  assert.deepEqual(table(data), [[['a', 1]], [['s', 1]]]);
});

test('transformations change the data in their order, without those that are off or about annotations', async () => {
  const rename = (from: string, to: string, more = {}) => ({ id: 'organize', options: { renameByName: { [from]: to } }, ...more });
  const transformations = [
    { id: 'filterFieldsByName', options: { include: { names: ['a'] } } },
    rename('a', 'b'),
    rename('b', 'c', { disabled: true }),
    { id: 'of tomorrow', options: {} },
    rename('b', 'd', { topic: 'annotations' }),
    rename('b', '${name}'),
  ];
  variables.set([{ name: 'name', type: 'constant', query: 'e' }]);
  const data = await shown(story({ targets: [csv('A', 'a,x\n1,2')], transformations: transformations as never }));
  assert.deepEqual(table(data), [[['e', 1]]]);
  assert.ok(record.notes.has('The transformation of tomorrow is not here: the data stays as it was.'));
});

test('a panel shows the data of another one of its dashboard, transformed twice, and not its own', async () => {
  const limit = (limitField: number) => [{ id: 'limit', options: { limitField } }];
  const other: SavedPanel = { id: 7, type: 'table', datasource: testdata, targets: [csv('A', 'a\n1\n2\n3')], transformations: limit(2) };
  const target = { refId: 'A', panelId: 7 };
  const panel = { datasource: { uid: '-- Dashboard --' }, targets: [target], transformations: limit(1) };
  assert.deepEqual(table(await shown(story(panel, [other]))), [[['a', 1]]]);
  const self: SavedPanel = { ...story(panel).panel, id: 7 };
  const alone = await shown({ ...story(self, [self]), panel: self });
  assert.deepEqual([alone.state, alone.series], ['Done', []]);
});

test('one failed query is the error of the panel, beside the data of the others', async () => {
  const targets = [csv('A', 'a\n1'), { refId: 'B', scenarioId: 'server_error_500', datasource: { ...testdata, uid: 'other' } }];
  const { state, error, series } = await shown(story({ targets }));
  assert.deepEqual([state, error?.message, series.length], ['Error', 'the query asks for an error', 1]);
  assert.ok(record.notes.has('The query B of the test data source failed: the query asks for an error.'));
});

test('a panel without queries asks its data source once, and one without either is done', async () => {
  assert.equal((await shown(story({}))).series[0].refId, 'A');
  assert.equal((await shown(story({ datasource: null }))).state, 'Done');
});

test('the stories of a plugin are asked for once, and give its data source queries', async () => {
  const ours = { type: 'acme-datasource', uid: 'x' };
  const targets = [{ refId: 'A' }, { refId: 'B', datasource: testdata }, { refId: 'C', datasource: { type: ours.type } }];
  routes['GET /-/stories'] = () => [story({ datasource: ours, targets }), story({ datasource: 'by name', targets: [{ refId: 'D' }] })];
  assert.equal((await storiesOf('acme-datasource')).length, 2);
  assert.equal((await savedQueries('acme-datasource')).map(({ label }) => label).join('; '), 'Story, A; Story, C');
  assert.deepEqual(calls, ['GET /-/stories?plugin=acme-datasource']);
});

test('the sources of data: scenarios, frames, and a query', async () => {
  const scenario = (id: string) => lastValueFrom(source({ kind: 'scenario', id }).pipe(take(1)));
  const states = await Promise.all(['table', 'error', 'loading', 'nodata'].map(scenario));
  assert.equal(states.map((d) => d.state + d.series.length).join(), 'Done1,Error0,Loading0,Done0');
  const [first, second] = await lastValueFrom(source({ kind: 'scenario', id: 'streaming' }).pipe(take(2), map(table), toArray()));
  assert.equal(Number(second[0][0][1]) - Number(first[0][0][1]), 1000);
  const frames = [toDataFrame({ fields: [{ name: 'a', values: [1] }] })];
  assert.deepEqual((await lastValueFrom(source({ kind: 'frames', frames }))).series, frames);
  const steps = await lastValueFrom(source({ kind: 'query', ref: testdata, queries: [csv('A', 'a\n1')] }).pipe(toArray()));
  assert.equal(steps.map((d) => d.state + table(d).join()).join(), 'Loading,Donea,1');
});

test('frames in each form in use', () => {
  const schema = { refId: 'B', fields: [{ name: 'a', type: FieldType.number }] };
  const forms = [{ schema, data: { values: [[1]] } }, { fields: [{ name: 'a', values: [1] }] }, { columns: [{ text: 'a' }], rows: [[1]] }];
  const frames = forms.map((form) => frameFromAny(form, 'A'));
  assert.equal(frames.map((f) => f.refId! + f.fields[0].name + f.fields[0].values.join()).join(), 'Ba1,Aa1,Aa1');
});

test('a saved panel without options is migrated with what its root has, and another one with its options', async () => {
  const plugin = new PanelPlugin<object>(() => null);
  plugin.meta = { id: 'acme-panel', info: { version: '2.0.0' } } as PanelPluginMeta;
  const { columns, datasource } = { columns: [{ text: 'a' }], datasource: testdata };
  plugin.setMigrationHandler((panel) => ({ ...panel.options, from: { ...panel, columns: panel['columns' as never] as unknown } }));
  const migrated = async (saved: object) => (await initialState(plugin, saved)).options as { from?: { [key: string]: unknown } };
  for (const options of [undefined, {}]) {
    const { from } = await migrated({ type: 'acme-panel', columns, datasource, targets: [{ refId: 'A' }], options });
    assert.deepEqual([from?.columns, from?.datasource, from?.targets], [columns, undefined, []]);
  }
  const { from } = await migrated({ type: 'acme-panel', columns, options: { a: 1 } });
  assert.deepEqual([from?.columns, from?.options], [undefined, { a: 1 }]);
  assert.deepEqual(await migrated({}), {});
});
