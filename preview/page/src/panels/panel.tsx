// Draws a panel plugin with data, as a dashboard would.
import {
  applyFieldOverrides,
  CoreApp,
  DashboardCursorSync,
  EventBusSrv,
  getPanelOptionsWithDefaults,
  PluginContextProvider,
  type AbsoluteTimeRange,
  type FieldConfigSource,
  type PanelData,
  type PanelModel,
  type PanelPlugin,
  type TimeZone,
} from '@grafana/data';
import { PanelContextProvider, useTheme2, type PanelContext } from '@grafana/ui';
import { useMemo, useState } from 'react';
import { variables } from '../services/variables';
import { record } from '../observe/record';

/** What a dashboard stores of a panel. */
export interface PanelState {
  options: object;
  fieldConfig: FieldConfigSource;
}

/** A panel as stored, before the plugin's defaults and its migration. */
export interface StoredPanel extends Partial<PanelState> {
  /** Of a panel that a dashboard has saved. */
  type?: string;
  title?: string;
  pluginVersion?: string;
}

/** What a saved panel has at its root today. In the days of Angular, a panel's options were there, too. */
const ownKeys =
  'id gridPos type title scopedVars repeat repeatPanelId repeatDirection repeatedByRow minSpan collapsed panels targets datasource ' +
  'timeFrom timeShift hideTimeOverride description links fullscreen cacheTimeout queryCachingTTL transparent pluginVersion ' +
  'transformations fieldConfig maxDataPoints interval libraryPanel options';

/** The options of those days, which migrations read: the interface merges them into the model if there are none of today. */
function formerOptions(stored: StoredPanel): object {
  const isCurrent = Object.keys(stored.options ?? {}).length > 0;
  const known = new Set(ownKeys.split(' '));
  return isCurrent ? {} : structuredClone(Object.fromEntries(Object.entries(stored).filter(([key]) => !known.has(key))));
}

/** The state to begin with: migrated if another version of the plugin stored it, and with defaults. */
export async function initialState(plugin: PanelPlugin, stored: StoredPanel): Promise<PanelState> {
  const fieldConfig = { defaults: { ...stored.fieldConfig?.defaults }, overrides: stored.fieldConfig?.overrides ?? [] };
  const model = {
    ...formerOptions(stored),
    id: 1,
    type: plugin.meta.id,
    title: stored.title,
    options: structuredClone(stored.options ?? {}),
    fieldConfig,
    pluginVersion: stored.pluginVersion ?? '',
    targets: [],
  } as PanelModel;
  const isStored = stored.options !== undefined || stored.type !== undefined;
  const isDue = plugin.shouldMigrate?.(model) || model.pluginVersion !== plugin.meta.info.version;
  if (isStored && plugin.onPanelMigration && isDue) {
    model.options = (await plugin.onPanelMigration(model)) ?? model.options;
  }
  const { options, fieldConfig: complete } = getPanelOptionsWithDefaults({
    plugin,
    currentOptions: model.options as Record<string, unknown>,
    currentFieldConfig: model.fieldConfig,
    isAfterPluginChange: false,
  });
  return { options: options as object, fieldConfig: complete };
}

const replace = (text: string, scoped?: Parameters<typeof variables.replace>[1], format?: string | Function) =>
  variables.replace(text, scoped, format);

/** The data with the field configuration applied to it. */
function useFieldData(plugin: PanelPlugin, data: PanelData, fieldConfig: FieldConfigSource, timeZone: TimeZone): PanelData {
  const theme = useTheme2();
  return useMemo(() => {
    const series = applyFieldOverrides({
      data: data.series,
      fieldConfig,
      fieldConfigRegistry: plugin.fieldConfigRegistry,
      replaceVariables: replace,
      theme,
      timeZone,
    });
    return { ...data, series };
  }, [plugin, data, fieldConfig, theme, timeZone]);
}

export interface PanelViewProps extends PanelState {
  plugin: PanelPlugin;
  data: PanelData;
  title: string;
  width: number;
  height: number;
  timeZone: TimeZone;
  onOptionsChange?: (options: object) => void;
  onFieldConfigChange?: (config: FieldConfigSource) => void;
  onTimeRange?: (range: AbsoluteTimeRange) => void;
  onInstanceState?: (state: unknown) => void;
}

const ignore = () => undefined;

export function Panel({
  plugin,
  data: given,
  onOptionsChange = ignore,
  onFieldConfigChange = ignore,
  onTimeRange = ignore,
  onInstanceState = ignore,
  ...rest
}: PanelViewProps) {
  const data = useFieldData(plugin, given, rest.fieldConfig, rest.timeZone);
  const [eventBus] = useState(() => new EventBusSrv());
  const [instanceState, setInstanceState] = useState<unknown>();
  const context = useMemo(
    (): PanelContext => ({
      eventBus,
      eventsScope: 'global',
      app: CoreApp.PanelEditor,
      sync: () => DashboardCursorSync.Off,
      instanceState,
      canAddAnnotations: () => false,
      canEditAnnotations: () => false,
      canDeleteAnnotations: () => false,
      canExecuteActions: () => false,
      onToggleSeriesVisibility: (label) => record.note(`The panel asks to show or hide the series ${label ?? ''}; a dashboard would.`),
      onSeriesColorChange: (label) => record.note(`The panel asks to change the color of ${label}; a dashboard would.`),
      onInstanceStateChange: (state: unknown) => {
        setInstanceState(state);
        onInstanceState(state);
      },
    }),
    [eventBus, instanceState, onInstanceState],
  );
  const Component = plugin.panel;
  if (!Component) {
    throw new Error(`new PanelPlugin(…) of ${plugin.meta.id} got no component`);
  }
  return (
    <PluginContextProvider meta={plugin.meta}>
      <PanelContextProvider value={context}>
        <Component
          {...rest}
          {...{ data, eventBus, onOptionsChange, onFieldConfigChange }}
          id={1}
          timeRange={data.timeRange}
          transparent={false}
          renderCounter={0}
          replaceVariables={replace}
          onChangeTimeRange={onTimeRange}
        />
      </PanelContextProvider>
    </PluginContextProvider>
  );
}
