var options = Object.fromEntries(builder.options.map((option) => [option.path, option.defaultValue]));
assertEqual(options, { emptyText: 'No data', decimals: 2 }, 'options');
var series = [{ fields: [
  { name: 'time', type: 'time', values: [1, 2] },
  { name: 'load', type: 'number', values: [1, 2.345] },
  { name: 'empty', type: 'number', values: [] },
] }];
assertEqual(texts(show(plugin.panel, { data: { series }, options, width: 1, height: 1 })), ['load', '2.35'], 'panel');
assertEqual(texts(show(plugin.panel, { data: { series: [] }, options, width: 1, height: 1 })), ['No data'], 'empty panel');
