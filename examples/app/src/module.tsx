// The frontend of the app: the interval of new playlists, and a page that lists and
// creates playlists.
import { AppPlugin, type AppPluginMeta, type AppRootProps, type PluginConfigPageProps } from '@grafana/data';
import { getBackendSrv, PluginPage } from '@grafana/runtime';
import { Button, Field, Input } from '@grafana/ui';
import React, { useEffect, useState, type FormEvent } from 'react';

interface Settings {
  interval?: string;
}

interface Playlist {
  uid: string;
  name: string;
}

const endpoint = '/api/plugins/slipway-tags-app/resources/playlists';

function Playlists(_: AppRootProps<Settings>) {
  const [playlists, setPlaylists] = useState<Playlist[]>([]);
  const [tag, setTag] = useState('');
  const load = async () => setPlaylists(await getBackendSrv().get(endpoint));
  useEffect(() => void load(), []);
  const create = async (event: FormEvent) => {
    event.preventDefault();
    await getBackendSrv().post(endpoint, { tag });
    await load();
  };
  return (
    <PluginPage>
      <ul>
        {playlists.map((playlist) => (
          <li key={playlist.uid}>{playlist.name}</li>
        ))}
      </ul>
      <form onSubmit={create}>
        <Field label="Tag">
          <Input width={30} value={tag} onChange={(event) => setTag(event.currentTarget.value)} />
        </Field>
        <Button type="submit" disabled={tag === ''}>
          Create a playlist
        </Button>
      </form>
    </PluginPage>
  );
}

function Configuration({ plugin: { meta } }: PluginConfigPageProps<AppPluginMeta<Settings>>) {
  const [interval, setInterval] = useState(meta.jsonData?.interval ?? '1m');
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const jsonData = { ...meta.jsonData, interval };
    await getBackendSrv().post(`/api/plugins/${meta.id}/settings`, { enabled: true, pinned: meta.pinned, jsonData });
    window.location.reload(); // the host passes the new settings to a new page
  };
  return (
    <form onSubmit={save}>
      <Field label="Interval" description="How long a dashboard is shown, such as 1m">
        <Input width={30} value={interval} onChange={(event) => setInterval(event.currentTarget.value)} />
      </Field>
      <Button type="submit">Save</Button>
    </form>
  );
}

export const plugin = new AppPlugin<Settings>()
  .setRootPage(Playlists)
  .addConfigPage({ id: 'configuration', title: 'Configuration', icon: 'cog', body: Configuration });
