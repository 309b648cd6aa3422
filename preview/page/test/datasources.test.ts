import { calls, routes } from './browser';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DataFrame, type DataQuery, type DataSourceInstanceSettings } from '@grafana/data';
import { config } from '@grafana/runtime';
import { lastValueFrom } from 'rxjs';
import { timeRange } from '../src/data/frames';
import { installLoader } from '../src/modules/load';
import { record } from '../src/observe/record';
import { dataSources } from '../src/services/datasources';
import { loadPlugin } from '../src/services/plugins';
import { makeRequest, runRequest } from '../src/services/queries';
import { variables } from '../src/services/variables';

installLoader();
const type = 'acme-datasource';
const saved = (uid: string, more = {}) => {
  return { id: 1, uid, name: `Name of ${uid}`, type, meta: { info: {} }, access: 'proxy', readOnly: false, ...more };
};
const range = timeRange({ from: '0', to: '120000' });
const answer = async (uid: string, query: Partial<DataQuery> & Record<string, unknown>) =>
  lastValueFrom(runRequest(await dataSources.get({ uid, type: uid }), makeRequest({ range, targets: [{ refId: 'A', ...query }] })));
const columns = (frame: DataFrame) => Array.from(frame.fields, ({ name, type, values }) => [name, type, ...values.slice(0, 2)]);

test('the settings of the host, with the metadata of the mounted plugin', async () => {
  const others = { prom: saved('p', { type: 'prometheus', jsonData: { a: 1 }, meta: { logs: true, metrics: false } }) };
  const datasources = { a: saved('a'), b: saved('b'), ...others };
  routes['GET /api/frontend/settings'] = () => ({ datasources, defaultDatasource: 'Name of b' });
  await dataSources.refresh();
  const settings = dataSources.getInstanceSettings('a');
  assert.deepEqual([settings.meta.module, settings.jsonData], ['public/plugins/acme-datasource/module.js', {}]);
  assert.deepEqual(Object.keys(config.datasources), ['Name of a', 'Name of b', 'Name of p']);
});

test('a data source is found by uid, name, type, variable, and as the default', () => {
  variables.set([{ name: 'ds', type: 'datasource', current: { value: 'p' } }]);
  const uid = (ref?: Parameters<typeof dataSources.getInstanceSettings>[0]) => dataSources.getInstanceSettings(ref).uid;
  assert.deepEqual([uid('a'), uid('Name of p'), uid({ uid: 'b' }), uid({ type: 'prometheus' }), uid('${ds}')], ['a', 'p', 'b', 'p', 'p']);
  assert.deepEqual([uid(), uid(null), uid('default'), uid('-- Grafana --')], ['b', 'b', 'b', 'grafana']);
  assert.equal(dataSources.getInstanceSettings('a', { ds: { value: 'a' } }).uid, 'a');
  assert.equal(record.notes.size, 0);
});

test('for one that is not there, a stand-in takes its place and says so', () => {
  const { uid, meta } = dataSources.getInstanceSettings({ uid: 'gone', type: 'loki' });
  assert.deepEqual([uid, meta.id], ['gone', 'loki']);
  dataSources.getInstanceSettings({ type: 'testdata' });
  const [absent, computed] = record.notes;
  assert.equal(absent, 'No data source "gone" exists here; a stand-in without data takes its place.');
  assert.equal(computed, 'The preview computes the data of testdata.');
});

test('lists are sorted and filtered', () => {
  const uids = (filters: Parameters<typeof dataSources.getList>[0]) => dataSources.getList(filters).map((s) => s.uid);
  assert.deepEqual(uids({}), ['a', 'b', 'p']);
  assert.deepEqual([uids({ type: ['prometheus'] }), uids({ pluginId: type }), uids({ logs: true })], [['p'], ['a', 'b'], ['p']]);
  assert.deepEqual([uids({ metrics: true }), uids({ filter: (s) => s.uid === 'b' })], [['a', 'b'], ['b']]);
});

const module = (answers: string) => `define(['@grafana/data'], ({ DataSourcePlugin }) => {
  class Source { // without the parent's constructor, as some do
    constructor(settings, backendSrv) {}
    query = async () => ({ data: [{ fields: [{ name: '${answers}', values: [1] }] }] });
  }
  return { plugin: new DataSourcePlugin(Source).setQueryEditor(() => 'editor') };
})`;

test('an instance of the plugin is made once for each data source, complete, and again when the plugin was built', async () => {
  routes[`GET /public/plugins/${type}/module.js`] = () => module('first');
  const [one, same, other] = await Promise.all(['a', 'a', 'b'].map((uid) => dataSources.get(uid)));
  assert.ok(one === same && one !== other);
  assert.ok(record.notes.has(`The class of ${type} takes 2 arguments. Since 11.0, hosts pass its settings only.`));
  assert.equal(
    [one.uid, one.name, one.type, one.meta.id, typeof one.components?.QueryEditor].join(),
    `a,Name of a,${type},${type},function`,
  );
  assert.equal(calls.filter((c) => c.endsWith('module.js')).length, 1);
  assert.deepEqual(columns((await answer('a', {})).series[0]), [['first', 'number', 1]]);
  routes[`GET /public/plugins/${type}/module.js`] = () => module('second');
  await loadPlugin(type, '2');
  assert.equal(await dataSources.get('a'), one);
  dataSources.forget(type); // as the page does
  assert.deepEqual(columns((await answer('a', {})).series[0]), [['second', 'number', 1]]);
});

test('data sources that plugins register while they run are found', async () => {
  const dataSource = { uid: 'runtime', instanceSettings: { uid: 'runtime' } as DataSourceInstanceSettings };
  dataSources.registerRuntimeDataSource({ dataSource } as never);
  assert.equal(await dataSources.get('runtime'), dataSource);
});

test('the stand-ins answer as the data sources that they stand for', async () => {
  const walk = await answer('grafana', { queryType: 'randomWalk' });
  assert.equal(walk.series[0].fields.map((f) => f.name).join(), 'time,A-series');
  assert.deepEqual(await answer('loki', {}).then((d) => [d.state, d.series]), ['Done', []]);
  const fields = [{ name: 'n', type: 'number', values: ['1', 'x'] }];
  const { series } = await answer('marcusolsson-static-datasource', { frame: { fields } });
  assert.deepEqual([series[0].refId, ...columns(series[0])], ['A', ['n', 'number', '1', 'x']]);
  const slow = await answer('testdata', { scenarioId: 'csv_metric_values', stringInput: '1,2', alias: '${ds}' });
  assert.equal(columns(slow.series[0]).join(), 'time,time,0,120000,p,number,1,2');
});
