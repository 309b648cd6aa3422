// Defines what a configuration can require: the modules of Node.js that only compute or read the repository,
// webpack-merge and glob, and for all other packages stand-ins that record what is asked of them. host is
// described in host.go.
(host) => {
  'use strict';
  const MARK = '\uE000'; // surrounds the name of a value that nothing computes here

  // ---- stand-ins ----

  const names = new WeakMap(); // of stand-ins
  const made = new WeakMap(); // {name, args} of what new makes of a stand-in
  const nameOf = (value) => (typeof value === 'function' || (typeof value === 'object' && value) ? names.get(value) : undefined);

  function standIn(name) {
    const fail = () => {
      throw new Error(`${name} is used, but builds run no packages for a configuration`);
    };
    const text = () => MARK + name + MARK;
    const members = new Map();
    const get = (target, key) => {
      if (key === Symbol.toPrimitive || key === 'toString' || key === 'toJSON') {
        return text;
      }
      if (key === Symbol.iterator) {
        return fail;
      }
      if (key === Symbol.hasInstance) {
        return (value) => made.get(value)?.name.split('.').pop() === name.split('.').pop();
      }
      if (typeof key === 'symbol' || key === 'then' || key === '__esModule') {
        return undefined;
      }
      if (key === 'default') {
        return self;
      }
      if (key === 'prototype') {
        return target.prototype;
      }
      if (!members.has(key)) {
        members.set(key, standIn(key === MARK ? name : `${name}.${key}`));
      }
      return members.get(key);
    };
    const target = function () {};
    const parent = new Proxy(target, { get, getPrototypeOf: () => null });
    const self = new Proxy(target, {
      get,
      set: (_, key, value) => (members.set(key, value), true),
      has: () => true,
      getPrototypeOf: () => parent, // of which a namespace is made
      // A copy has the mark as a member.
      ownKeys: () => ['prototype', MARK],
      getOwnPropertyDescriptor: (on, key) =>
        key === 'prototype' ? Object.getOwnPropertyDescriptor(on, key) : { value: text(), enumerable: true, configurable: true },
      apply: (_, self, args) => {
        if (/\.runtimeValue$/.test(name) && typeof args[0] === 'function') { // of DefinePlugin
          return args[0]({ module: {}, key: '', version: '' });
        }
        return standIn(`${name}()`);
      },
      construct: (_, args, by) => {
        const object = by === self ? standIn(name) : Object.create(by.prototype);
        made.set(object, { name, args: [...args], isOwn: by !== self }); // the interpreter reuses args
        return object;
      },
    });
    names.set(self, name);
    return self;
  }

  // unknownIn returns the name of a value that nothing has computed, anywhere in a value.
  function unknownIn(value, depth = 0) {
    if (typeof value === 'string') {
      return value.includes(MARK) ? value.split(MARK)[1] : undefined;
    }
    if (nameOf(value) !== undefined) {
      return names.get(value);
    }
    if (value && typeof value === 'object' && !(value instanceof RegExp) && depth < 8) {
      for (const [key, of] of Object.entries(value)) {
        const found = unknownIn(key) ?? unknownIn(of, depth + 1);
        if (found !== undefined) {
          return found;
        }
      }
    }
    return undefined;
  }

  const unavailable = (module, own, describe = (name) => `${name} is not available to a configuration: builds run none of its programs`) =>
    new Proxy(own, {
      get: (on, key) => {
        if (key in on || typeof key === 'symbol' || key === 'then' || key === '__esModule') {
          return on[key];
        }
        return key === 'default'
          ? on
          : () => {
              throw new Error(describe(`${module}.${key}`));
            };
      },
    });

  // ---- path ----

  const isAbsolute = (file) => /^([A-Za-z]:)?[/\\]/.test(file);
  function normalize(file) {
    const [, start] = /^((?:[A-Za-z]:)?\/?)/.exec(file);
    const parts = [];
    for (const part of file.slice(start.length).split('/')) {
      if (part === '..' && (parts.length > 0 ? parts[parts.length - 1] !== '..' : start !== '')) {
        parts.pop();
      } else if (part !== '' && part !== '.') {
        parts.push(part);
      }
    }
    const text = start + parts.join('/');
    return text === '' ? '.' : file.endsWith('/') && parts.length > 0 ? `${text}/` : text;
  }
  const path = {
    sep: '/',
    delimiter: ':',
    isAbsolute,
    normalize,
    toNamespacedPath: (file) => file,
    join: (...parts) => normalize(parts.filter((part) => part !== '').join('/')),
    resolve: (...parts) => {
      let out = '';
      for (const part of [host.root, ...parts]) {
        if (typeof part !== 'string') {
          if (nameOf(part) === undefined) {
            throw new TypeError('The "paths[0]" argument must be of type string.');
          }
        }
        out = isAbsolute(`${part}`) ? `${part}` : `${out}/${part}`;
      }
      return normalize(out).replace(/(.)\/$/, '$1');
    },
    basename: (file, suffix = '') => {
      const base = file.replace(/\/+$/, '').split('/').pop();
      return suffix !== '' && base !== suffix && base.endsWith(suffix) ? base.slice(0, -suffix.length) : base;
    },
    dirname: (file) => {
      const at = file.replace(/\/+$/, '').lastIndexOf('/');
      return at < 0 ? '.' : at === 0 ? '/' : file.slice(0, at);
    },
    extname: (file) => /[^/](\.[^./]*)$/.exec(file)?.[1] ?? '',
    relative: (from, to) => {
      const a = path.resolve(from).split('/');
      const b = path.resolve(to).split('/');
      let same = 0;
      while (same < a.length && same < b.length && a[same] === b[same]) {
        same++;
      }
      return [...a.slice(same).filter((part) => part !== '').map(() => '..'), ...b.slice(same)].join('/');
    },
    parse: (file) => {
      const base = path.basename(file);
      const ext = path.extname(file);
      return { root: isAbsolute(file) ? '/' : '', dir: path.dirname(file), base, ext, name: path.basename(file, ext) };
    },
    format: ({ dir, base, name = '', ext = '' }) => (dir ? `${dir}/` : '') + (base ?? name + ext),
  };
  path.posix = path;
  path.win32 = path;

  // ---- other modules of Node.js ----

  const filePath = (file) => path.resolve(`${file?.href ?? file}`.replace(/^file:\/\//, ''));
  const missing = (call, file) => Object.assign(new Error(`ENOENT: no such file or directory, ${call} '${file}'`), { code: 'ENOENT' });
  const stats = (file, kind) => ({ isFile: () => kind === 'file', isDirectory: () => kind === 'directory', isSymbolicLink: () => false, mtimeMs: 0, size: 0 });
  const files = {
    existsSync: (file) => host.kind(filePath(file)) !== '',
    readFileSync: (file, options) => {
      const text = host.read(filePath(file));
      if (text === null) {
        throw missing('open', file);
      }
      return options === undefined || options === null || (typeof options === 'object' && !options.encoding) ? new String(text) : text;
    },
    readdirSync: (dir, options) => {
      if (host.kind(filePath(dir)) !== 'directory') {
        throw missing('scandir', dir);
      }
      const all = options?.recursive ? host.glob(filePath(dir), '**/*', true, false) : host.glob(filePath(dir), '*', true, false).concat(host.glob(filePath(dir), '*', true, true));
      return all.map((name) =>
        options?.withFileTypes
          ? { name: path.basename(name), parentPath: path.dirname(path.join(`${dir}`, name)), path: `${dir}`, ...stats(name, host.kind(path.join(filePath(dir), name))) }
          : name
      );
    },
    statSync: (file, options) => {
      const kind = host.kind(filePath(file));
      if (kind === '' && options?.throwIfNoEntry !== false) {
        throw missing('stat', file);
      }
      return kind === '' ? undefined : stats(file, kind);
    },
    realpathSync: (file) => path.resolve(file),
    accessSync: (file) => void files.statSync(file),
    constants: {},
  };
  files.lstatSync = files.statSync;
  const later = (of) => {
    const all = {};
    for (const name of Object.keys(of)) {
      all[name.replace(/Sync$/, '')] = async (...args) => of[name](...args);
    }
    return unavailable('fs.promises', all);
  };
  files.promises = later(files);

  // A program's output is not known, but a configuration that does not need it is.
  const output = (name) => () => Object.assign(new String(MARK + name + MARK), { stdout: MARK + name + MARK, status: 0 });
  const programs = {};
  for (const name of ['execSync', 'execFileSync', 'spawnSync']) {
    programs[name] = output(`child_process.${name}`);
  }

  const env = new Proxy({ NODE_ENV: 'production' }, {
    get: (on, key) => {
      if (typeof key === 'string' && !(key in on)) {
        const help = `if the value matters, write what it decides below "frontend" in slipway.yaml, such as define: {process.env.${key}: ...}`;
        host.report(key, `the environment variable ${key} has no value: builds do not read the environment`, help);
      }
      return on[key];
    },
  });
  const process = {
    env,
    argv: ['node', 'webpack', '--env', 'production'],
    execArgv: [],
    platform: 'linux',
    arch: 'x64',
    version: 'v22.0.0',
    versions: { node: '22.0.0' },
    cwd: () => host.root,
    on: () => process,
    emitWarning: () => {},
    stdout: { write: () => true, isTTY: false },
    stderr: { write: () => true, isTTY: false },
    exit: (code) => {
      throw new Error(`the configuration ends the process with status ${code ?? 0}`);
    },
  };
  class URL {
    constructor(text, base) {
      const isWhole = /^[a-z]+:/i.test(text);
      this.href = isWhole ? `${text}` : `file://${path.resolve(path.dirname(`${base?.href ?? base ?? ''}`.replace(/^file:\/\//, '')), `${text}`)}`;
      this.pathname = this.href.replace(/^[a-z]+:\/\//i, '');
    }
    toString() {
      return this.href;
    }
  }

  // ---- glob ----

  function globbed(patterns, options = {}) {
    const cwd = path.resolve(`${options.cwd ?? ''}`);
    const find = (pattern, dot, onlyDirectories) => host.glob(cwd, isAbsolute(pattern) ? path.relative(cwd, pattern) : pattern, dot, onlyDirectories);
    const all = [patterns].flat().flatMap((pattern) => {
      const found = find(pattern, Boolean(options.dot), Boolean(options.onlyDirectories));
      return isAbsolute(pattern) || options.absolute || options.realpath ? found.map((file) => path.resolve(cwd, file)) : found;
    });
    const ignored = new Set([options.ignore ?? []].flat().flatMap((pattern) => find(pattern, true, false)).map((file) => path.resolve(cwd, file)));
    return [...new Set(all)].filter((file) => !ignored.has(path.resolve(cwd, file)));
  }
  const glob = (patterns, options, callback) => {
    const done = [options, callback].find((arg) => typeof arg === 'function');
    const found = globbed(patterns, typeof options === 'object' ? options : undefined);
    if (done) {
      done(null, found);
    }
    return Promise.resolve(found);
  };
  const globModule = Object.assign(glob, {
    glob, sync: globbed, globSync: globbed, globby: glob, globbySync: globbed, async: glob, promise: glob,
    hasMagic: (text) => /[*?[{]/.test(text), escape: (text) => text, convertPathToPattern: (text) => text,
  });
  globModule.default = glob;

  // ---- webpack-merge ----

  const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const clone = (value) =>
    Array.isArray(value) ? value.map(clone) : value && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype
      ? Object.fromEntries(Object.entries(value).map(([key, of]) => [key, clone(of)])) : value;
  function mergeAll(objects, join) {
    return objects.reduce((a, b) => {
      const out = {};
      for (const key of [...Object.keys(a), ...Object.keys(b)]) {
        const value = join(a[key], b[key], key);
        out[key] = value === undefined ? a[key] : value;
      }
      return out;
    });
  }
  const joined = ({ customizeArray, customizeObject, key } = {}) => {
    const join = (a, b, k) => {
      const at = key ? `${key}.${k}` : k;
      if (typeof a === 'function' && typeof b === 'function' && nameOf(a) === undefined && nameOf(b) === undefined) {
        return (...args) => join(a(...args), b(...args), k);
      }
      if (Array.isArray(a) && Array.isArray(b)) {
        return customizeArray?.(a, b, at) || [...a, ...b];
      }
      if (b instanceof RegExp) {
        return b;
      }
      if (isObject(a) && isObject(b)) {
        return customizeObject?.(a, b, at) || mergeAll([a, b], joined({ customizeArray, customizeObject, key: at }));
      }
      return Array.isArray(b) ? [...b] : isObject(b) ? clone(b) : b;
    };
    return join;
  };
  const mergeWithCustomize = (options) => (first, ...rest) => {
    const all = rest.length === 0 && Array.isArray(first) ? first : [first, ...rest];
    if (first === undefined || all.includes(undefined)) {
      throw new TypeError('Merging undefined is not supported');
    }
    if (all.some((one) => typeof one?.then === 'function' && nameOf(one) === undefined)) {
      throw new TypeError('Promises are not supported');
    }
    const unread = all.find((one) => nameOf(one) !== undefined);
    if (unread !== undefined) {
      throw new Error(`webpack-merge merges the result of ${nameOf(unread)}, which is not installed or not evaluated`);
    }
    return all.length === 0 || !first ? {} : all.length === 1 ? all[0] : mergeAll(all, joined(options));
  };
  const byHow = (a, b, how) => (how === 'append' ? [...a, ...b] : how === 'prepend' ? [...b, ...a] : how === 'replace' ? b : undefined);
  const wildcard = (pattern, key) => pattern === key || (pattern.includes('*') && new RegExp(`^${pattern.split('*').map((s) => s.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`).test(key));
  function sameCondition(a, b) {
    if (!a || !b) {
      return a === b;
    }
    if ([a, b].some((value) => typeof value === 'string' || value instanceof RegExp || typeof value === 'function')) {
      return String(a) === String(b);
    }
    const flat = (value, at) =>
      typeof value === 'object' && value !== null && !(value instanceof RegExp) && Object.keys(value).length > 0
        ? Object.entries(value).flatMap(([key, of]) => flat(of, `${at}.${/^\d+$/.test(key) ? '[]' : key}`)) : [`${at} ${value}`];
    return flat(a, '').sort().join('\n') === flat(b, '').sort().join('\n');
  }
  function mergeRules(rule, a, b) {
    if (!Array.isArray(a)) {
      return a;
    }
    const matched = [];
    const out = a.map((one) => {
      if (!isObject(rule) || !isObject(one)) {
        return one;
      }
      const matches = Object.keys(rule).filter((key) => rule[key] === 'match');
      const others = b.filter((other) => matches.every((key) => sameCondition(one[key], other[key])));
      matched.push(...others);
      const last = others[others.length - 1];
      const ret = {};
      for (const [key, value] of Object.entries(one)) {
        const how = rule[key];
        ret[key] = value;
        if (how === 'match') {
          for (const [of, to] of Object.entries(rule)) {
            if (to === 'replace' && last?.[of] !== undefined) {
              ret[of] = last[of];
            }
          }
        } else if (how === 'replace' && last) {
          ret[key] = last[key];
        } else if ((how === 'append' || how === 'prepend') && last) {
          if (!Array.isArray(value) || !Array.isArray(last[key])) {
            throw new TypeError(`Trying to ${how} non-arrays`);
          }
          ret[key] = byHow(value, last[key], how);
        } else if (how === 'merge' && last) {
          if (!isObject(value) || !isObject(last[key])) {
            throw new TypeError('Trying to merge non-objects');
          }
          ret[key] = merge(value, last[key]);
        } else if (!['append', 'prepend', 'replace', 'merge'].includes(how)) {
          ret[key] = mergeRules(how, value, others.map((other) => other[key]).reduce((all, more) => (Array.isArray(more) ? [...all, ...more] : all), []));
        }
      }
      return ret;
    });
    return [...out, ...b.filter((other) => !matched.includes(other))];
  }
  const merge = (first, ...rest) => mergeWithCustomize({})(first, ...rest);
  const merging = {
    merge,
    default: merge,
    mergeWithCustomize,
    customizeArray: (rules) => (a, b, key) => {
      const matched = Object.keys(rules).find((rule) => wildcard(rule, key));
      return matched && (byHow(a, b, rules[matched]) ?? [...a, ...b]);
    },
    customizeObject: (rules) => (a, b, key) =>
      ({ prepend: () => mergeAll([b, a], joined()), replace: () => b, append: () => mergeAll([a, b], joined()) })[rules[key]]?.(),
    mergeWithRules: (rules) =>
      mergeWithCustomize({
        customizeArray: (a, b, key) => {
          const rule = key.split('.').reduce((at, part) => at?.[part], rules);
          return isObject(rule) ? mergeRules(rule, a, b) : typeof rule === 'string' ? byHow(a, b, rule) ?? a : undefined;
        },
      }),
    unique: (key, uniques, getter) => (a, b, k) => {
      const all = new Map();
      for (const value of k === key ? [...a, ...b] : []) {
        const id = uniques.includes(getter(value)) ? getter(value) : value;
        all.delete(id);
        all.set(id, value);
      }
      return k === key && [...all.values()];
    },
    CustomizeRule: { Match: 'match', Merge: 'merge', Append: 'append', Prepend: 'prepend', Replace: 'replace' },
  };
  // Before version 5, the module was the function.
  const mergeModule = unavailable('webpack-merge', Object.assign((...args) => merge(...args), merging), (name) => `${name} is not known: it is from an old version; install webpack-merge`);

  // ---- require ----

  const inNode = {
    path, fs: unavailable('fs', files), 'fs/promises': files.promises, process: Object.assign(process, { default: process }),
    os: unavailable('os', { EOL: '\n', release: () => '', platform: () => 'linux', type: () => 'Linux', arch: () => 'x64', cpus: () => [{}], homedir: () => '/', tmpdir: () => '/tmp', hostname: () => '', availableParallelism: () => 1 }),
    url: unavailable('url', { URL, fileURLToPath: filePath, pathToFileURL: (file) => new URL(`file://${path.resolve(file)}`) }),
    util: unavailable('util', { promisify: (f) => f === glob ? glob : (...args) => new Promise((done, fail) => f(...args, (err, value) => (err ? fail(err) : done(value)))), inspect: String, inherits: () => {}, types: {} }),
    module: { createRequire: () => require },
    child_process: unavailable('child_process', programs),
    'webpack-merge': mergeModule, glob: globModule, 'fast-glob': globModule, globby: globModule, tinyglobby: globModule,
  };
  inNode['path/posix'] = path;
  inNode['node:process'] = process;

  // load returns a module: of the repository's own version of a package if install has it and it runs here.
  function load(name, install) {
    const known = name.replace(/^node:/, '');
    if (install && !['glob', 'fast-glob', 'globby', 'tinyglobby'].includes(name)) {
      try {
        return install();
      } catch {} // it needs more of Node.js
    }
    if (Object.hasOwn(inNode, known)) {
      return inNode[known];
    }
    return host.isNode(known) ? unavailable(known, {}) : standIn(name);
  }
  function require(name) {
    if (!isAbsolute(name) && !name.startsWith('.')) {
      return load(name);
    }
    const file = path.resolve(name);
    for (const known of [file, `${file}.json`]) {
      if (known.endsWith('.json') && host.kind(known) === 'file') {
        return JSON.parse(host.read(known));
      }
    }
    throw new Error(`require of ${name}, a path that is computed: only JSON can be`);
  }
  require.resolve = (name) => (isAbsolute(name) || name.startsWith('.') ? path.resolve(name) : host.resolve(name));
  require.cache = {};

  const quiet = () => {};
  const timer = (f, _, ...args) => void Promise.resolve().then(() => f(...args));
  Object.assign(globalThis, {
    process, require, URL, global: globalThis, setTimeout: timer, setImmediate: (f, ...args) => timer(f, 0, ...args), clearTimeout: quiet,
    console: { log: quiet, info: quiet, warn: quiet, error: quiet, debug: quiet },
    Buffer: { from: (text) => new String(text) },
    [host.loader]: load,
  });
  return { path, files, nameOf, unknownIn, made, globbed };
};
