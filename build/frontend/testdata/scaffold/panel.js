var options = Object.fromEntries(builder.options.map((option) => [option.path, option.defaultValue]));
assertEqual(options, { textSize: 'large', emptyText: 'No data' }, 'options');
var display = (value) => ({ text: value.toFixed(2), suffix: '%' });
var series = [{ fields: [
  { name: 'time', type: 'time', values: [1, 2], display },
  { name: 'load', type: 'number', values: [1, 2.345], display },
  { name: 'empty', type: 'number', values: [], display },
] }];
assertEqual(texts(show(plugin.panel, { data: { series }, options, width: 1, height: 1 })), ['load', '2.35%'], 'panel');
var empty = find(show(plugin.panel, { data: { series: [] }, options, width: 1, height: 1 }), 'PanelDataErrorView');
assertEqual(empty.map((view) => view.message), ['No data'], 'empty panel');
