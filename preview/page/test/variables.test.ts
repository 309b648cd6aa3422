import './browser';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toDataFrame, type ScopedVars } from '@grafana/data';
import { timeRange } from '../src/data/frames';
import { variables } from '../src/services/variables';

const frame = toDataFrame({
  name: 'cpu',
  fields: [
    { name: 'time', type: 'time', values: [1000, 2000] },
    { name: 'load', type: 'number', values: [0.25, 0.5], labels: { host: 'a' }, config: { unit: 'percentunit' } },
    { name: 'two words', values: ['x', 'y'] },
  ],
});
const at = (field: number, rowIndex: number): ScopedVars => ({
  __dataContext: { value: { data: [frame], frame, field: frame.fields[field], rowIndex } },
});
const replaced = (text: string, scoped?: ScopedVars) => variables.replace(text, scoped);

test('macros of the place in the data', () => {
  assert.equal(replaced('${__value.raw} ${__value.text} ${__value.numeric} ${__value.time}', at(1, 1)), '0.5 50% 0.5 2000');
  assert.equal(replaced('${__field.name} ${__field.labels.host} ${__series.name} ${__data.name}', at(1, 1)), 'load a a cpu cpu');
  const fields = '${__data.fields.load} ${__data.fields["two words"]} ${__data.fields[0]} ${__data.fields.load.text}';
  assert.equal(replaced(fields, at(2, 0)), '0.25 x 1000 25%');
  assert.equal(replaced('${__value.raw} ${__field.name}'), '${__value.raw} ${__field.name}');
});

test('the scope comes before what is stored, and the address too', () => {
  variables.set([
    { name: 'host', type: 'custom', query: 'a,b', current: { text: 'a', value: 'a' } },
    { name: 'many', type: 'query', current: { value: ['x', 'y'] } },
  ]);
  assert.equal(replaced('$host $many $none'), 'a {x,y} $none');
  assert.equal(replaced('$host ${row.name}', { host: { value: 'z' }, row: { value: { name: 'n' } } }), 'z n');
  history.replaceState(null, '', '?var-host=b');
  assert.equal(replaced('$host $__all_variables'), 'b var-many=x&var-many=y&var-host=b');
  history.replaceState(null, '', '/');
});

test('what is built in', () => {
  variables.updateTimeRange(timeRange({ from: '1000', to: '2000' }));
  variables.timeZone = 'utc';
  assert.equal(replaced('$__from ${__to:date:seconds} $__timezone $__url_time_range'), '1000 2 utc from=1000&to=2000');
  assert.equal(replaced('${__user.email} $__user ${__org.name} ${__dashboard.uid}'), 'preview@localhost preview Main preview');
});

test('plugins are told which variables there are', () => {
  const told = variables.getVariables() as unknown as { name: string; options: unknown[] }[];
  assert.equal(told.map((v) => v.name + v.options.length).join(), 'host2,many0');
  assert.ok(variables.containsTemplate('a ${b}') && !variables.containsTemplate('a') && !variables.containsTemplate());
  assert.equal(variables.getVariableName('${host:csv}'), 'host');
});
