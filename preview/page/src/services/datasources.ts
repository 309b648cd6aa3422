// The service for data sources: those that the host has, with their plugins' frontends, and stand-ins.
import type { DataSourceApi, DataSourceInstanceSettings, DataSourcePluginMeta, DataSourceRef, ScopedVars } from '@grafana/data';
import { config, type DataSourceSrv, type GetDataSourceListFilters, type RuntimeDataSourceRegistration } from '@grafana/runtime';
import { record } from '../observe/record';
import { backend } from './backend';
import { loadPlugin, manifests, metaOf, type AnyDataSourcePlugin } from './plugins';
import { isComputed, standIn, standInSettings } from './standin-datasources';
import { variables } from './variables';

type Ref = DataSourceRef | string | null | undefined;

class DataSources implements DataSourceSrv {
  private settings = new Map<string, DataSourceInstanceSettings>();
  private instances = new Map<string, Promise<DataSourceApi>>();

  /** Asks the host which data sources there are. */
  async refresh(): Promise<void> {
    type Answer = { datasources?: Record<string, DataSourceInstanceSettings>; defaultDatasource?: string };
    const answer = await backend.get<Answer>('/api/frontend/settings').catch((): Answer => ({}));
    this.settings.clear();
    this.instances.clear();
    config.defaultDatasource = answer.defaultDatasource ?? '';
    for (const given of Object.values(answer.datasources ?? {})) {
      const manifest = manifests.get(given.type);
      const meta = (manifest ? metaOf(manifest) : given.meta) as DataSourcePluginMeta;
      this.settings.set(given.uid, { ...given, meta, jsonData: given.jsonData ?? {} });
    }
    config.datasources = Object.fromEntries([...this.settings.values()].map((s) => [s.name, s]));
  }
  reload(): void {
    void this.refresh();
  }

  /** Forgets the instances of a plugin that was built again. */
  forget(type: string): void {
    for (const { uid } of [...this.settings.values()].filter((s) => s.type === type)) {
      this.instances.delete(uid);
    }
  }

  async get(ref?: Ref, scoped?: ScopedVars): Promise<DataSourceApi> {
    const settings = this.getInstanceSettings(ref, scoped);
    if (!this.settings.has(settings.uid)) {
      return this.runtime.get(settings.uid) ?? standIn(settings.uid, settings.type);
    }
    const known = this.instances.get(settings.uid) ?? this.instantiate(settings);
    this.instances.set(settings.uid, known);
    return known;
  }

  /** An instance for settings that are perhaps not saved. */
  async instantiate(settings: DataSourceInstanceSettings): Promise<DataSourceApi> {
    const { uid, name, id, type, meta } = settings;
    if (!manifests.has(type)) {
      return standIn(uid, type);
    }
    const { DataSourceClass, components } = (await loadPlugin(type)) as AnyDataSourcePlugin;
    if (DataSourceClass.length > 1) {
      record.note(`The class of ${type} takes ${DataSourceClass.length} arguments. Since 11.0, hosts pass its settings only.`);
    }
    const instance = new DataSourceClass(settings) as DataSourceApi;
    // The interface completes instances of classes that do not call their parent's constructor.
    return Object.assign(instance, { uid, name, id, type, meta, components });
  }

  /** Never undefined: scenes ask for ${ds} before the variable has a value. */
  getInstanceSettings(ref?: Ref, scoped?: ScopedVars): DataSourceInstanceSettings {
    const name = variables.replace((typeof ref === 'string' ? ref : ref?.uid) ?? '', scoped);
    const type = typeof ref === 'string' ? undefined : ref?.type;
    const all = [...this.settings.values()];
    const found = this.settings.get(name) ?? all.find((s) => s.name === name) ?? this.runtime.get(name)?.instanceSettings;
    if (found) {
      return found;
    }
    if (!type && (name === '' || name === 'default')) {
      const standard = all.find((s) => s.name === config.defaultDatasource) ?? all.find((s) => s.isDefault) ?? all[0];
      return standard ?? standInSettings('testdata', 'grafana-testdata-datasource', 'TestData');
    }
    const ofType = all.find((s) => s.type === (type ?? name));
    if (ofType) {
      return ofType;
    }
    if (name === 'grafana' || name === '-- Grafana --') {
      return standInSettings('grafana', 'datasource', '-- Grafana --');
    }
    const kind = type ?? (name || 'unknown');
    record.note(
      isComputed(kind)
        ? `The preview computes the data of ${kind}.`
        : `No data source "${name || kind}" exists here; a stand-in without data takes its place.`,
    );
    return standInSettings(name || kind, kind, kind);
  }

  getList(filters: GetDataSourceListFilters = {}): DataSourceInstanceSettings[] {
    const types = filters.type === undefined ? undefined : [filters.type].flat();
    const listed = [...this.settings.values()].filter(
      (s) =>
        (!filters.pluginId || s.type === filters.pluginId) &&
        (!types || types.includes(s.type)) &&
        (!filters.metrics || s.meta.metrics !== false) &&
        (!filters.tracing || s.meta.tracing) &&
        (!filters.logs || s.meta.logs) &&
        (!filters.annotations || s.meta.annotations) &&
        (!filters.filter || filters.filter(s)),
    );
    return listed.sort((a, b) => a.name.localeCompare(b.name));
  }

  private runtime = new Map<string, DataSourceApi & { instanceSettings: DataSourceInstanceSettings }>();
  registerRuntimeDataSource({ dataSource }: RuntimeDataSourceRegistration): void {
    this.runtime.set(dataSource.uid, dataSource as never);
  }

  // Older names of the same, which plugins still use.
  getDataSourceSettingsByUid(uid: string): DataSourceInstanceSettings {
    return this.getInstanceSettings(uid);
  }
  getAll(): DataSourceInstanceSettings[] {
    return this.getList();
  }
}

export const dataSources = new DataSources();
