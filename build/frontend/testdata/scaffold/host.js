// A host for the frontends of scaffolds: an AMD loader, a React that renders to elements,
// and the parts of the shared libraries that the frontends use.
var plugin, requests = [], effects = [];

function assertEqual(got, want, message) {
  if (JSON.stringify(got) !== JSON.stringify(want)) {
    throw new Error(message + ': got ' + JSON.stringify(got) + ', want ' + JSON.stringify(want));
  }
}

var state = [], cursor = 0;
var React = {
  createElement: (type, props, ...children) => ({ type, props: { ...props, children } }),
  Fragment: 'fragment',
  useState(initial) {
    const i = cursor++;
    if (!(i in state)) state[i] = initial;
    return [state[i], (value) => { state[i] = value; }];
  },
  useEffect: (effect) => effects.push(effect),
};

// render calls components until only elements of the libraries and of HTML are left, and
// lists those. Texts are elements of the type text.
function render(element, into) {
  if (typeof element === 'string' || typeof element === 'number') {
    into.push({ type: 'text', props: { text: String(element) } });
  } else if (Array.isArray(element)) {
    element.forEach((child) => render(child, into));
  } else if (element && typeof element.type === 'function') {
    render(element.type(element.props), into);
  } else if (element) {
    into.push(element);
    render(element.props.children, into);
  }
  return into;
}

function show(component, props) {
  cursor = 0;
  effects = [];
  return render(React.createElement(component, props), []);
}

// find returns the props of the elements of a type.
var find = (elements, type) => elements.filter((e) => e.type === type).map((e) => e.props);
var texts = (elements) => find(elements, 'text').map((e) => e.text);

var builder = {
  options: [],
  addTextInput(option) { this.options.push(option); return this; },
  addRadio(option) { this.options.push(option); return this; },
};

var libraries = {
  react: React,
  '@grafana/data': {
    AppPlugin: class {
      setRootPage(page) { this.root = page; return this; }
      addConfigPage(page) { this.config = page; return this; }
    },
    DataSourcePlugin: class {
      constructor(source) { this.source = source; }
      setQueryEditor(editor) { this.queryEditor = editor; return this; }
      setConfigEditor(editor) { this.configEditor = editor; return this; }
    },
    PanelPlugin: class {
      constructor(panel) { this.panel = panel; }
      useFieldConfig() { return this; }
      setPanelOptions(build) { build(builder); return this; }
    },
    FieldType: { number: 'number' },
    getFieldDisplayName: (field) => field.name,
    formattedValueToString: (value) => value.text + value.suffix,
  },
  '@grafana/runtime': {
    DataSourceWithBackend: class {
      applyTemplateVariables(query) { return { ...query, replaced: true }; }
    },
    PanelDataErrorView: 'PanelDataErrorView',
    PluginPage: 'PluginPage',
    getBackendSrv: () => ({
      get(url) { requests.push(['GET', url]); return { then: () => ({ catch() {} }) }; },
      post(url, body) { requests.push(['POST', url, body]); return Promise.resolve(); },
    }),
  },
  '@emotion/css': { css: () => 'css-1' },
  '@grafana/ui': {
    ...Object.fromEntries(['Button', 'Field', 'InlineField', 'Input', 'SecretInput'].map((name) => [name, name])),
    useStyles2: (styles, ...args) => styles({ spacing: String, typography: { h1: {}, h3: {} } }, ...args),
  },
};

var window = { location: { reload() {} } };

function define(...args) {
  const make = args.pop(), names = args.pop(), exports = {};
  const result = make(...names.map((name) => {
    if (name === 'exports') return exports;
    if (name === 'module') return { id: 'plugin', uri: 'plugin' };
    if (!(name in libraries)) throw new Error('the frontend requires ' + name);
    return libraries[name];
  }));
  plugin = (result || exports).plugin;
}
