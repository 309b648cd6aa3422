// The frame of the page: what can be seen on the left, what was told on the right.
import { Button, Input, LinkButton, Select, useTheme2 } from '@grafana/ui';
import { useEffect, useState, type ReactNode } from 'react';
import { Link, useLocation } from 'react-router-dom-v5-compat';
import { bare, boot, keepChoice, roles, subjectOf } from '../boot/boot';
import { record } from '../observe/record';
import { storiesOf } from '../panels/stories';
import { useKept } from '../refresh/kept';
import { metaOf } from '../services/plugins';
import { setTheme } from '../services/theme';
import { useLoaded } from '../services/useloaded';
import { useSettings } from './address';
import { Alerts } from './alerts';
import { AppNavigation } from './apppage';
import { Overlay, useRecord } from './overlay';
import { Name, sorted, viewsOf } from './overview';
import { choiceIn } from './panelcontrols';
import { ToldUs } from './toldus';

/** The saved panels of a plugin, with a search if there are many. */
function Stories({ plugin }: { plugin: string }) {
  const { pathname, search } = useLocation();
  const stories = useLoaded(() => storiesOf(plugin), [plugin, search]) ?? [];
  const [wanted, setWanted] = useState('');
  const shown = choiceIn(useSettings(), true);
  const found = stories.map(({ title, dashboard }) => `${title} ${dashboard}`.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <div className="preview-nav-inner preview-stories">
      {stories.length > 8 && (
        <Input aria-label={`Search the stories of ${plugin}`} placeholder="Search" onChange={(e) => setWanted(e.currentTarget.value)} />
      )}
      {stories.map(
        ({ title, dashboard }, i) =>
          found[i] && (
            <Link
              key={i}
              to={`/panel/${plugin}?story=${i}`}
              title={dashboard}
              aria-current={pathname === `/panel/${plugin}` && shown === `story:${i}`}
            >
              {title || `Panel ${i + 1}`}
            </Link>
          ),
      )}
      {wanted && !found.includes(true) && <small>No story has this in its name.</small>}
    </div>
  );
}

function Navigation() {
  const { pathname } = useLocation();
  return (
    <nav aria-label="Plugins" className="preview-nav">
      <button type="button" className="preview-skip" onClick={() => document.querySelector('main')?.focus()}>
        Skip to the view
      </button>
      <Link to="/" className="preview-home" aria-current={pathname === '/' ? 'page' : undefined}>
        Preview
      </Link>
      {sorted.map((plugin) => (
        <div key={plugin.id}>
          <Name plugin={plugin} />
          {plugin.type === 'app' ? (
            <AppNavigation meta={metaOf(plugin)} />
          ) : (
            <div className="preview-nav-inner">
              {viewsOf(plugin).map(({ label, to }) => (
                <Link key={to} to={to} aria-current={pathname === to ? 'page' : undefined}>
                  {label}
                </Link>
              ))}
              {plugin.type === 'panel' && <Stories plugin={plugin.id} />}
            </div>
          )}
        </div>
      ))}
    </nav>
  );
}

/** How many things in the side list deserve a look. */
function useCount(): number {
  useRecord();
  return record.faults.length + record.missingNames.size + record.deprecations.size + record.calls.filter((c) => c.refused).length;
}

export function Layout({ children }: { children: ReactNode }) {
  const theme = useTheme2();
  const [isOpen, setOpen] = useKept('told', () => false);
  const count = useCount();
  const { pathname, search } = useLocation();
  const subject = subjectOf(pathname);
  useEffect(() => {
    document.title = subject?.name ?? 'Preview';
  }, [subject]);
  if (bare) {
    return <main>{children}</main>;
  }
  const other = theme.isDark ? 'light' : 'dark';
  const toggle = () => setOpen(!isOpen);
  return (
    <div className="preview-frame">
      <Navigation />
      <header className="preview-header">
        {subject && <h1>{subject.name}</h1>}
        <small>{`@grafana ${boot.version}, React ${boot.react}`}</small>
        <Select
          aria-label="Role"
          prefix="Role"
          width={18}
          value={boot.role}
          options={roles.map((value) => ({ label: value, value }))}
          onChange={({ value = boot.role }) => {
            keepChoice('role', value);
            location.reload(); // since plugins read it once; what is edited is kept
          }}
        />
        {boot.beside && window.top === window && (
          <LinkButton size="sm" variant="secondary" fill="text" href={`/-/beside?path=${encodeURIComponent(pathname + search)}`}>
            Side by side
          </LinkButton>
        )}
        <Button size="sm" variant="secondary" fill="text" onClick={() => setTheme(other)}>{`Use the ${other} theme`}</Button>
        <Button size="sm" variant={record.faults.length ? 'destructive' : 'secondary'} aria-expanded={isOpen} onClick={toggle}>
          {`Problems (${count})`}
        </Button>
      </header>
      <main className="preview-main" tabIndex={-1}>
        {children}
      </main>
      {isOpen && (
        <aside aria-label="Problems" className="preview-side">
          <ToldUs version={boot.version} count={count} />
        </aside>
      )}
      <Overlay />
      <Alerts />
    </div>
  );
}
