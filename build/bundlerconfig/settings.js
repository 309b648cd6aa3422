// Reads what the value of a configuration asks for. modules is what modules.js returns; host.report(what, text, help)
// notes what a build does not do, where what is a word to look for in the configuration.
(host, modules) => {
  'use strict';
  const { report } = host;
  const { path, files, nameOf, unknownIn, made } = modules;

  const list = (value) => (Array.isArray(value) ? value : value === undefined || value === null || value === false ? [] : [value]);
  const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && nameOf(value) === undefined;
  const settle = async (value, ...args) => (typeof value === 'function' && nameOf(value) === undefined ? settle(await value(...args), ...args) : value);

  // known reports whether the value of a setting is known, and reports one that is not.
  function known(what, value, help) {
    const by = unknownIn(value);
    if (by !== undefined) {
      report(what, `${what} is what ${by} computes, which builds do not run`, help);
    }
    return by === undefined;
  }

  // ---- which configuration ----

  let isToolkit = false;
  async function configuration(exported) {
    const value = exported.default;
    const toolkit = value?.getWebpackConfig ?? exported.getWebpackConfig;
    if (typeof toolkit === 'function' && nameOf(toolkit) === undefined) { // of grafana-toolkit
      const base = {
        context: path.join(host.root, 'src'), entry: { module: './module.ts' }, externals: undefined, plugins: [], module: { rules: [] },
        resolve: { extensions: ['.ts', '.tsx', '.js'], modules: ['node_modules'] }, output: {}, optimization: {}, mode: 'production',
      };
      isToolkit = true;
      return toolkit(base, { watch: false, production: true, coverage: false });
    }
    if (value === undefined && exported.externals !== undefined) { // a part of create-plugin's
      return { externals: exported.externals };
    }
    const all = [];
    for (const one of list(await value)) {
      all.push(...list(await settle(one, { production: true }, { mode: 'production', env: { production: true } })));
    }
    const whole = all.find((one) => nameOf(one) !== undefined);
    if (whole !== undefined) {
      throw new Error(`the configuration is what ${nameOf(whole)} returns, which builds do not run; if a package merges configurations, install it`);
    }
    const builds = await Promise.all(all.map(async (one) => Object.keys(isObject(one.entry) ? one.entry : {}).some((name) => /(^|\/)module$/.test(name))));
    const first = all.length > 1 ? Math.max(builds.indexOf(true), 0) : 0;
    if (all.length > 1) {
      report('', `the configuration is a list of ${all.length}, of which number ${first + 1} applies`, host.ownBundler);
    }
    if (all.length === 0 || !isObject(all[first])) {
      throw new Error('the configuration exports no object, function or list of these');
    }
    return all[first];
  }

  // ---- externals ----

  const externals = [];
  function outcome(value, type, request) {
    if (value === undefined || value === false || value === null) {
      return '';
    }
    value = value === true ? request : isObject(value) ? value.amd ?? value.root ?? '' : value;
    if (Array.isArray(value)) {
      value = value.length === 1 || type ? value.join('.') : `root ${value.join('.')}`;
    }
    const typed = type ? [null, type, value] : /^([a-z][a-z0-9-]*) (.+)$/.exec(value);
    return typed ? `${typed[1]} ${typed[2]}` : `amd ${value}`;
  }
  // external returns the kind and the name of what stands for a module outside of the bundle, or "". Names that follow
  // one another are one object.
  function external(request, context, issuer, from = 0) {
    for (let i = from; i < externals.length; i++) {
      const of = externals[i];
      let found = '';
      if (of instanceof RegExp) {
        of.lastIndex = 0;
        found = of.test(request) ? outcome(request, '', request) : '';
      } else if (typeof of === 'function') {
        found = asked(of, request, context, issuer);
      } else if (Object.hasOwn(of, request)) {
        found = outcome(of[request], '', request);
      }
      if (typeof found !== 'string') {
        return later(found, request, context, issuer, i + 1);
      }
      if (found !== '') {
        return found;
      }
    }
    return '';
  }
  const later = async (found, request, context, issuer, next) => (await found) || external(request, context, issuer, next);
  function asked(of, request, context, issuer) {
    let result;
    const done = (err, value, type) => {
      if (err) {
        throw err;
      }
      result ??= outcome(value, type, request);
    };
    const fail = (err) => (result ??= Promise.reject(err));
    const data = { context, request, dependencyType: 'esm', contextInfo: { issuer }, getResolve: () => () => fail(new Error('externals cannot resolve modules here')) };
    const returned = of.length === 3 ? of(context, request, done) : of(data, done);
    return typeof returned?.then === 'function' ? returned.then((value) => result ?? outcome(value, '', request)) : result ?? '';
  }
  function readExternals(all) {
    let names;
    for (const one of list(all).flat(5)) {
      if (!known('externals', one, host.ownBundler)) {
        continue;
      }
      if (typeof one === 'function' && /\bprefix = ["']grafana\/["'][^]*\bstripPrefix\(request\)/.test(String(one))) {
        continue; // of create-plugin's configurations, which a build does for everyone
      }
      if (typeof one !== 'string') {
        names = undefined;
        externals.push(one);
      } else if (names) {
        names[one] ??= one;
      } else {
        names = Object.assign(Object.create(null), { [one]: one });
        externals.push(names);
      }
    }
  }

  // ---- modules ----

  const exists = (file) => ['', '.ts', '.tsx', '.js', '.jsx', '.mjs', '.cjs', '.json'].some((ext) => files.existsSync(file + ext));
  function substitutes(what, value) {
    const out = {};
    const all = Array.isArray(value) ? value.map((one) => [one.onlyModule ? `${one.name}$` : one.name, one.alias]) : Object.entries(value ?? {});
    for (const [name, to] of all) {
      const first = Array.isArray(to) ? to.find((one) => one === false || (path.isAbsolute(`${one}`) ? exists(one) : true)) ?? to[0] : to;
      if (name.includes('*')) {
        report(name, `the name ${name} in resolve.${what} has a star, which builds do not read`, 'list the names');
      } else if (known(name, [name, first], `write it below "frontend" in slipway.yaml: alias: {${JSON.stringify(name)}: ./src/...}`)) {
        out[name] = first === false ? '' : `${first}`;
      }
    }
    return out;
  }
  const outOf = (text) => (path.isAbsolute(text) ? path.resolve(text) : text);

  // ---- values of names ----

  function code(value) {
    if (value === undefined) {
      return 'undefined';
    }
    if (typeof value === 'string') {
      const single = /^'((?:[^'\\\n"]|\\')*)'$/.exec(value);
      return single ? JSON.stringify(single[1].replaceAll("\\'", "'")) : value;
    }
    if (typeof value === 'function') {
      return `(${value})`;
    }
    if (value instanceof RegExp) {
      return String(value);
    }
    return isObject(value) || Array.isArray(value)
      ? `(${Array.isArray(value) ? `[${value.map(code)}]` : `{${Object.entries(value).map(([key, of]) => `${JSON.stringify(key)}:${code(of)}`)}}`})`
      : JSON.stringify(value);
  }
  function define(out, values, prefix = '') {
    for (const [key, value] of Object.entries(values ?? {})) {
      const name = prefix + key;
      const help = `write it below "frontend" in slipway.yaml: define: {${name}: ...}`;
      if (!known(name, value, help)) {
        continue;
      }
      if (!host.isMember(name)) {
        report(name, `DefinePlugin defines ${name}, which is not a name or a member of one`, 'write the value in the code');
        continue;
      }
      out[name] = code(value);
      if (isObject(value) && !(value instanceof RegExp)) {
        define(out, value, `${name}.`);
      }
    }
  }

  // ---- rules ----

  const isCode = /^(builtin:swc|builtin:react-refresh|swc|ts|babel|esbuild|awesome-typescript|source-map|thread|cache|eslint|tslint|ng-annotate|json|imports|jscodeshift)(-loader)?$/;
  const isStyle = /^(style|css|sass|less|postcss|resolve-url|isomorphic-style|builtin:lightningcss)-loader$|^(fast-sass-loader|mini-css-extract-plugin|extract-text-webpack-plugin|@rspack\/core)\b/;
  const isAsset = /^(file|url|raw|null)-loader$|^asset\/resource$/; // the last in early configurations for rspack

  function loaderName(loader) {
    const name = nameOf(loader) ?? `${loader}`;
    const inside = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(name);
    return inside ? inside[1] : path.isAbsolute(name) ? path.relative(host.root, name) : name.split('?')[0];
  }
  function usesOf(rule, info) {
    let all = rule.use ?? rule.loaders ?? (rule.loader === undefined ? [] : { loader: rule.loader, options: rule.options ?? rule.query });
    if (typeof all === 'function' && nameOf(all) === undefined) {
      all = all(info);
    }
    return list(all).flat(3).flatMap((use) => {
      if (!use) {
        return [];
      }
      if (typeof use === 'function' && nameOf(use) === undefined) {
        return usesOf({ use: use(info) }, info);
      }
      if (isObject(use)) {
        return [{ name: loaderName(use.loader), options: use.options ?? use.query ?? {} }];
      }
      return (nameOf(use) === undefined ? `${use}`.split('!') : [use]).map((one) => ({ name: loaderName(one), options: {} }));
    });
  }
  function meets(condition, text) {
    if (typeof condition === 'string') {
      return text.startsWith(outOf(condition));
    }
    if (condition instanceof RegExp) {
      condition.lastIndex = 0;
      return condition.test(text);
    }
    if (typeof condition === 'function') {
      return nameOf(condition) === undefined && Boolean(condition(text));
    }
    if (Array.isArray(condition)) {
      return condition.some((one) => meets(one, text));
    }
    const { and = [], or, not, test, include, exclude } = condition ?? {};
    return list(and).every((one) => meets(one, text)) && (!or || meets(or, text)) && (!not || !meets(not, text)) &&
      (!test || meets(test, text)) && (!include || meets(include, text)) && (!exclude || !meets(exclude, text));
  }
  const unreadConditions = ['resourceFragment', 'issuerLayer', 'layer', 'mimetype', 'compiler', 'descriptionData', 'scheme', 'with', 'assert', 'phase'];
  function applies(rule, { file, query, issuer }) {
    const { test, include, exclude, resource = rule.realResource, resourceQuery, dependency } = rule;
    return !unreadConditions.some((key) => rule[key] !== undefined) && (dependency === undefined || meets(dependency, 'esm')) && (test === undefined || meets(test, file)) && (include === undefined || meets(include, file)) && (exclude === undefined || !meets(exclude, file)) &&
      (resource === undefined || meets(resource, file)) && (resourceQuery === undefined || meets(resourceQuery, query)) &&
      (rule.issuer === undefined || meets(rule.issuer, issuer));
  }
  function collect(rules, info, out) {
    for (const rule of list(rules)) {
      if (!isObject(rule) || !applies(rule, info)) {
        continue;
      }
      out.type = rule.type ?? out.type;
      out.maxSize = rule.parser?.dataUrlCondition?.maxSize ?? out.maxSize;
      out.isWritten = out.isWritten || rule.generator?.dataUrl !== undefined;
      out.uses.push(...usesOf(rule, { resource: info.file, resourceQuery: info.query, issuer: info.issuer, realResource: info.file }));
      collect(rule.rules, info, out);
      collect(list(rule.oneOf).filter((one) => isObject(one) && applies(one, info)).slice(0, 1), info, out);
    }
    return out;
  }
  // loader returns how rules load a file: "" as usual, a kind of slipway.yaml, "inline <bytes>" for a URL that has the
  // contents of smaller files, or "! " and the name of a loader that builds do not run.
  function loader(rules, file, query, issuer) {
    const { type, uses, maxSize = 8096, isWritten } = collect(rules, { file, query, issuer }, { uses: [] });
    const names = uses.filter(({ name }) => !isCode.test(name) && !isStyle.test(name));
    const other = names.find(({ name }) => !isAsset.test(name));
    if (other || isWritten) {
      return `! ${other?.name ?? 'generator.dataUrl'}`;
    }
    const last = names[names.length - 1];
    switch (last?.name ?? type) {
      case 'raw-loader': case 'asset/source':
        return 'text';
      case 'null-loader':
        return 'empty';
      case 'file-loader': case 'asset/resource':
        return 'file';
      case 'asset/inline':
        return 'inline -1';
      case 'url-loader': {
        const limit = last.options.limit ?? true;
        return limit === false ? 'file' : limit === true ? 'inline -1' : `inline ${limit - 1}`;
      }
      case 'asset':
        return typeof maxSize === 'number' ? `inline ${maxSize}` : '! parser.dataUrlCondition';
      case 'json':
        return 'json';
    }
    return '';
  }

  // ---- compilers ----

  let compilers = {}; // functions that evaluate the configurations of swc and Babel, by file

  // rest names the options that builds neither apply nor need; the others are in known.
  function rest(of, options, known, file) {
    for (const [key, value] of Object.entries(isObject(options) ? options : {})) {
      if (value && !known.split(' ').includes(key)) {
        report(key, `${key} of ${of} does not apply`, host.ownBundler, file);
      }
    }
  }
  const merged = (a, b) => (isObject(a) && isObject(b) ? Object.fromEntries([...new Set([...Object.keys(a), ...Object.keys(b)])].map((key) => [key, merged(a[key], b[key])])) : b ?? a);
  const jsx = ({ runtime, importSource = 'react', pragma = 'React.createElement', pragmaFrag = 'React.Fragment' }) =>
    ({ jsx: { automatic: 'react-jsx', classic: 'react' }[runtime] ?? runtime, jsxImportSource: importSource, jsxFactory: pragma, jsxFragmentFactory: pragmaFrag });

  // Each of these returns the options of tsconfig.json that do the same, and names what has none.
  const optionsOf = {
    swc(name, options) {
      const file = name === 'swc-loader' && options.swcrc !== false && compilers['.swcrc'] ? '.swcrc' : undefined; // rspack's own loader reads none
      const own = file ? compilers[file]() : {};
      for (const [of, at] of [[own, file], [options]]) {
        rest(name, Array.isArray(of) ? { 0: of } : of, 'jsc env module minify swcrc parseMap sync sourceMaps inlineSourcesContent isModule $schema test exclude detectSyntax rspackExperiments', at);
        rest(name, of.jsc, 'parser transform target externalHelpers keepClassNames baseUrl paths minify preserveAllComments output experimental', at);
        rest(name, of.jsc?.transform, 'react legacyDecorator decoratorVersion useDefineForClassFields verbatimModuleSyntax hidden', at);
        rest(name, of.jsc?.transform?.react, 'runtime importSource pragma pragmaFrag development refresh throwIfNamespace useBuiltins useSpread', at);
        rest(name, of.env, 'targets debug bugfixes include exclude path coreJs skip shippedProposals forceAllTransforms', at);
        rest(name, of.rspackExperiments, 'collectTypeScriptInfo', at);
        for (const plugin of list(of.jsc?.experimental?.plugins)) {
          const [of] = list(plugin);
          report(loaderName(of), `the plugin ${loaderName(of)} of ${name} is not run`, host.ownBundler, at);
        }
        if (/commonjs|amd|umd|systemjs/.test(of.module?.type)) {
          report('module', `module of ${name} does not apply`, host.ownBundler, at);
        }
      }
      const { parser = {}, transform = {} } = merged(own, options).jsc ?? {};
      const { legacyDecorator, decoratorVersion = '2021-12', useDefineForClassFields = true, verbatimModuleSyntax } = transform ?? {};
      if (parser.decorators && !legacyDecorator && decoratorVersion < '2022') {
        report('decorators', `the decorators of ${name} are those that were proposed in 2021, and builds have those of TypeScript`, host.ownBundler, file);
      }
      const experimentalDecorators = legacyDecorator ? true : parser.decorators && decoratorVersion >= '2022' ? false : undefined;
      return { hasTypes: parser.syntax === 'typescript', ...jsx({ runtime: 'classic', ...transform?.react }), experimentalDecorators, useDefineForClassFields, verbatimModuleSyntax };
    },
    ts(name, { configFile, getCustomTransformers, compilerOptions = {} }) {
      rest(name, { getCustomTransformers, configFile: path.basename(configFile ?? 'tsconfig.json') !== 'tsconfig.json' }, '');
      rest(name, { emitDecoratorMetadata: compilerOptions.emitDecoratorMetadata }, '');
      const own = Object.fromEntries(Object.entries(compilerOptions).filter(([key]) => /^jsx|^experimentalDecorators$|^useDefineForClassFields$|^target$|^verbatimModuleSyntax$/.test(key)));
      const preserves = /"jsx"\s*:\s*"preserve"/.test(host.read(path.join(host.root, 'tsconfig.json')) ?? '');
      return { isTypeScript: true, ...(preserves ? { jsx: 'preserve' } : {}), ...own };
    },
    esbuild(name, { jsx: runtime, jsxImportSource, jsxFactory, jsxFragment, tsconfigRaw, ...others }) {
      rest(name, others, 'loader target implementation minify minifyWhitespace minifyIdentifiers minifySyntax keepNames legalComments sourcemap sourcesContent charset supported treeShaking');
      const own = { jsx: { automatic: 'react-jsx', transform: 'react' }[runtime] ?? runtime, jsxImportSource, jsxFactory, jsxFragmentFactory: jsxFragment };
      return { ...merged(optionsOf.ts(name, { compilerOptions: tsconfigRaw?.compilerOptions }), own), hasTypes: /^tsx?$/.test(others.loader) };
    },
    babel(name, options) {
      const about = JSON.parse(host.read(path.join(host.root, 'package.json')) ?? '{}');
      const isNew = /^\D*8\b/.test({ ...about.dependencies, ...about.devDependencies }['@babel/core'] ?? '');
      const api = {
        cache: Object.assign(() => {}, { forever: () => {}, never: () => {}, using: (f) => f(), invalidate: (f) => f() }), assertVersion: () => {}, version: isNew ? '8.0.0' : '7.28.0',
        env: (of) => (of === undefined ? 'production' : typeof of === 'function' ? of('production') : list(of).includes('production')), caller: (f) => f({ name, supportsStaticESM: true, target: 'web' }),
      };
      const items = [];
      const out = {};
      const add = (config, file) => {
        config = typeof config === 'function' && nameOf(config) === undefined ? config(api) : config;
        if (!known('babel', isObject(config) ? '' : config, host.ownBundler)) {
          return;
        }
        rest('Babel', config, 'presets plugins env overrides test include exclude only ignore sourceType targets browserslistConfigFile browserslistEnv compact comments minified retainLines sourceMaps ' +
          'sourceMap babelrc babelrcRoots configFile cacheDirectory cacheCompression cacheIdentifier envName root parserOpts generatorOpts highlightCode assumptions', file);
        rest('Babel', config.assumptions, 'setPublicClassFields noDocumentAll ignoreFunctionLength ignoreFunctionName', file);
        out.useDefineForClassFields = config.assumptions?.setPublicClassFields ? false : out.useDefineForClassFields;
        for (const kind of ['preset', 'plugin']) {
          for (const [of, own] of list(config[`${kind}s`]).map(list)) {
            items.push({ kind, of: loaderName(nameOf(of) !== undefined || typeof of === 'string' ? of : of?.name || 'a function'), own: isObject(own) ? own : {}, file });
          }
        }
        for (const more of [...list(config.env?.production), ...list(config.overrides).filter((one) => applies(one, { file: path.join(host.root, 'src', 'module.tsx') }))]) {
          add(more, file);
        }
      };
      const isRead = ({ configFile, babelrc }, file) => (file.startsWith('.') ? babelrc !== false : configFile === undefined || configFile === true || path.basename(`${configFile}`) === file);
      const found = Object.keys(compilers).filter((file) => file !== '.swcrc' && isRead(options, file));
      if (typeof options.configFile === 'string' && !found.some((file) => path.resolve(options.configFile) === path.join(host.root, file))) {
        report('configFile', 'configFile of babel-loader does not apply', host.ownBundler);
      }
      for (const file of found.sort().reverse()) {
        add(compilers[file](), file);
      }
      add(options.babelrc === false ? {} : about.babel ?? {}, 'package.json');
      add(options);
      const isPreset = ({ kind }) => kind === 'preset';
      for (const { kind, of, own, file } of [...items.filter((item) => !isPreset(item)), ...items.filter(isPreset).reverse()]) { // as they run
        const short = of.replace(/^module:/, '').replace(/^(@babel\/)?(?:babel-)?(?:preset|plugin)-/, '$1').replace(/^@babel\//, '');
        const isBabel = /^@babel\/|^babel-preset-|^\w+$/.test(of);
        if (isBabel && (kind === 'preset' ? short === 'react' : short === 'transform-react-jsx')) {
          Object.assign(out, out.jsx === undefined ? jsx({ runtime: isNew ? 'automatic' : 'classic', ...own }) : {});
        } else if (isBabel && short === (kind === 'preset' ? 'typescript' : 'transform-typescript')) {
          out.useDefineForClassFields ??= Boolean(own.allowDeclareFields ?? isNew); // if not, and it comes first, it removes fields without a value
          out.verbatimModuleSyntax = own.onlyRemoveTypeImports;
        } else if (isBabel && kind === 'preset' && ['env', 'flow'].includes(short)) {
          out.useDefineForClassFields ??= short === 'env' ? !own.loose : undefined;
          rest('Babel', { useBuiltIns: own.useBuiltIns === 'usage' }, '', file);
        } else if (isBabel && short === 'proposal-decorators' && (own.legacy || /^(legacy|2023)/.test(own.version))) {
          out.experimentalDecorators = own.legacy || own.version === 'legacy';
        } else if (/^@babel\/(plugin-)?(transform|proposal|syntax)-(?!decorators)/.test(of)) {
          out.useDefineForClassFields ??= /-class-properties$/.test(of) ? !own.loose : undefined;
        } else if (kind === 'preset' || !/^((babel-plugin-)?(syntax-dynamic-import|dynamic-import-node|lodash|annotate-pure-calls|transform-react-remove-prop-types)|react-(refresh|hot-loader)\/babel)$/.test(of)) {
          report(of, `the ${kind} ${of} of Babel is not run`, host.ownBundler, file);
        }
      }
      return out;
    },
  };
  const isCompiler = /^(?:builtin:)?(swc|ts|esbuild|babel|awesome-typescript)(?:-loader)?$/;
  function compilerOf({ name, options }) {
    const [, kind] = isCompiler.exec(name) ?? [];
    return kind && known(name, kind === 'babel' && isObject(options) ? '' : options, host.ownBundler) ? optionsOf[kind === 'awesome-typescript' ? 'ts' : kind](name, options) : undefined;
  }
  // compilerOptions returns what the loaders of TypeScript and JSX do, of which the last is the first that runs.
  function compilerOptions(rules) {
    const chains = ['tsx', 'ts', 'jsx', 'js'].map((ext) => collect(rules, { file: path.join(host.root, 'src', `module.${ext}`), query: '', issuer: '' }, { uses: [] }).uses.map(compilerOf).filter(Boolean));
    const chain = chains.find((one) => one.length > 0);
    if (chain === undefined) {
      return {};
    }
    const { isTypeScript, hasTypes, ...options } = chain.reduceRight((out, next) => (out.jsx === 'preserve' ? { ...next, ...out, jsx: next.jsx } : out));
    return { isTypeScript, hasTypes: chains[3].pop()?.hasTypes, compilerOptions: options };
  }

  let hasOther = false;
  let hasPostCSS = false;
  function hasPostCSSConfig() {
    const isIn = (dir) => host.glob(path.join(host.root, dir), '{postcss.config.*,.postcssrc*}', true, false).length > 0;
    try {
      return ['', 'src', '.config'].some(isIn) || JSON.parse(host.read(path.join(host.root, 'package.json'))).postcss !== undefined;
    } catch {
      return false; // without a package.json
    }
  }
  // runsPostCSS reports whether the options of postcss-loader, or a configuration that it finds, name plugins.
  function runsPostCSS(options) {
    const of = options.postcssOptions ?? options;
    return typeof of === 'function' || of.plugins !== undefined || (of.config !== undefined && typeof of.config !== 'boolean') || (of.config !== false && hasPostCSSConfig());
  }
  function checkRules(rules, seen = new Set(), outer = 'anything') {
    for (const rule of list(rules).filter(isObject)) {
      const matched = String(rule.test ?? rule.resource ?? rule.include ?? rule.resourceQuery ?? outer).replaceAll(`${host.root}/`, '');
      const matching = `files that match ${matched}`;
      for (const key of unreadConditions.filter((key) => rule[key] !== undefined)) {
        report(key, `the rule for ${matching} does not apply: builds do not read its condition ${key}`, host.ownBundler);
      }
      if (Object.keys(rule.resolve ?? {}).some((key) => key !== 'fullySpecified')) {
        report('resolve', `resolve of the rule for ${matching} does not apply`, host.ownBundler);
      }
      let uses = [];
      try {
        uses = usesOf(rule, { resource: '', resourceQuery: '', issuer: '' });
      } catch {
        report('use', `the loaders of ${matching} are known only for a file`, host.ownBundler);
      }
      for (const { name, options } of uses) {
        const imports = String(options.imports ?? options.wrapper ?? '');
        const say = (text, help = host.ownBundler) => {
          if (!seen.has(text)) {
            seen.add(text);
            report(name, text, help);
          }
        };
        if (!isCode.test(name) && !isStyle.test(name) && !isAsset.test(name)) {
          hasOther = true;
          hasPostCSS ||= name.includes('tailwindcss');
          say(`${matching} go through ${name}, which builds do not run`,
            `choose below "frontend" in slipway.yaml, as in loader: {".abc": text}, how such files are loaded, or ${host.ownBundler}`);
        } else if (isCompiler.test(name)) {
          compilerOf({ name, options });
        } else if (name === 'imports-loader' && !/public-?path/i.test(imports)) {
          say(`what imports-loader adds to ${matching} is left out`);
        } else if (name === 'postcss-loader' && runsPostCSS(options)) {
          hasPostCSS = true;
          say('the plugins of postcss-loader are not run');
        } else if (name === 'css-loader' && (options.modules === true || (isObject(options.modules) && !['auto', undefined].includes(Object.keys(options.modules).find((key) => key === 'auto' || key === 'mode'))))) {
          say(`css-loader makes ${matching} CSS modules: builds make them of files named .module.css and .module.scss`);
        }
      }
      if (rule.type?.startsWith?.('webassembly') === false && !/^(asset(\/(resource|inline|source))?|javascript\/\w+|json|css(\/\w+)?)$/.test(rule.type)) {
        report(rule.type, `the type ${rule.type} of ${matching} does not apply`, host.ownBundler);
      }
      checkRules(rule.rules, seen, matched);
      checkRules(rule.oneOf, seen, matched);
    }
  }

  // ---- plugins ----

  // Plugins that check, report or shape the output, and those of create-plugin's configuration.
  const isSilent = new RegExp(
    'fork-?ts-?checker|ts-?checker|eslint|stylelint|live-?reload|replace-?in-?file|subresource-?integrity|build-?mode|clean|progress|' +
      'remove-?empty|fix-?style-?only|terser|minimizer|hot-?module|refresh|circular|tsconfig-?paths|named(modules|chunks)|hashed-?module|' +
      'concatenation|optimize-?css|loader-?options|source-?map-?dev|watch-?ignore|friendly|speed-?measure|chunk-?count|chunk-?size|occurrence|' +
      'no-?emit|analyzer|visualizer|duplicate|rsdoctor|dotenv-?none|ng-?annotate|plugin-meta-extractor|GrafanaPlugin|webpackbar|notifier|size-?limit|statoscope',
    'i'
  );
  const firstString = (value) => (value && typeof value === 'object' ? Object.values(value).find((one) => typeof one === 'string') : value);

  function readPlugins(plugins, out, state) {
    for (const plugin of list(plugins).flat(3)) {
      const record = made.get(plugin);
      const full = record?.name ?? nameOf(plugin) ?? plugin?.constructor?.name ?? '';
      const short = full.split('.').pop();
      const [first] = record?.args ?? [];
      if (!plugin || (isSilent.test(full) && (!record?.isOwn || isSilent.test(plugin.constructor?.name ?? '')))) {
        continue;
      }
      const what = /^[A-Z]/.test(short) ? short : full;
      if (!record || record.isOwn) {
        const own = nameOf(plugin?.constructor) === undefined ? plugin?.constructor?.name : undefined;
        report(own ?? what, `the plugin ${own ?? what} is not run`, host.ownBundler);
        continue;
      }
      if (/VirtualModule/i.test(what) || /virtual-module/.test(full)) {
        if (!Object.keys(first ?? {}).every((name) => name.includes('grafana-public-path'))) {
          report('Virtual', 'the virtual modules of the configuration do not exist', 'write them as files');
        }
        continue;
      }
      const isCopy = /copy/i.test(full);
      const reader = isCopy ? 'Copy' : /mini-css-extract|CssExtract|extract-text/i.test(full) ? 'Extract' : what;
      if (reader !== 'DefinePlugin' && reader !== 'Copy' && !known(what, record.args, host.ownBundler)) {
        continue;
      }
      switch (reader) {
        case 'DefinePlugin':
          define(out.define, first);
          break;
        case 'EnvironmentPlugin':
          for (const [name, value] of Array.isArray(first) || typeof first === 'string' ? record.args.flat().map((name) => [name, undefined]) : Object.entries(first ?? {})) {
            if (name === 'NODE_ENV') {
              continue;
            }
            if (value === undefined) {
              report(name, `EnvironmentPlugin gives process.env.${name} the value of the environment, which builds do not read`, `write it below "frontend" in slipway.yaml: define: {process.env.${name}: ...}`);
            } else {
              out.define[`process.env.${name}`] = JSON.stringify(value);
            }
          }
          break;
        case 'ProvidePlugin':
          for (const [name, value] of Object.entries(first ?? {})) {
            const [module, of = 'default', ...deeper] = list(value);
            if (deeper.length > 0) {
              report(name, `ProvidePlugin gives ${name} a member of an export`, `write a module that exports it, and below "frontend" in slipway.yaml: inject: {${name}: ./src/...}`);
            } else {
              out.inject[name] = { module: outOf(module), name: of };
            }
          }
          break;
        case 'NormalModuleReplacementPlugin':
          state.replacements.push(record.args);
          break;
        case 'IgnorePlugin':
          state.ignored.push(first instanceof RegExp ? { resourceRegExp: first, contextRegExp: record.args[1] } : first ?? {});
          break;
        case 'Extract':
          state.filename = first?.filename ?? '[name].css';
          break;
        case 'Copy':
          out.copies.push(...copies(list(first?.patterns ?? first), what));
          break;
        case 'BannerPlugin':
          if (!String(first?.banner ?? first).includes('[create-plugin]')) {
            report(what, 'the banner of the configuration is left out', 'write it as a comment /*! ... */ in the code');
          }
          break;
        default:
          report(what, `the plugin ${what} is not run`, host.ownBundler);
      }
    }
  }

  // ---- copies ----

  // Those of create-plugin's configurations, whose files builds copy anyway.
  const usual = new Set(['README.md', '../README.md', 'plugin.json', '../LICENSE', '../CHANGELOG.md', '**/*.json', '**/*.svg', '**/*.png', '**/*.html', 'img/**/*', 'libs/**/*', 'static/**/*', '**/query_help.md']);
  let context = host.root;
  function copies(patterns, what) {
    const out = [];
    for (const pattern of patterns) {
      const { from, to = '', context: within = context, globOptions = {}, noErrorOnMissing, transform, transformAll, transformPath, filter, toType } = typeof pattern === 'string' ? { from: pattern } : pattern;
      if (usual.has(from) && ['', '.', './'].includes(to)) {
        continue;
      }
      const by = unknownIn([from, typeof to === 'function' ? '' : to, within]);
      if (by !== undefined) {
        report(what, `${what} copies files that ${by} computes, which builds do not run`, host.ownBundler);
        continue;
      }
      const needle = path.basename(from).replace(/^\*+/, '') || what;
      if (transform || transformAll || transformPath || filter || typeof to === 'function') {
        report(needle, `${what} changes or chooses files of ${from} by a function, so they are not copied`, host.ownBundler);
        continue;
      }
      const [placeholder] = /\[(?!(path|name|ext|base)\])[^\]]*\]/.exec(to) ?? [];
      if (placeholder && toType !== 'dir' && toType !== 'file') {
        report(placeholder, `${what} copies files of ${from} to names with ${placeholder}, which builds do not compute, so they are not copied`, host.ownBundler);
        continue;
      }
      const base = path.resolve(within);
      const found = path.resolve(base, from);
      out.push({
        what: needle, from: found, context: base, to: path.isAbsolute(to) ? path.relative(state.output, to) : to, toType: toType ?? '',
        isOptional: Boolean(noErrorOnMissing), dot: globOptions.dot ?? null, ignore: list(globOptions.ignore),
      });
    }
    return out;
  }
  const state = { replacements: [], ignored: [], filename: undefined, output: path.join(host.root, 'dist') };

  // ---- entries ----

  function readEntries(entry, out, filename = '[name].js') {
    const outputOf = (name) => (typeof filename === 'function' ? `${filename({ chunk: { name } })}` : filename).replaceAll('[name]', name).replace(/\.js(\?.*)?$/, '');
    const all = isObject(entry) && !entry.import ? Object.entries(entry) : entry === undefined ? [] : [['main', entry]];
    for (const [name, value] of all) {
      const imports = list(isObject(value) ? value.import : value).map((file) => (nameOf(file) === undefined ? outOf(`${file}`) : file));
      if (!known(name, imports, host.ownBundler) || imports.length === 0) {
        continue;
      }
      const last = imports[imports.length - 1];
      const isSheet = imports.every((file) => /\.(css|s[ac]ss|less)$/.test(file));
      if (isSheet && imports.length === 1 && state.filename !== undefined) {
        const named = firstString(typeof state.filename === 'function' ? state.filename({ chunk: { name } }) : state.filename);
        out.styles.push({ file: path.resolve(context, last), output: path.normalize(named.replace(/\[name\]/g, name)), what: name });
      } else if (!/(^|\/)module$/.test(outputOf(name)) || path.basename(last).replace(/\.[jt]sx?$/, '') !== 'module') {
        report(name, `the entry ${name} (${path.isAbsolute(last) ? path.relative(host.root, last) : last}) is not built`, host.ownBundler);
      } else if (imports.length > 1) {
        report(path.basename(imports[0]), `the entry ${name} also has ${imports.slice(0, -1).map((file) => (path.isAbsolute(file) ? path.relative(host.root, file) : file)).join(', ')}`, 'import it in the file of the entry');
      }
    }
  }

  // ---- all ----

  // What has no influence on what the code means, or is as create-plugin has it.
  const silent = new Set(('amd bail cache context dependencies devServer devtool entry experiments externals externalsType ignoreWarnings infrastructureLogging mode module name node optimization output ' +
    'parallelism performance plugins profile recordsPath resolve resolveLoader snapshot stats target watch watchOptions lazyCompilation').split(' '));
  const silentResolve = new Set('alias fallback extensions modules mainFields mainFiles conditionNames unsafeCache symlinks plugins fullySpecified tsConfig tsConfigPath cacheWithContext cache enforceExtension extensionAlias'.split(' '));
  const silentOutput = new Set(('clean filename chunkFilename library libraryTarget path publicPath uniqueName crossOriginLoading asyncChunks assetModuleFilename hashFunction globalObject pathinfo ' +
    'devtoolModuleFilenameTemplate sourceMapFilename environment chunkLoadingGlobal jsonpFunction umdNamedDefine charset').split(' '));

  function others(config) {
    for (const [what, all, ignored] of [['', config, silent], ['resolve.', config.resolve, silentResolve], ['output.', config.output, silentOutput]]) {
      for (const [key, value] of Object.entries(all ?? {})) {
        if (!ignored.has(key) && value !== undefined) {
          report(key, `${what}${key} does not apply`, host.ownBundler);
        }
      }
    }
    const type = config.output?.library?.type ?? config.output?.libraryTarget;
    if (type !== undefined && type !== 'amd') {
      report('output', `output.library.type is ${type}: module.js is an AMD module, which hosts load`, 'remove it');
    }
    if (config.externalsType !== undefined && config.externalsType !== 'amd') {
      report('externalsType', `externalsType ${config.externalsType} does not apply: hosts provide AMD modules`, 'remove it');
    }
    for (const [name, of] of Object.entries(config.resolve?.extensionAlias ?? {})) {
      if (!/^\.[mc]?jsx?$/.test(name) || list(of).some((ext) => !/^\.[mc]?[jt]sx?$/.test(ext))) {
        report(name, `resolve.extensionAlias of ${name} does not apply`, host.ownBundler);
      }
    }
    const conditions = list(config.resolve?.conditionNames);
    if (conditions.length > 0 && !conditions.includes('browser') && !conditions.includes('...')) {
      report('conditionNames', 'resolve.conditionNames has no browser: builds read that condition of packages too', host.ownBundler);
    }
    for (const plugin of list(config.resolve?.plugins)) {
      if (!isSilent.test(made.get(plugin)?.name ?? plugin?.constructor?.name ?? '')) {
        report('resolve', `the plugin ${made.get(plugin)?.name ?? plugin?.constructor?.name} of resolve is not run`, host.ownBundler);
      }
    }
  }

  // read runs the bundled configuration.
  async function read(run) {
    const module = { exports: {} };
    const exported = {};
    await run(module, module.exports, (namespace, files) => {
      Object.assign(exported, namespace);
      compilers = Object.fromEntries(Object.entries(files).map(([name, load]) => [name, () => load().default ?? load()]));
    });
    if (exported.default === undefined && (typeof module.exports === 'function' || Object.keys(module.exports).length > 0)) {
      exported.default = module.exports; // in a file that also imports
    }
    const config = await configuration(exported);
    context = path.resolve(config.context ?? '');
    state.output = path.resolve(config.output?.path ?? 'dist');
    const resolve = config.resolve ?? {};
    const own = {}; // of webpack 4: {fs: 'empty'}
    for (const [name, value] of Object.entries(isObject(config.node) ? config.node : {})) {
      if (value === 'empty') {
        own[name] = false;
      }
    }
    const out = {
      hasExternals: config.externals !== undefined, alias: substitutes('alias', resolve.alias), fallback: substitutes('fallback', { ...own, ...resolve.fallback }),
      define: {}, inject: {}, copies: [], styles: [], extensions: list(resolve.extensions).filter((ext) => ext !== '...' && ext !== '' && ext !== '*'),
      modules: [...new Set(list(resolve.modules).filter((dir) => dir !== 'node_modules' && known('modules', dir, host.ownBundler)).map((dir) => path.resolve(dir)))],
      mainFields: list(resolve.mainFields).flat().filter((field) => field !== '...'), conditions: list(resolve.conditionNames).filter((name) => !['...', 'import', 'require', 'module', 'browser', 'default', 'node', 'webpack', 'production', 'development'].includes(name)),
    };
    if (list(resolve.mainFields).includes('...')) {
      out.mainFields = [];
    }
    readExternals(config.externals);
    if (config.externals === undefined && !isToolkit) {
      report('', 'the configuration has no externals: builds leave out what all hosts share', 'write the externals of create-plugin into it');
    }
    readPlugins(config.plugins, out, state);
    readEntries(await settle(config.entry), out, config.output?.filename);
    const rules = [...list(config.module?.rules), ...list(config.module?.loaders)];
    checkRules(rules);
    Object.assign(out, compilerOptions(rules));
    others(config);
    return {
      settings: JSON.stringify({ ...out, isExact: externals.every((one) => typeof one !== 'function'),
      hasRelative: externals.some((one) => typeof one === 'function' || (one instanceof RegExp ? !/^\^[@\w]/.test(one.source) : Object.keys(one).some((name) => /^[./]/.test(name)))),
      hasRules: rules.length > 0, hasOther, hasPostCSS, hasReplacements: state.replacements.length + state.ignored.length > 0 }),
      external: guarded(external),
      loader: guarded((file, query, issuer) => loader(rules, file, query, issuer)),
      // replace returns what is imported instead of a request, or '' if it is ignored.
      replace: guarded((request, dir, issuer) => {
        for (const { resourceRegExp, contextRegExp, checkResource } of state.ignored) {
          const isIgnored = checkResource ? checkResource(request, dir) : resourceRegExp && meets(resourceRegExp, request) && (!contextRegExp || meets(contextRegExp, dir));
          if (isIgnored) {
            return '';
          }
        }
        const data = { request, context: dir, contextInfo: { issuer } };
        for (const [expression, to] of state.replacements) {
          if (meets(expression, data.request)) {
            typeof to === 'function' ? to(data) : (data.request = to);
          }
        }
        return data.request;
      }),
      // resource returns the file that is loaded instead of another one.
      resource: guarded((file, request, dir) => {
        const data = { request, context: dir, createData: { resource: file }, resource: file };
        for (const [expression, to] of state.replacements) {
          const before = data.createData.resource;
          if (meets(expression, before)) {
            data.createData.resource = typeof to === 'function' ? (to(data), data.createData.resource) : path.resolve(path.dirname(before), to);
          }
        }
        return data.createData.resource;
      }),
    };
  }

  // guarded returns a function that passes on what it throws, and where.
  const guarded = (f) => {
    const fail = (e) => {
      host.fail(String(e), String(e?.stack));
      return '';
    };
    return (...args) => {
      try {
        const value = f(...args);
        return typeof value?.then === 'function' ? value.then((of) => of, fail) : value;
      } catch (e) {
        return fail(e);
      }
    };
  };
  return guarded(read);
};
