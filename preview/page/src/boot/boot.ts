// What the server tells the page about itself, in a script element of the document.
import type { PluginMeta } from '@grafana/data';

export type Role = 'Viewer' | 'Editor' | 'Admin';

/** A plugin.json, as far as the page reads it. */
export interface Manifest extends Partial<Omit<PluginMeta, 'id' | 'name' | 'type'>> {
  id: string;
  name: string;
  type: string;
}

export interface Boot {
  version: string;
  react: string;
  mode: 'development' | 'production';
  role: Role;
  plugins: Manifest[];
  main: string;
  theme: 'dark' | 'light';
}

const defaults: Boot = { version: '', react: '', mode: 'development', role: 'Admin', plugins: [], main: '', theme: 'dark' };

function read(): Boot {
  const text = document.getElementById('boot')?.textContent;
  return text ? { ...defaults, ...(JSON.parse(text) as Partial<Boot>) } : defaults;
}

/** The theme of this page: the address decides, else what was chosen before, else the server. */
function chosenTheme(given: Boot['theme']): Boot['theme'] {
  const asked = new URLSearchParams(location.search).get('theme') ?? sessionStorage.getItem('preview.theme');
  return asked === 'light' || asked === 'dark' ? asked : given;
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

const given = read();
export const boot: Boot = { ...given, theme: chosenTheme(given.theme) };
export const token = takeToken();

/** Whether the preview's own controls are hidden, for pictures. */
export const bare = new URLSearchParams(location.search).has('bare');
