// The modules that the interface shares with plugins, by the ids that a plugin's define asks for.
import * as emotionCss from '@emotion/css';
import * as emotionReact from '@emotion/react';
import * as grafanaData from '@grafana/data';
import * as grafanaRuntime from '@grafana/runtime';
import * as grafanaUI from '@grafana/ui';
import * as d3 from 'd3';
import i18next from 'i18next';
import jquery from 'jquery';
import * as lodash from 'lodash';
import * as moment from 'moment';
import * as prismjs from 'prismjs';
import * as React from 'react';
import * as ReactDOM from 'react-dom';
import * as ReactDOMClient from 'react-dom/client';
import * as reactInlineSVG from 'react-inlinesvg';
import * as jsxDevRuntime from 'react/jsx-dev-runtime';
import * as jsxRuntime from 'react/jsx-runtime';
import * as reactRedux from 'react-redux';
import * as reactRouterDOM from 'react-router-dom';
import * as reactRouterCompat from 'react-router-dom-v5-compat';
import * as redux from 'redux';
import * as rxjs from 'rxjs';
import * as rxjsOperators from 'rxjs/operators';
import * as slate from 'slate';
import * as slatePlainSerializer from 'slate-plain-serializer';
import * as slateReact from 'slate-react';
import { record } from '../observe/record';
import { watched } from './watch';

type Namespace = object & { default?: unknown; __esModule?: boolean };

/** A CommonJS package as such: where it exports a function, its consumers expect the function and not a namespace. */
function commonJS(namespace: Namespace): object {
  const whole = namespace.default;
  return whole && (typeof whole === 'function' || !namespace.__esModule) ? (whole as object) : namespace;
}

/** Plugins of long ago take these classes from @grafana/ui. */
const formerly = {
  PanelPlugin: grafanaData.PanelPlugin,
  DataSourcePlugin: grafanaData.DataSourcePlugin,
  AppPlugin: grafanaData.AppPlugin,
  DataSourceApi: grafanaData.DataSourceApi,
};

const modules: Record<string, object> = {
  '@emotion/css': emotionCss,
  '@emotion/react': emotionReact,
  emotion: emotionCss,
  '@grafana/data': grafanaData,
  '@grafana/runtime': grafanaRuntime,
  '@grafana/ui': { ...grafanaUI, ...formerly },
  '@grafana/slate-react': slateReact,
  'slate-react': slateReact,
  slate,
  'slate-plain-serializer': commonJS(slatePlainSerializer),
  d3,
  i18next,
  jquery,
  lodash: commonJS(lodash),
  moment: commonJS(moment),
  prismjs: commonJS(prismjs),
  react: commonJS(React),
  'react/jsx-runtime': jsxRuntime,
  'react/jsx-dev-runtime': jsxDevRuntime,
  'react-dom': commonJS(ReactDOM),
  'react-dom/client': ReactDOMClient,
  'react-inlinesvg': reactInlineSVG,
  'react-redux': reactRedux,
  redux,
  'react-router-dom': reactRouterDOM,
  'react-router': reactRouterCompat,
  rxjs,
  'rxjs/operators': rxjsOperators,
};

/** Modules that not every supported version has: there, the bundler makes them empty. */
async function addOptional(): Promise<void> {
  const absent = () => undefined;
  const optional = {
    '@grafana/data/unstable': import('@grafana/data/unstable').catch(absent),
    '@grafana/runtime/unstable': import('@grafana/runtime/unstable').catch(absent),
    '@grafana/ui/unstable': import('@grafana/ui/unstable').catch(absent),
    '@grafana/i18n': import('@grafana/i18n').catch(absent),
  };
  for (const [id, loading] of Object.entries(optional)) {
    const namespace = await loading;
    if (namespace && Object.keys(namespace).some((name) => name !== 'default')) {
      modules[id] = namespace;
    }
  }
}

/**
 * The globals of the interface's own build, for plugins that name them: it exposes jQuery, webpack's "define.amd" makes lodash put
 * itself on the window, and lodash has one method more. Prism is a global wherever it is evaluated.
 */
function setGlobals(): void {
  const { jquery, lodash } = modules;
  const move = (list: unknown[], from: number, to: number) => {
    list.splice(to, 0, ...list.splice(from, 1));
    return list;
  };
  Object.assign(window, { $: jquery, jQuery: jquery, _: Object.assign(lodash, { move }) });
  // The interface adds Flot to jQuery, which is not here; a plugin may add its own.
  Object.defineProperty(jquery, 'plot', {
    configurable: true,
    get: () => void record.missing('jquery#plot'),
    set: (value: unknown) => Object.defineProperty(jquery, 'plot', { value, writable: true }),
  });
}

/**
 * Makes the views that plugins get. The components are those of @grafana/runtime that only wait for one of the interface; plugins
 * get it at once, since not every version has the setters.
 */
export async function shareModules(components: object): Promise<void> {
  await addOptional();
  setGlobals();
  modules['@grafana/runtime'] = { ...grafanaRuntime, ...components };
  for (const id of Object.keys(modules).filter((id) => id.startsWith('@grafana/'))) {
    modules[id] = watched(id, modules[id], record);
  }
}

/** The module that a plugin asks for, noted. */
export function sharedModule(id: string): object | undefined {
  record.add(record.modules, id);
  if (!(id in modules)) {
    record.missing(id);
  }
  return modules[id];
}
