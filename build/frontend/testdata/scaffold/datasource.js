// A query that lacks keys is sent with the defaults.
assertEqual(new plugin.source().applyTemplateVariables({ refId: 'A', points: 7 }, {}),
  { points: 7, amplitude: 1, refId: 'A', replaced: true }, 'query');

// Leaving an input or pressing Enter changes the query, once.
var changes = [], runs = 0;
var [points, amplitude] = find(show(plugin.queryEditor, {
  query: { refId: 'A', points: 7 }, onChange: (query) => changes.push(query), onRunQuery: () => runs++,
}), 'Input');
assertEqual([points.defaultValue, amplitude.defaultValue], [7, 1], 'inputs');
points.onBlur({ currentTarget: { value: '7' } });
points.onKeyDown({ key: '1', currentTarget: { value: '1' } });
for (const value of ['', '0', 'x', '1.5']) {
  const input = { value };
  points.onBlur({ currentTarget: input });
  assertEqual(input.value, '7', 'input after ' + value);
}
assertEqual(changes, [], 'changes while typing');
points.onKeyDown({ key: 'Enter', currentTarget: { value: '12' } });
amplitude.onBlur({ currentTarget: { value: '2.5' } });
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
