// The globals that @grafana modules read while they are evaluated.
import { language, type Boot } from './boot';

declare global {
  interface Window {
    grafanaBootData?: object;
    __grafana_public_path__?: string;
  }
}

const files: Record<string, string> = {
  json: 'json',
  typescript: 'ts',
  javascript: 'ts',
  css: 'css',
  scss: 'css',
  less: 'css',
  html: 'html',
};

const dateFormats = {
  fullDate: 'YYYY-MM-DD HH:mm:ss',
  interval: {
    millisecond: 'HH:mm:ss.SSS',
    second: 'HH:mm:ss',
    minute: 'HH:mm',
    hour: 'MM/DD HH:mm',
    day: 'MM/DD',
    month: 'YYYY-MM',
    year: 'YYYY',
  },
  useBrowserLocale: false,
  defaultTimezone: 'browser',
};

function user({ role, theme }: Boot): object {
  const person = { id: 1, uid: 'preview', login: 'preview', name: 'Preview', email: 'preview@localhost', isSignedIn: true };
  const place = { timezone: 'browser', weekStart: '', locale: language, language, regionalFormat: language };
  const rights = { orgRole: role, isGrafanaAdmin: role === 'Admin', permissions: permissions(role) };
  const look = { theme, lightTheme: theme === 'light', helpFlags1: 0 };
  return { ...person, ...place, ...rights, ...look, orgId: 1, orgName: 'Main', orgCount: 1, analytics: { identifier: '' } };
}

/** The actions that plugins ask about with hasPermission. */
function permissions(role: Boot['role']): Record<string, boolean> {
  const read = ['datasources:read', 'datasources:query', 'datasources:explore', 'dashboards:read', 'folders:read', 'plugins.app:access'];
  const edit = ['dashboards:create', 'dashboards:write', 'folders:create', 'annotations:create'];
  const administer = ['datasources:write', 'datasources:create', 'datasources:delete', 'plugins:write', 'plugins:install'];
  const granted = [...read, ...(role === 'Viewer' ? [] : edit), ...(role === 'Admin' ? administer : [])];
  return Object.fromEntries(granted.map((action) => [action, true]));
}

/** What @grafana/runtime does not have by default, and what plugins read in grafanaBootData itself. */
function settings({ version }: Boot): object {
  return {
    buildInfo: { version, commit: '', env: 'production', edition: 'Open Source', hasUpdate: false, hideVersion: false, latestVersion: '' },
    appUrl: location.origin + '/',
    appSubUrl: '',
    datasources: {},
    panels: {},
    apps: {},
    dateFormats,
    featureToggles: {},
    licenseInfo: { enabledFeatures: {} },
    exploreEnabled: true,
    unifiedAlerting: { minInterval: '10s' },
    awsAllowedAuthProviders: ['default', 'keys', 'credentials'],
  };
}

/** Makes it the time at which answers were recorded, so that a range such as "last 6 hours" has what they have. */
function setClock(clock: number): void {
  const RealDate = Date;
  const now = () => RealDate.now() + clock - Math.round(performance.timeOrigin);
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args: [], made) => Reflect.construct(target, args.length ? args : [now()], made) as Date,
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
  });
}

export function setGlobals(boot: Boot): void {
  if (boot.clock) {
    setClock(boot.clock);
  }
  window.__grafana_public_path__ = '/public/';
  window.grafanaBootData = { assets: { light: '', dark: '' }, navTree: [], user: user(boot), settings: settings(boot) };
  window.MonacoEnvironment = { getWorker: (_id: string, label: string) => new Worker(`/-/${files[label] ?? 'editor'}.worker.js`) };
}
