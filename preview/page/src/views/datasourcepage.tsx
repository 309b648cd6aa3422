// The view of a data source plugin: its query, its settings, annotations and variables.
import { DataSourcePluginContextProvider } from '@grafana/data';
import { Select, Tab, TabsBar } from '@grafana/ui';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { bare } from '../boot/boot';
import { useKept } from '../refresh/kept';
import { backend } from '../services/backend';
import { dataSources } from '../services/datasources';
import type { AnyDataSourcePlugin } from '../services/plugins';
import { standInSettings } from '../services/standin-datasources';
import { useLoaded } from '../services/useloaded';
import { AnnotationPane } from './annotationpane';
import { ConfigPane, unsavedUID } from './configpane';
import { Drawing } from './drawing';
import { useSettings } from './address';
import { QueryRunPane } from './queryrunpane';
import { VariablePane } from './variablepane';

const tabs = ['Query', 'Settings', 'Annotations', 'Variable'] as const;
type TabName = (typeof tabs)[number];

export function DataSourcePage({ plugin, revision }: { plugin: AnyDataSourcePlugin; revision: number }) {
  const type = plugin.meta.id;
  const address = useSettings();
  const [saves, setSaves] = useState(0);
  const all = useMemo(() => dataSources.getList({ pluginId: type }), [type, saves]);
  const settings = useMemo(() => {
    const unsaved = { ...standInSettings(unsavedUID, type, plugin.meta.name), readOnly: false };
    return all.find((s) => s.uid === address.get('uid')) ?? all[0] ?? unsaved;
  }, [all, address, type]);
  const instance = useLoaded(() => dataSources.instantiate(settings), [settings, revision]);
  const onSaved = useCallback(async () => {
    await dataSources.refresh();
    setSaves((n) => n + 1);
  }, []);
  useEffect(() => {
    if (bare && settings.uid === unsavedUID) {
      // A check asks a backend also if the repository has saved no settings. Another tab may have been faster.
      const made = { name: settings.name, type, uid: type.slice(0, 40), access: 'proxy', jsonData: {} };
      void backend
        .post('/api/datasources', made, { showErrorAlert: false })
        .catch(() => undefined)
        .then(onSaved);
    }
  }, [settings, type, onSaved]);
  const [kept, setKept] = useKept<TabName>(`tab:${type}`, () => 'Query');
  const tab = tabs.find((name) => name.toLowerCase() === address.get('tab')) ?? kept;
  const choose = (name: TabName) => {
    setKept(name);
    address.set({ tab: name.toLowerCase() });
  };
  return (
    <>
      {all.length > 1 && (
        <Select
          aria-label="Data source"
          width={40}
          options={all.map((s) => ({ value: s.uid, label: s.name }))}
          value={settings.uid}
          onChange={(c) => address.set({ uid: c.value })}
        />
      )}
      {settings.uid === unsavedUID && (
        <p>No data source of this type is saved in the host: the settings have to be saved before a backend can answer.</p>
      )}
      <TabsBar>
        {tabs.map((name) => (
          <Tab key={name} label={name} active={name === tab} onChangeTab={() => choose(name)} />
        ))}
      </TabsBar>
      <div className="preview-scroll">
        <Drawing key={tab} name={`${type} ${tab}`} title={tab} style={{ maxWidth: 980 }}>
          <DataSourcePluginContextProvider instanceSettings={settings}>
            {instance && tab === 'Query' && <QueryRunPane instance={instance} settings={settings} />}
            {tab === 'Settings' && <ConfigPane plugin={plugin} settings={settings} onSaved={onSaved} />}
            {instance && tab === 'Annotations' && <AnnotationPane instance={instance} settings={settings} />}
            {instance && tab === 'Variable' && <VariablePane plugin={plugin} instance={instance} settings={settings} />}
          </DataSourcePluginContextProvider>
        </Drawing>
      </div>
    </>
  );
}
