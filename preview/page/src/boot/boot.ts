// What the server tells the page about itself, in a script element of the document.
import type { PluginMeta } from '@grafana/data';

export const roles = ['Viewer', 'Editor', 'Admin'] as const;
export type Role = (typeof roles)[number];

/** A plugin.json, as far as the page reads it. */
export interface Manifest extends Partial<Omit<PluginMeta, 'id' | 'name' | 'type'>> {
  id: string;
  name: string;
  type: string;
  languages?: string[];
}

/** As preview/server.go sends it. */
export interface Boot {
  version: string;
  react: string;
  role: Role;
  plugins: Manifest[];
  main: string;
  theme: 'dark' | 'light';
  beside: boolean;
  clock: number;
  root: string;
}

/** A setting that is read once: the address decides, else what was chosen before in this tab, else the server. */
function chosen<T extends string>(name: 'theme' | 'role', given: T, all: readonly T[]): T {
  const asked = new URLSearchParams(location.search).get(name) ?? sessionStorage.getItem(`preview.${name}`);
  return all.find((one) => one === asked) ?? given;
}

/** Keeps such a setting for the next time. */
export function keepChoice(name: 'theme' | 'role', value: string): void {
  sessionStorage.setItem(`preview.${name}`, value);
  const address = new URL(location.href);
  address.searchParams.delete(name);
  history.replaceState(history.state, '', address);
}

/** The token arrives in the fragment, which no server sees, and leaves the address as soon as it was read. */
function takeToken(): string {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token) {
    sessionStorage.setItem('preview.token', token);
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  return token ?? sessionStorage.getItem('preview.token') ?? '';
}

/** Whether the preview's own controls are hidden, for pictures. */
export const bare = new URLSearchParams(location.search).has('bare');

/** A page of several previews has none. */
const given = JSON.parse(document.getElementById('boot')?.textContent ?? '{}') as Boot;
/** Pictures have the server's theme, and a person that of the browser. */
const theme = matchMedia('(prefers-color-scheme: light)').matches && !bare ? 'light' : given.theme;
export const boot: Boot = { ...given, theme: chosen('theme', theme, ['dark', 'light']), role: chosen('role', given.role, roles) };
export const token = takeToken();

/** The plugin that an address is about. */
export const subjectOf = (pathname: string) => boot.plugins.find(({ id }) => pathname.split('/').includes(id));

/** The headers that say who calls the server. */
export const identity = { 'X-Preview-Token': token, 'X-Preview-Role': boot.role };

/** The language of the page and of plugins that have it. */
export const language = new URLSearchParams(location.search).get('lang') ?? 'en-US';
