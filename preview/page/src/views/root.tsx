// The React tree: what plugins expect around them, and the routes of the page.
import { AppPlugin, DataSourcePlugin, PanelPlugin, PluginContextProvider, ThemeContext } from '@grafana/data';
import { config, locationService, LocationServiceProvider, ThemeChangedEvent } from '@grafana/runtime';
import { GlobalStyles, LoadingPlaceholder, Modal, ModalRoot, ModalsProvider, PortalContainer } from '@grafana/ui';
import { Suspense, useEffect, useState } from 'react';
import { Router } from 'react-router-dom';
import { CompatRouter, Link, Route, Routes, useParams } from 'react-router-dom-v5-compat';
import { manifests } from '../services/plugins';
import { appEvents, ModalEvent } from '../services/events';
import { usePlugin } from '../refresh/current';
import { AppConfigPage, AppPage } from './apppage';
import { Boundary } from './boundary';
import { DataSourcePage } from './datasourcepage';
import { Layout } from './layout';
import { Overview } from './overview';
import { PanelPage } from './panelpage';
import { StoriesPage } from './storiespage';
import { describe } from '../observe/faults';

type View = 'panel' | 'stories' | 'datasource' | 'app' | 'config';

/** Loads the plugin that the address names and draws the view of it. */
function PluginView({ view }: { view: View }) {
  const { pluginId = '' } = useParams();
  return manifests.has(pluginId) ? <Known id={pluginId} view={view} /> : <p>{`The plugin ${pluginId} is not in this repository.`}</p>;
}

function Known({ id, view }: { id: string; view: View }) {
  const current = usePlugin(id);
  switch (current.state) {
    case 'loading':
      return <LoadingPlaceholder text={`Loading ${id}…`} />;
    case 'failed':
      return <p role="alert">{`${id} did not load: ${describe(current.error)}`}</p>;
  }
  const { plugin, revision } = current;
  return (
    <PluginContextProvider meta={plugin.meta}>
      <Boundary what="the view" dependencies={[plugin]}>
        {plugin instanceof PanelPlugin && (view === 'stories' ? <StoriesPage plugin={plugin} /> : <PanelPage plugin={plugin} />)}
        {plugin instanceof DataSourcePlugin && <DataSourcePage plugin={plugin} revision={revision} />}
        {plugin instanceof AppPlugin && (view === 'config' ? <AppConfigPage plugin={plugin} /> : <AppPage plugin={plugin} />)}
      </Boundary>
    </PluginContextProvider>
  );
}

/** A page of the interface that a plugin leads to, and that the preview does not have. */
function Elsewhere() {
  const { pathname, search } = locationService.getLocation();
  return (
    <div>
      <h1>Not in the preview</h1>
      <p>{`The plugin leads to ${pathname}${search}, a page of the interface itself.`}</p>
      <Link to="/" className="preview-link">
        Back to the plugins
      </Link>
    </div>
  );
}

/** Modals that are opened by code that is no component. */
function Modals() {
  const [asked, setAsked] = useState<ModalEvent['payload']>();
  useEffect(() => {
    const opened = appEvents.subscribe(ModalEvent, ({ payload }) => setAsked(payload));
    return () => opened.unsubscribe();
  }, []);
  if (!asked) {
    return null;
  }
  const close = () => setAsked(undefined);
  return (
    <Modal title={asked.title} isOpen onDismiss={close}>
      <asked.body onDismiss={close} />
    </Modal>
  );
}

export function Root() {
  const [theme, setTheme] = useState(config.theme2);
  useEffect(() => {
    const changes = appEvents.subscribe(ThemeChangedEvent, ({ payload }) => setTheme(payload));
    return () => changes.unsubscribe();
  }, []);
  return (
    <ThemeContext.Provider value={theme}>
      <GlobalStyles />
      <LocationServiceProvider service={locationService}>
        <Router history={locationService.getHistory()}>
          <CompatRouter>
            <ModalsProvider>
              <Layout>
                <Suspense fallback={<LoadingPlaceholder text="Loading…" />}>
                  <Routes>
                    <Route path="/" element={<Overview />} />
                    <Route path="/panel/:pluginId" element={<PluginView view="panel" />} />
                    <Route path="/panel/:pluginId/stories" element={<PluginView view="stories" />} />
                    <Route path="/datasource/:pluginId" element={<PluginView view="datasource" />} />
                    <Route path="/a/:pluginId/*" element={<PluginView view="app" />} />
                    <Route path="/plugins/:pluginId" element={<PluginView view="config" />} />
                    <Route path="*" element={<Elsewhere />} />
                  </Routes>
                </Suspense>
              </Layout>
              <Modals />
              <ModalRoot />
              <PortalContainer />
            </ModalsProvider>
          </CompatRouter>
        </Router>
      </LocationServiceProvider>
    </ThemeContext.Provider>
  );
}
