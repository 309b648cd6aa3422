// Extension points and exposed components, with what the mounted apps register.
import {
  AppPlugin,
  PluginContextProvider,
  PluginExtensionTypes,
  type ComponentTypeWithExtensionMeta,
  type PluginExtensionAddedComponentConfig,
  type PluginExtensionAddedLinkConfig,
  type PluginExtensionComponent,
  type PluginExtensionEventHelpers,
  type PluginExtensionFunction,
  type PluginExtensionLink,
} from '@grafana/data';
import type { UsePluginLinksOptions as Asked } from '@grafana/runtime';
import { memoize, once } from 'lodash';
import { memo, useEffect, useMemo, type ComponentType } from 'react';
import { useObservable } from 'react-use';
import { BehaviorSubject, type Observable } from 'rxjs';
import { map } from 'rxjs/operators';
import { fault } from '../observe/faults';
import { record } from '../observe/record';
import { appEvents, ModalEvent } from './events';
import { loadPlugin, manifests } from './plugins';

const apps = new BehaviorSubject<AppPlugin[] | undefined>(undefined);

/** Loads the apps when the first extension point is asked for; an app that does not load has registered nothing. */
const loadApps = once(() => {
  const ids = [...manifests.values()].filter((m) => m.type === 'app').map((m) => m.id);
  void Promise.allSettled(ids.map((id) => loadPlugin(id))).then((results) => {
    apps.next(results.flatMap((r) => (r.status === 'fulfilled' && r.value instanceof AppPlugin ? [r.value] : [])));
  });
});

/** Takes an app's registrations from its new module. */
export function replaceApp(plugin: AppPlugin): void {
  apps.next(apps.value?.map((app) => (app.meta.id === plugin.meta.id ? plugin : app)));
}

/** What each kind of extension says about itself. */
function about<T extends PluginExtensionTypes>(type: T, app: AppPlugin, config: { title: string; description?: string }) {
  const { title, description = '' } = config;
  const id = `${type}-${app.meta.id}-${title}`.replace(/\W+/g, '-').toLowerCase();
  return { id, type, pluginId: app.meta.id, title, description };
}

type Kind = 'addedLinkConfigs' | 'addedComponentConfigs' | 'addedFunctionConfigs';

/** What apps add at a point, in their order, at most so many from each. */
function added<K extends Kind, T>(
  kind: K,
  all: AppPlugin[],
  asked: Asked,
  make: (c: AppPlugin[K][number], app: AppPlugin) => T,
): NonNullable<T>[] {
  return all.flatMap((app) => {
    const here = app[kind].filter((c) => [c.targets].flat().includes(asked.extensionPointId));
    return here.flatMap((c) => make(c, app) ?? []).slice(0, asked.limitPerPlugin);
  });
}

function linkOf(config: PluginExtensionAddedLinkConfig, app: AppPlugin, asked: Asked): PluginExtensionLink | undefined {
  const context = asked.context ? Object.freeze({ ...asked.context }) : undefined;
  let changes: ReturnType<NonNullable<typeof config.configure>>;
  try {
    changes = config.configure ? config.configure(context) : {};
  } catch (e) {
    fault('event', e);
  }
  if (!changes) {
    return undefined; // hidden in this context
  }
  const { title, description = '', path, icon, category, openInNewTab } = { ...config, ...changes };
  const click = changes.onClick ?? config.onClick;
  const absent = (what: string) => () => record.note(`A link asked for ${what}, which the preview does not have.`);
  const helpers: PluginExtensionEventHelpers = {
    context,
    extensionPointId: asked.extensionPointId,
    openModal: ({ title, body }) => appEvents.publish(new ModalEvent({ title, body: inContext(body as ComponentType<object>, app) })),
    openSidebar: absent('the sidebar'),
    closeSidebar: absent('the sidebar'),
    toggleSidebar: absent('the sidebar'),
  };
  const shown = { title, description, path, icon, category, openInNewTab };
  return { ...about(PluginExtensionTypes.link, app, config), ...shown, onClick: click && ((event) => click(event, helpers)) };
}

/** A component within the context of the plugin that it is of; the same one each time, so that it keeps its state. */
const inContext = memoize(<Props extends object>(Component: ComponentType<Props>, app: AppPlugin): ComponentType<Props> => {
  const Within = (props: Props) => (
    <PluginContextProvider meta={app.meta}>
      <Component {...props} />
    </PluginContextProvider>
  );
  return memo(Within) as unknown as ComponentType<Props>;
});

function componentOf(config: PluginExtensionAddedComponentConfig, app: AppPlugin): PluginExtensionComponent {
  return { ...about(PluginExtensionTypes.component, app, config), component: inContext(config.component, app) };
}

type At<T> = (all: AppPlugin[], asked: Asked) => T[];
const linksAt: At<PluginExtensionLink> = (all, asked) => added('addedLinkConfigs', all, asked, (c, app) => linkOf(c, app, asked));
const componentsAt: At<PluginExtensionComponent> = (all, asked) => added('addedComponentConfigs', all, asked, componentOf);
const functionsAt: At<PluginExtensionFunction<any>> = (all, asked) =>
  added('addedFunctionConfigs', all, asked, (c, app) => ({ ...about(PluginExtensionTypes.function, app, c), fn: c.fn }));

function useApps(): AppPlugin[] | undefined {
  useEffect(loadApps, []);
  return useObservable(apps, apps.value);
}

/** The apps and a stable view of what is asked for. */
function usePoint<T>(asked: Asked, at: At<T>): { found: T[]; isLoading: boolean } {
  const all = useApps();
  const { extensionPointId, context, limitPerPlugin } = asked;
  useEffect(() => record.note(`Extension point ${extensionPointId} is asked for.`), [extensionPointId]);
  const parts = [all, at, extensionPointId, context, limitPerPlugin];
  const found = useMemo(() => at(all ?? [], { extensionPointId, context, limitPerPlugin }), parts);
  return { found, isLoading: all === undefined };
}

const withMeta = ({ component, ...meta }: PluginExtensionComponent): ComponentTypeWithExtensionMeta => Object.assign(component, { meta });

export function usePluginLinks(asked: Asked): { links: PluginExtensionLink[]; isLoading: boolean } {
  const { found, isLoading } = usePoint(asked, linksAt);
  return { links: found, isLoading };
}
export function usePluginComponents(asked: Asked): { components: ComponentTypeWithExtensionMeta<any>[]; isLoading: boolean } {
  // the caller knows the props
  const { found, isLoading } = usePoint(asked, componentsAt);
  return useMemo(() => ({ components: found.map(withMeta), isLoading }), [found, isLoading]);
}
export function usePluginFunctions(asked: Asked): { functions: PluginExtensionFunction<any>[]; isLoading: boolean } {
  // the caller knows the signature
  const { found, isLoading } = usePoint(asked, functionsAt);
  return { functions: found, isLoading };
}
export function usePluginComponent(id: string): { component: ComponentType<any> | undefined; isLoading: boolean } {
  // the caller knows the props
  const all = useApps();
  const [component] = useMemo(() => {
    const own = (app: AppPlugin) => app.exposedComponentConfigs.filter((c) => c.id === id).map((c) => inContext(c.component, app));
    return (all ?? []).flatMap(own);
  }, [all, id]);
  useEffect(() => {
    if (all && !component) {
      record.note(`No mounted app exposes the component ${id}.`);
    }
  }, [all, component, id]);
  return { component, isLoading: all === undefined };
}

/** The same for code outside components. */
export function observeLinks(asked: Asked): Observable<PluginExtensionLink[]> {
  loadApps();
  return apps.pipe(map((all) => linksAt(all ?? [], asked)));
}
export function observeComponents(asked: Asked): Observable<PluginExtensionComponent[]> {
  loadApps();
  return apps.pipe(map((all) => componentsAt(all ?? [], asked)));
}
