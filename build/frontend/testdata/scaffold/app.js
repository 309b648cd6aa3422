var meta = { id: 'x', pinned: true, jsonData: { url: 'https://api.example.com' }, info: { description: 'About it' }, secureJsonFields: {} };
assertEqual(texts(show(plugin.root, { meta, path: '/a/x/about' })), ['About it'], 'about page');
state = [];
var status = texts(show(plugin.root, { meta, path: '/a/x/status' }));
if (hasBackend) {
  assertEqual(status, ['Loading', 'Playlists: ', 'Loading'], 'status page');
  effects.forEach((effect) => effect());
  assertEqual(requests, ['status', 'playlists'].map((name) => ['GET', '/api/plugins/acme-hello-world-app/resources/' + name]), 'requests');
} else {
  assertEqual(status, ['https://api.example.com'], 'status page');
}

// The configuration page stores the secret apart from the settings.
var configure = () => show(plugin.config.body, { plugin: { meta } });
var save = () => find(configure(), 'form')[0].onSubmit({ preventDefault() {} });
requests = [];
state = [];
find(configure(), 'SecretInput')[0].onChange({ currentTarget: { value: 'hidden' } });
save();
assertEqual(requests, [['POST', '/api/plugins/x/settings', {
  enabled: true, pinned: true, jsonData: { url: 'https://api.example.com' }, secureJsonData: { apiKey: 'hidden' },
}]], 'requests');

// A stored secret is kept unless it is reset.
requests = [];
state = [];
meta.secureJsonFields.apiKey = true;
save();
assertEqual(requests[0][2].secureJsonData, {}, 'stored secret');
state = [];
meta.jsonData.url = 'nowhere';
assertEqual(find(configure(), 'Button')[0].disabled, true, 'invalid URL');
