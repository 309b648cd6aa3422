// Draws a panel plugin with data, as a dashboard would.
import {
  CoreApp,
  DashboardCursorSync,
  EventBusSrv,
  getPanelOptionsWithDefaults,
  PluginContextProvider,
  useFieldOverrides,
  type FieldConfigSource,
  type PanelModel,
  type PanelPlugin,
  type PanelProps,
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

const replace = variables.replace.bind(variables);

type Given = PanelProps<object>;

export interface PanelViewProps
  extends
    PanelState,
    Pick<Given, 'data' | 'title' | 'width' | 'height' | 'timeZone'>,
    Partial<Pick<Given, 'onOptionsChange' | 'onFieldConfigChange' | 'onChangeTimeRange'>> {
  plugin: PanelPlugin;
  onInstanceState?: (state: unknown) => void;
}

const ignore = () => undefined;

export function Panel({
  plugin,
  data: given,
  onOptionsChange = ignore,
  onFieldConfigChange = ignore,
  onChangeTimeRange = ignore,
  onInstanceState = ignore,
  ...rest
}: PanelViewProps) {
  const data = useFieldOverrides(plugin, rest.fieldConfig, given, rest.timeZone, useTheme2(), replace) ?? given;
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
          {...{ data, eventBus, onOptionsChange, onFieldConfigChange, onChangeTimeRange }}
          id={1}
          timeRange={data.timeRange}
          transparent={false}
          renderCounter={0}
          replaceVariables={replace}
        />
      </PanelContextProvider>
    </PluginContextProvider>
  );
}
