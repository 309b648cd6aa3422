// The view of an app: its pages, its configuration, and what it registers at extension points.
import type { AppPlugin, NavModel, PluginInclude, PluginMeta } from '@grafana/data';
import { locationService } from '@grafana/runtime';
import { Tab, TabsBar } from '@grafana/ui';
import { useState } from 'react';
import { Link, useLocation } from 'react-router-dom-v5-compat';
import { bare, boot, type Role } from '../boot/boot';
import { useSettings } from './address';
import { Boundary } from './boundary';
import { Drawing } from './drawing';
import { ExtensionList } from './extensionlist';

const rank: Record<string, number> = { Viewer: 1, Editor: 2, Admin: 3 };

/** Whether the role may see the page: that of the include, or a higher one. */
export function maySee(role: Role, include: Pick<PluginInclude, 'role'>): boolean {
  return rank[role] >= (rank[include.role ?? ''] ?? 1);
}

/** The pages that plugin.json puts into the navigation. */
export function navigation(meta: Pick<PluginMeta, 'id' | 'includes'>): { name: string; path: string; include: PluginInclude }[] {
  return (meta.includes ?? [])
    .filter((i) => i.type === 'page' && i.path && i.addToNav !== false)
    .map((include) => ({ name: include.name, path: (include.path ?? '').replace('%PLUGIN_ID%', meta.id), include }));
}

const mayConfigure = boot.role === 'Admin';

export function AppNavigation({ meta }: { meta: PluginMeta }) {
  const { pathname, search } = useLocation();
  const pages = navigation(meta);
  return (
    <nav aria-label={`Pages of ${meta.name}`} className="preview-nav-inner">
      <Link to={`/a/${meta.id}`} aria-current={pathname.replace(/\/$/, '') === `/a/${meta.id}` ? 'page' : undefined}>
        Root page
      </Link>
      {pages.map(({ name, path, include }) =>
        maySee(boot.role, include) ? (
          <Link key={name + path} to={path} aria-current={pathname + search === path || pathname === path ? 'page' : undefined}>
            {name}
          </Link>
        ) : (
          <small key={name + path} title={`plugin.json requires the role ${include.role} for this page`}>
            {`${name} (needs ${include.role})`}
          </small>
        ),
      )}
      {mayConfigure && !pages.some(({ path }) => path === `/plugins/${meta.id}`) && (
        <Link to={`/plugins/${meta.id}`} aria-current={pathname === `/plugins/${meta.id}` ? 'page' : undefined}>
          Configuration
        </Link>
      )}
    </nav>
  );
}

export function AppPage({ plugin }: { plugin: AppPlugin }) {
  const { pathname, search } = useLocation();
  const [nav, setNav] = useState<NavModel>();
  const { id, includes } = plugin.meta;
  const include = includes?.find((i) => i.type === 'page' && (i.path ?? '').replace('%PLUGIN_ID%', id).split('?')[0] === pathname);
  if (include && !maySee(boot.role, include)) {
    return <p>{`This page needs the role ${include.role}; the preview is opened as ${boot.role}.`}</p>;
  }
  const Root = plugin.root;
  if (!Root) {
    return (
      <Drawing name={id} title={pathname}>
        <p>The app has no root page: setRootPage was not called.</p>
      </Drawing>
    );
  }
  const query = Object.fromEntries(new URLSearchParams(search));
  return (
    <Drawing name={id} title={pathname} style={{ flex: 1, minHeight: 0, display: 'flex', flexDirection: 'column' }}>
      {nav?.main.text && !bare && <h1>{nav.main.text}</h1>}
      <Boundary what="the app" dependencies={[Root, pathname]}>
        <Root meta={plugin.meta} basename={`/a/${id}`} path={pathname} query={query} onNavChanged={setNav} />
      </Boundary>
    </Drawing>
  );
}

export function AppConfigPage({ plugin }: { plugin: AppPlugin }) {
  const settings = useSettings();
  const pages = plugin.configPages ?? [];
  const chosen = settings.get('page') ?? pages[0]?.id ?? 'extensions';
  const page = pages.find((p) => p.id === chosen);
  if (!mayConfigure) {
    return <p>{`The configuration of an app needs the role Admin; the preview is opened as ${boot.role}.`}</p>;
  }
  const choose = (id: string) => locationService.push(`/plugins/${plugin.meta.id}?page=${encodeURIComponent(id)}`);
  return (
    <>
      <TabsBar>
        {pages.map((p) => (
          <Tab key={p.id} label={p.title} active={p.id === chosen} onChangeTab={() => choose(p.id)} />
        ))}
        <Tab label="Extensions" active={!page} onChangeTab={() => choose('extensions')} />
      </TabsBar>
      <Drawing name={`${plugin.meta.id} ${chosen}`} title={page?.title ?? 'Extensions'}>
        {!pages.length && <p>The app has no configuration page: addConfigPage was not called.</p>}
        {page ? (
          <Boundary what={`the configuration page "${page.title}"`} dependencies={[page.body]}>
            <page.body plugin={plugin} query={{}} />
          </Boundary>
        ) : (
          <ExtensionList plugin={plugin} />
        )}
      </Drawing>
    </>
  );
}
