// What @grafana/runtime's components of panels are drawn with: PanelRenderer, PanelDataErrorView and PluginPage.
import { getDefaultTimeRange, LoadingState, type PanelPlugin } from '@grafana/data';
import type { PanelDataErrorViewProps, PanelRendererProps, PluginPageProps } from '@grafana/runtime';
import { Stack, Tab, TabsBar, Text } from '@grafana/ui';
import { loadPlugin, manifests, presentPlugin } from '../services/plugins';
import { useLoaded } from '../services/useloaded';
import { Message } from './chart';
import { initialState, Panel, type PanelState } from './panel';
import { standInPanel } from './standins';

/** A mounted panel plugin, or a stand-in. */
export async function importPanelPlugin(id: string): Promise<PanelPlugin> {
  return manifests.get(id)?.type === 'panel' ? ((await loadPlugin(id)) as PanelPlugin) : standInPanel(id);
}
export function presentPanelPlugin(id: string): PanelPlugin | undefined {
  return manifests.has(id) ? (presentPlugin(id) as PanelPlugin | undefined) : standInPanel(id);
}

const noData = { state: LoadingState.Done, series: [], timeRange: getDefaultTimeRange() };

export function PanelRenderer({ pluginId, data = noData, options, fieldConfig, timeZone = 'browser', ...rest }: PanelRendererProps) {
  const ready = useLoaded(async () => {
    const plugin = await importPanelPlugin(pluginId);
    const state = await initialState(plugin, {
      options: options ?? {},
      fieldConfig: fieldConfig as PanelState['fieldConfig'] | undefined,
      pluginVersion: plugin.meta.info.version,
    });
    return { plugin, ...state };
  }, [pluginId, options, fieldConfig]);
  return ready ? <Panel {...rest} {...ready} {...{ data, timeZone }} /> : null;
}

export function PanelDataErrorView(props: PanelDataErrorViewProps) {
  const lacks = props.needsTimeField ? 'time' : props.needsNumberField ? 'number' : props.needsStringField ? 'text' : '';
  const otherwise = lacks ? `The panel needs a ${lacks} field, which the data does not have.` : 'The panel cannot draw this data.';
  const { data, message, fieldConfig } = props;
  return <Message data={data} nothing={message ?? fieldConfig?.defaults.noValue} otherwise={message ?? otherwise} />;
}

/** A page of an app: its title, what belongs beside it, and its tabs. */
export function PluginPage({ children, pageNav, actions, renderTitle, subTitle, info }: PluginPageProps) {
  const title = pageNav?.text ?? '';
  return (
    <div style={{ display: 'flex', flexDirection: 'column', flex: 1, minHeight: 0, gap: 16 }}>
      {(title || actions || renderTitle) && (
        <Stack justifyContent="space-between" alignItems="center" wrap="wrap">
          <div>
            {renderTitle ? renderTitle(title) : <Text element="h1">{title}</Text>}
            {(subTitle ?? pageNav?.subTitle) && <Text color="secondary">{subTitle ?? pageNav?.subTitle ?? ''}</Text>}
          </div>
          <Stack gap={3}>
            {info?.map(({ label, value }) => (
              <div key={label}>
                <Text variant="bodySmall" color="secondary">
                  {label}
                </Text>
                <div>{value}</div>
              </div>
            ))}
            {actions}
          </Stack>
        </Stack>
      )}
      {!!pageNav?.children?.length && (
        <TabsBar>
          {pageNav.children.map((tab) => (
            <Tab key={tab.text} label={tab.text} href={tab.url} active={tab.active} />
          ))}
        </TabsBar>
      )}
      <div style={{ flexGrow: 1, minHeight: 0 }}>{children}</div>
    </div>
  );
}
