'use strict';

// The world that a frontend is evaluated in. The value of this file is a function that gets
// what Go provides:
//
//   verdict     the value of conditions that depend on a stand-in
//   maxElements the length that an array or a string may have
//   record      takes a registration as JSON
//   reach       takes the number of a registration's call when its arguments are known
//   step        takes the number of the statement at the top level that begins
//   failed      takes the number of a statement, the exception as text, and its stack
//   exceed      ends the evaluation: something would be too large
//   isDeep      reports whether JSON text is nested too deeply to be parsed
//
// and returns late, which evaluates the argument of a registration that was not reached.
(function ({ verdict, maxElements, record, reach, step, failed, exceed, isDeep }) {
  const stringify = JSON.stringify;
  const { isArray } = Array;
  const { apply, construct, ownKeys } = Reflect;
  const fromCharCode = String.fromCharCode;

  // Stand-ins -----------------------------------------------------------------------------------

  // A stand-in stands for a value that only the host or a package has. It can be called,
  // constructed, extended, iterated and awaited, and has every property. As a string it is its
  // number in private-use characters, which show in every string made from it.
  const origins = []; // by number
  const numbers = new WeakMap();
  const first = 0xe000, last = 0xe001, digit = 0xe010;
  const marked = /[\ue000-\ue01f]/;
  const mark = /\ue000([\ue010-\ue019]+)\ue001/;
  const spreadKey = '\ue002'; // the property that is left when a stand-in is spread

  const toMark = (n) => {
    let digits = '';
    for (const c of String(n)) {
      digits += fromCharCode(digit + Number.parseInt(c, 10));
    }
    return fromCharCode(first) + digits + fromCharCode(last);
  };

  // originOf returns where an unknown value comes from, or undefined.
  const originOf = (v) => {
    if (typeof v === 'function' || (typeof v === 'object' && v !== null)) {
      return origins[numbers.get(v)];
    }
    if (typeof v !== 'string' || !marked.test(v)) {
      return undefined;
    }
    const m = mark.exec(v);
    if (!m) {
      return { path: '', module: '' };
    }
    let n = '';
    for (const c of m[1]) {
      n += c.charCodeAt(0) - digit;
    }
    return origins[n] || { path: '', module: '' };
  };

  const isStandIn = (v) => originOf(v) !== undefined;

  // isUnknown reports whether a condition on a value depends on the host. Modules exist on all
  // hosts.
  const isUnknown = (v) => {
    const o = originOf(v);
    return o !== undefined && (o.path !== '' || typeof v === 'string');
  };

  const standIn = (path, module, known, settled) => {
    const n = origins.push({ path, module }) - 1;
    const kept = new Map(Object.entries(known || {}));
    const child = (key) => {
      if (!kept.has(key)) {
        const next = typeof key === 'symbol' || path.length > 80 ? path : path === '' ? key : /^[([]/.test(key) ? path + key : path + '.' + key;
        kept.set(key, standIn(next, module));
      }
      return kept.get(key);
    };
    const text = () => toMark(n);
    const get = (key) => {
      if (kept.has(key)) {
        return kept.get(key);
      }
      switch (key) {
        case spreadKey:
          return proxy;
        case Symbol.toPrimitive:
          return (hint) => (hint === 'number' ? NaN : toMark(n));
        case Symbol.iterator:
          return () => (verdict ? [child('[]')] : [])[Symbol.iterator]();
        case 'toString':
        case 'valueOf':
        case 'toJSON':
        case 'toLocaleString':
          return text;
        case '__esModule':
          return true;
        case 'call':
        case 'apply':
          return () => child('()');
        case 'then':
          return settled ? undefined : (f) => Promise.resolve(standIn(path, module, {}, true)).then(f);
        case 'catch':
          return () => proxy;
        case 'finally':
          return (f) => Promise.resolve(standIn(path, module, {}, true)).then(() => f());
      }
      return typeof key === 'symbol' ? undefined : child(key);
    };

    // What extends a stand-in, or is made from a module by the bundler, finds here what it does
    // not have itself.
    const inherited = new Proxy({}, {
      get: (_, key) => (key === 'then' || typeof key === 'symbol' ? undefined : get(key)),
      has: () => true,
      set: (_, key, value, receiver) => Reflect.defineProperty(receiver, key, { value, writable: true, enumerable: true, configurable: true }),
    });
    const target = function () {};
    Object.setPrototypeOf(target.prototype, inherited);
    const proxy = new Proxy(target, {
      get: (_, key) => (key === 'prototype' ? target.prototype : get(key)),
      set: (_, key, value) => {
        kept.set(key, value);
        return true;
      },
      has: () => true,
      deleteProperty: () => true,
      defineProperty: (_, key, d) => {
        kept.set(key, d.value);
        return true;
      },
      getPrototypeOf: () => inherited,
      ownKeys: () => [...ownKeys(target), spreadKey],
      getOwnPropertyDescriptor: (_, key) =>
        key === spreadKey ? { value: proxy, enumerable: true, configurable: true } : Reflect.getOwnPropertyDescriptor(target, key),
      apply: () => child('()'),
      construct: (_, args, made) => (made === proxy ? child('()') : Object.create(made.prototype)),
    });
    numbers.set(proxy, n);
    return proxy;
  };

  // What the host provides -----------------------------------------------------------------------

  // table is an enumeration of the host. A member that is not in the table is a stand-in.
  const table = (name, module, members) => {
    const others = standIn(name, module);
    return new Proxy(members, { get: (_, key) => (key in members || typeof key === 'symbol' ? members[key] : others[key]) });
  };

  // GrafanaPlugin is the base of all plugins. That is the host's name for it; methods that are
  // not known return the plugin, as most do.
  class GrafanaPlugin {
    constructor() {
      this.meta = standIn('meta', 'the plugin');
    }
  }
  Object.setPrototypeOf(GrafanaPlugin.prototype, new Proxy({}, {
    get: (o, key, plugin) => (typeof key === 'symbol' || key === 'then' || key in o ? o[key] : () => plugin),
    has: () => false,
    set: (_, key, value, receiver) => Reflect.defineProperty(receiver, key, { value, writable: true, enumerable: true, configurable: true }),
  }));

  class AppPlugin extends GrafanaPlugin {
    addLink(config) {
      return register(this, 'addLink', config, 'targets');
    }
    addComponent(config) {
      return register(this, 'addComponent', config, 'targets');
    }
    addFunction(config) {
      return register(this, 'addFunction', config, 'targets');
    }
    exposeComponent(config) {
      return register(this, 'exposeComponent', config, 'id');
    }
    configureExtensionLink(config) {
      return register(this, 'configureExtensionLink', config, 'extensionPointId');
    }
    configureExtensionComponent(config) {
      return register(this, 'configureExtensionComponent', config, 'extensionPointId');
    }
  }

  // The enumerations are those of packages/grafana-data/src/types/pluginExtensions.ts in
  // github.com/grafana/grafana, as of @grafana/data 13.2.
  const data = '@grafana/data';
  const modules = {
    [data]: standIn('', data, {
      AppPlugin,
      PanelPlugin: class PanelPlugin extends GrafanaPlugin {},
      DataSourcePlugin: class DataSourcePlugin extends GrafanaPlugin {},
      GrafanaPlugin,
      PluginExtensionTypes: table('PluginExtensionTypes', data, { link: 'link', component: 'component', function: 'function' }),
      PluginExtensionPoints: table('PluginExtensionPoints', data, {
        AdvisorCompletedChecks: 'grafana/advisor/completed-checks/v1',
        AdvisorCreateChecks: 'grafana/advisor/create-checks/v1',
        AdvisorRetryCheck: 'grafana/advisor/retry-check/v1',
        AlertInstanceAction: 'grafana/alerting/instance/action',
        AlertingHomePage: 'grafana/alerting/home',
        AlertingAlertingRuleAction: 'grafana/alerting/alertingrule/action',
        AlertingRecordingRuleAction: 'grafana/alerting/recordingrule/action',
        AlertingRuleQueryEditor: 'grafana/alerting/alertingrule/queryeditor',
        CommandPalette: 'grafana/commandpalette/action',
        DashboardPanelMenu: 'grafana/dashboard/panel/menu',
        DashboardEmpty: 'grafana/dashboard/empty',
        DashboardSidebar: 'grafana/dashboard/sidebar/v1',
        DataSourceConfig: 'grafana/datasources/config',
        DataSourceConfigActions: 'grafana/datasources/config/actions',
        DataSourceConfigErrorStatus: 'grafana/datasources/config/error-status',
        DataSourceConfigStatus: 'grafana/datasources/config/status',
        ExploreToolbarAction: 'grafana/explore/toolbar/action',
        HomepageAssistant: 'grafana/homepage/assistant/v1',
        HomepageExtra: 'grafana/homepage/extra/v1',
        HomepageTabs: 'grafana/homepage/tabs/v1',
        MegaMenuAction: 'grafana/megamenu/action',
        NavRightButton: 'grafana/singletopbar/nav-right-button/v1',
        SingleTopBarAction: 'grafana/singletopbar/action',
        UserListTab: 'grafana/admin/user-list/tab/v1',
        UserProfileTab: 'grafana/user/profile/tab',
        TraceViewDetails: 'grafana/traceview/details',
        TraceViewHeaderActions: 'grafana/traceview/header/actions',
        TraceViewResourceAttributes: 'grafana/traceview/resource-attributes',
        QueryEditorRowAdaptiveTelemetryV1: 'grafana/query-editor-row/adaptivetelemetry/v1',
        LogsViewResourceAttributes: 'grafana/logsview/resource-attributes',
        AppChrome: 'grafana/app/chrome/v1',
        ExtensionSidebar: 'grafana/extension-sidebar/v0-alpha',
      }),
      PluginExtensionPointPatterns: table('PluginExtensionPointPatterns', data, {
        NavLandingPage: 'grafana/dynamic/nav-landing-page/nav-id-.*/v1',
        NavLandingPageCards: 'grafana/dynamic/nav-landing-page/nav-id-.*/cards/v1',
      }),
      PluginExtensionExposedComponents: table('PluginExtensionExposedComponents', data, {
        CentralAlertHistorySceneV1: 'grafana/central-alert-history-scene/v1',
        AddToDashboardFormV1: 'grafana/add-to-dashboard-form/v1',
      }),
    }),
  };
  // t returns the English message, which is its second argument, if it has no placeholders.
  const i18n = standIn('', '@grafana/i18n');
  modules['@grafana/i18n'] = standIn('', '@grafana/i18n', {
    t: (key, message) => (typeof message === 'string' && !message.includes('{{') ? message : i18n.t()),
  });

  const module = (name) => {
    if (name.startsWith(data + '/')) {
      return modules[data]; // a part of it, such as @grafana/data/types
    }
    if (!Object.hasOwn(modules, name)) {
      modules[name] = standIn('', name);
    }
    return modules[name];
  };

  // Registrations --------------------------------------------------------------------------------

  let site = -1; // of the registration that is called next
  let isLate = false;

  // text describes a value that should be a string.
  const text = (v) => {
    if (v === undefined || v === null) {
      return { given: false, known: true, value: '', origin: '' };
    }
    const o = originOf(v);
    const known = typeof v === 'string' && !o && !/\bNaN\b/.test(v);
    const origin = o ? (o.path && o.module ? o.path + ' of ' + o.module : o.path || o.module) : '';
    return { given: true, known, value: known ? v : '', origin };
  };

  // field describes a property. What is spread into an object may replace the properties before.
  const field = (config, key) => {
    const keys = ownKeys(config);
    const spread = keys.indexOf(spreadKey);
    if (spread > keys.indexOf(key)) {
      return text(config[spreadKey]);
    }
    const t = text(config[key]);
    if (isLate && !t.given && keys.includes(key)) {
      t.given = true;
      t.known = false;
    }
    return t;
  };

  const describe = (method, config, targetKey) => {
    if (typeof config !== 'object' && !isStandIn(config)) {
      config = {};
    }
    config = config || {};
    const list = config[targetKey];
    const isReplaced = isStandIn(config) || ownKeys(config).indexOf(spreadKey) > ownKeys(config).indexOf(targetKey);
    const targets = isArray(list) && !isReplaced ? list.map(text) : [isStandIn(config) ? text(config) : field(config, targetKey)];
    return {
      method,
      targets,
      title: isStandIn(config) ? text(config.title) : field(config, 'title'),
      description: isStandIn(config) ? text(config.description) : field(config, 'description'),
    };
  };

  const register = (plugin, method, config, targetKey) => {
    const at = site;
    site = -1;
    if (!isLate) {
      record(at, stringify(describe(method, config, targetKey)));
    }
    return plugin;
  };

  // What instrumented code calls -----------------------------------------------------------------

  // decide returns the value of a condition that depends on the host. It eventually changes, so that
  // loops end.
  const asked = {};
  const maxAsked = 100;
  const decide = (n) => {
    asked[n] = (asked[n] || 0) + 1;
    return asked[n] <= maxAsked ? verdict : !verdict;
  };
  let held;
  let thunks = [];

  const truth = (v) => (isUnknown(v) ? verdict : !!v);
  const check = (v) => {
    if (typeof v === 'string' || isArray(v)) {
      if (v.length > maxElements) {
        exceed();
      }
    }
    return v;
  };

  const compare = (operator, a, b, n) => {
    if (isUnknown(a) || isUnknown(b)) {
      const verdict = decide(n);
      const other = isUnknown(a) ? b : a;
      const isNothing = other === null || other === undefined;
      switch (operator) {
        case '===':
        case '==':
          return a === b || verdict !== isNothing;
        case '!==':
        case '!=':
          return a !== b && verdict === isNothing;
        case 'instanceof':
          return verdict && isUnknown(a);
      }
      return verdict;
    }
    switch (operator) {
      case '===':
        return a === b;
      case '!==':
        return a !== b;
      case '==':
        return a == b;
      case '!=':
        return a != b;
      case '<':
        return a < b;
      case '<=':
        return a <= b;
      case '>':
        return a > b;
      case '>=':
        return a >= b;
      case 'in':
        return a in b;
    }
    return a instanceof b;
  };

  const helpers = {
    __module: module,
    __test: (v, n) => (isUnknown(v) ? decide(n) : v),
    __hold: (v) => {
      held = v;
      return truth(v);
    },
    __given: (v) => {
      held = v;
      return isUnknown(v) ? verdict : v !== null && v !== undefined;
    },
    __held: () => held,
    __compare: compare,
    __add: (a, b) => check(a + b),
    __piece: check,
    __site: (n, v) => {
      reach(n);
      site = n;
      return v;
    },
    __step: step,
    __failed: (n, e) => {
      const isError = e instanceof Error;
      failed(n, isError ? e.name + ': ' + e.message : 'uncaught exception', isError ? String(e.stack) : '');
    },
    __unknown: (name) => standIn(name, ''),
    __keep: (v, name) => (v === undefined ? standIn(name, '') : v),
    __late: (...list) => {
      thunks = list;
    },
  };
  for (const name of Object.keys(helpers)) {
    Object.defineProperty(globalThis, name, { value: helpers[name] });
  }

  // The browser ----------------------------------------------------------------------------------

  for (const name of [
    'document', 'location', 'navigator', 'history', 'screen', 'performance', 'crypto', 'localStorage', 'sessionStorage',
    'indexedDB', 'caches', 'customElements', 'fetch', 'alert', 'confirm', 'matchMedia', 'getComputedStyle', 'getSelection',
    'setInterval', 'clearInterval', 'clearTimeout', 'cancelAnimationFrame', 'cancelIdleCallback', 'addEventListener',
    'removeEventListener', 'dispatchEvent', 'postMessage', 'open', 'scrollTo', 'structuredClone', 'atob', 'btoa',
    'XMLHttpRequest', 'URL', 'URLSearchParams', 'Headers', 'Request', 'Response', 'FormData', 'Blob', 'File', 'FileReader',
    'AbortController', 'AbortSignal', 'Event', 'CustomEvent', 'EventTarget', 'MessageChannel', 'BroadcastChannel', 'Worker',
    'SharedWorker', 'WebSocket', 'EventSource', 'MutationObserver', 'ResizeObserver', 'IntersectionObserver',
    'PerformanceObserver', 'Node', 'Element', 'HTMLElement', 'SVGElement', 'Image', 'Audio', 'DOMParser', 'TextEncoder',
    'TextDecoder', 'Intl', 'WebAssembly', 'process', 'System', 'require', 'console', 'monaco', 'faro', 'grafanaBootData',
    '__webpack_public_path__', '__webpack_require__',
  ]) {
    globalThis[name] = standIn(name, '');
  }
  const later = (f) => {
    Promise.resolve().then(() => typeof f === 'function' && f());
    return 1;
  };
  for (const name of ['setTimeout', 'queueMicrotask', 'requestAnimationFrame', 'requestIdleCallback']) {
    globalThis[name] = later;
  }
  const page = standIn('window', '');
  const window = new Proxy(globalThis, {
    get: (o, key) => (key in o || typeof key === 'symbol' ? o[key] : page[key]),
  });
  for (const name of ['window', 'self', 'parent', 'top', 'frames']) {
    globalThis[name] = window;
  }

  // Limits ---------------------------------------------------------------------------------------

  // The interpreter can be stopped between instructions only, so no built-in function may
  // take long or much memory by itself.
  const guard = (owner, name, isTooLarge) => {
    const original = owner[name];
    Object.defineProperty(owner, name, {
      value: function (...args) {
        if (isTooLarge(this, args)) {
          exceed();
        }
        return apply(original, this, args);
      },
      writable: true,
      configurable: true,
    });
  };
  const isLong = (v) => v !== null && v !== undefined && v.length > maxElements;
  for (const name of Object.getOwnPropertyNames(Array.prototype)) {
    if (typeof Array.prototype[name] === 'function' && !['constructor', 'at', 'push', 'pop', 'join', 'toString'].includes(name)) {
      guard(Array.prototype, name, (self, args) => isLong(self) || isLong(args[0]));
    }
  }
  Object.defineProperty(Array.prototype, 'join', {
    value: function (separator) {
      if (isLong(this)) {
        exceed();
      }
      const between = separator === undefined ? ',' : String(separator);
      let all = '';
      for (let i = 0; i < this.length; i++) {
        const v = this[i];
        all = check(all + (i > 0 ? between : '') + (v === undefined || v === null ? '' : v));
      }
      return all;
    },
    writable: true,
    configurable: true,
  });
  guard(Array, 'from', (_, args) => isLong(args[0]));
  guard(Function.prototype, 'apply', (_, args) => isLong(args[1]));
  guard(Reflect, 'apply', (_, args) => isLong(args[2]));
  for (const name of ['repeat', 'padStart', 'padEnd']) {
    guard(String.prototype, name, (self, args) => (name === 'repeat' ? String(self).length : 1) * args[0] > maxElements);
  }
  guard(String.prototype, 'concat', (self, args) => args.reduce((n, v) => n + String(v).length, String(self).length) > maxElements);
  for (const name of ['replace', 'replaceAll']) {
    guard(String.prototype, name, (self, args) => typeof args[1] === 'string' && String(self).length * args[1].length > maxElements);
  }
  guard(JSON, 'parse', (_, args) => typeof args[0] === 'string' && isDeep(args[0]));
  let reserved = 0; // elements of all buffers: the heap is looked at too rarely for them
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (/^(ArrayBuffer|SharedArrayBuffer|.+Array)$/.test(name)) {
      const original = globalThis[name];
      globalThis[name] = new Proxy(original, {
        construct: (_, args, made) => {
          const length = Number(isLong(args[0]) ? args[0].length : args[0]) || 0;
          reserved += length;
          if (length > maxElements || reserved > 8 * maxElements) {
            exceed();
          }
          return construct(original, args, made);
        },
      });
    }
  }
  // Numbers that come from a stand-in are unknown too.
  for (const name of ['parseInt', 'parseFloat', 'Number']) {
    const original = globalThis[name];
    globalThis[name] = new Proxy(original, {
      apply: (_, self, args) => (isStandIn(args[0]) ? standIn(name + '()', '') : apply(original, self, args)),
    });
  }
  globalThis.Boolean = new Proxy(Boolean, { apply: (_, self, args) => truth(args[0]) });
  // Source code that is made at run time could nest too deeply for the parser.
  globalThis.eval = standIn('eval', '');
  const NoFunction = function () {
    return () => globalThis;
  };
  NoFunction.prototype = Function.prototype;
  globalThis.Function = NoFunction;
  for (const f of [function () {}, async function () {}, function* () {}]) {
    Object.defineProperty(Object.getPrototypeOf(f), 'constructor', { value: NoFunction, configurable: true });
  }

  // late describes the registration at a site that was not reached. It returns JSON, or
  // undefined if its argument is not known yet.
  return (n, method, targetKey) => {
    isLate = true;
    try {
      return stringify(describe(method, thunks[n](), targetKey));
    } catch {
      return undefined;
    } finally {
      isLate = false;
    }
  };
})
