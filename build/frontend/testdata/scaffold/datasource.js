// A query that lacks keys is sent with the defaults.
assertEqual(new plugin.source().applyTemplateVariables({ refId: 'A', points: 7 }, {}),
  { points: 7, amplitude: 1, refId: 'A', replaced: true }, 'query');

// Leaving an input or pressing Enter changes the query, once, if the text is valid.
var changes = [], runs = 0;
var edit = () => find(show(plugin.queryEditor, {
  query: { refId: 'A', points: 7 }, onChange: (query) => changes.push(query), onRunQuery: () => runs++,
}), 'Input');
var type = (field, value) => edit()[field].onChange({ currentTarget: { value } });
assertEqual(edit().map((input) => input.value), ['7', '1'], 'inputs');
edit()[0].onBlur();
type(0, '1');
edit()[0].onKeyDown({ key: '2' });
for (const value of ['', '0', 'x', '1.5']) {
  type(0, value);
  edit()[0].onBlur();
  assertEqual(edit()[0].value, value, 'invalid input');
}
assertEqual(changes, [], 'changes while typing');
type(0, '12');
edit()[0].onKeyDown({ key: 'Enter' });
type(1, '2.5');
edit()[1].onBlur();
assertEqual(changes, [{ refId: 'A', points: 12 }, { refId: 'A', points: 7, amplitude: 2.5 }], 'changes');
assertEqual(runs, 2, 'runs');

// The secret is stored apart from the settings, and a stored one is never shown.
var saved;
var configure = (options) => show(plugin.configEditor, { options, onOptionsChange: (o) => { saved = o; } });
var form = configure({ jsonData: { maxPoints: 5, other: 1 }, secureJsonFields: {} });
var [address, maxPoints] = find(form, 'Input');
address.onChange({ currentTarget: { value: 'https://api.example.com' } });
assertEqual(saved.url, 'https://api.example.com', 'URL');
maxPoints.onChange({ currentTarget: { value: '50' } });
assertEqual(saved.jsonData, { maxPoints: 50, other: 1 }, 'settings');
find(form, 'SecretInput')[0].onChange({ currentTarget: { value: 'hidden' } });
assertEqual([saved.secureJsonData.apiKey, JSON.stringify(saved.jsonData).includes('hidden')], ['hidden', false], 'secret');
var stored = find(configure({ jsonData: {}, secureJsonFields: { apiKey: true } }), 'SecretInput')[0];
assertEqual([stored.isConfigured, stored.value], [true, ''], 'stored secret');
stored.onReset();
assertEqual(saved.secureJsonFields.apiKey, false, 'reset secret');
