// Extension points and exposed components, with what the mounted apps register.
import {
  AppPlugin,
  PluginContextProvider,
  PluginExtensionTypes,
  type ComponentTypeWithExtensionMeta,
  type PluginExtensionAddedLinkConfig,
  type PluginExtensionComponent,
  type PluginExtensionEventHelpers,
  type PluginExtensionFunction,
  type PluginExtensionLink,
} from '@grafana/data';
import { memo, useEffect, useMemo, useState, type ComponentType } from 'react';
import { BehaviorSubject, type Observable } from 'rxjs';
import { map } from 'rxjs/operators';
import { fault } from '../observe/faults';
import { record } from '../observe/record';
import { openModal } from './modals';
import { loadPlugin, manifests } from './plugins';

interface Asked<Context = object> {
  extensionPointId: string;
  context?: Context;
  limitPerPlugin?: number;
}

const apps = new BehaviorSubject<AppPlugin[] | undefined>(undefined);
let started = false;

/** Loads the apps when the first extension point is asked for; an app that does not load has registered nothing. */
function loadApps(): void {
  if (started) {
    return;
  }
  started = true;
  const ids = [...manifests.values()].filter((m) => m.type === 'app').map((m) => m.id);
  void Promise.allSettled(ids.map((id) => loadPlugin(id))).then((results) => {
    apps.next(results.flatMap((r) => (r.status === 'fulfilled' && r.value instanceof AppPlugin ? [r.value] : [])));
  });
}

/** Takes an app's registrations from its new module. */
export function replaceApp(plugin: AppPlugin): void {
  apps.next(apps.value?.map((app) => (app.meta.id === plugin.meta.id ? plugin : app)));
}

const isTarget = (targets: string | string[], id: string) => [targets].flat().includes(id);

/** What each kind of extension says about itself. */
function about<T extends PluginExtensionTypes>(
  type: T,
  app: AppPlugin,
  { title, description = '' }: { title: string; description?: string },
) {
  const id = `${type}-${app.meta.id}-${title}`.replace(/\W+/g, '-').toLowerCase();
  return { id, type, pluginId: app.meta.id, title, description };
}

/** What apps add at a point, in their order, at most so many from each. */
function added<C extends { targets: string | string[] }, T>(
  all: AppPlugin[],
  asked: Asked,
  of: (app: AppPlugin) => C[],
  make: (config: C, app: AppPlugin) => T | undefined,
): T[] {
  return all.flatMap((app) =>
    of(app)
      .filter((c) => isTarget(c.targets, asked.extensionPointId))
      .map((c) => make(c, app))
      .filter((t) => t !== undefined)
      .slice(0, asked.limitPerPlugin),
  );
}

function linkOf(config: PluginExtensionAddedLinkConfig, app: AppPlugin, asked: Asked): PluginExtensionLink | undefined {
  const context = asked.context ? Object.freeze({ ...asked.context }) : undefined;
  let changes: ReturnType<NonNullable<typeof config.configure>> = {};
  try {
    changes = config.configure ? config.configure(context) : {};
  } catch (e) {
    fault('event', e);
    return undefined;
  }
  if (!changes) {
    return undefined; // hidden in this context
  }
  const { title, description, path, icon, category, openInNewTab } = { ...config, ...changes };
  const click = changes.onClick ?? config.onClick;
  const absent = (what: string) => () => record.note(`A link asked for ${what}, which the preview does not have.`);
  const helpers: PluginExtensionEventHelpers = {
    context,
    extensionPointId: asked.extensionPointId,
    openModal: ({ title, body }) => openModal({ title, body: inContext(body as ComponentType<object>, app) }),
    openSidebar: absent('the sidebar'),
    closeSidebar: absent('the sidebar'),
    toggleSidebar: absent('the sidebar'),
  };
  return {
    ...about(PluginExtensionTypes.link, app, config),
    title,
    description: description ?? '',
    path,
    icon,
    category,
    openInNewTab,
    onClick: click ? (event) => click(event, helpers) : undefined,
  };
}

const wrapped = new WeakMap<object, ComponentType<object>>();

/** A component within the context of the plugin that it is of; the same one each time, so that it keeps its state. */
function inContext<Props extends object>(Component: ComponentType<Props>, app: AppPlugin): ComponentType<Props> {
  const known = wrapped.get(Component) as ComponentType<Props> | undefined;
  if (known) {
    return known;
  }
  const Within = memo((props: Props) => (
    <PluginContextProvider meta={app.meta}>
      <Component {...props} />
    </PluginContextProvider>
  )) as unknown as ComponentType<Props>;
  wrapped.set(Component, Within as ComponentType<object>);
  return Within;
}

function componentOf(config: AppPlugin['addedComponentConfigs'][number], app: AppPlugin): PluginExtensionComponent {
  return { ...about(PluginExtensionTypes.component, app, config), component: inContext(config.component, app) };
}

const linksAt = (all: AppPlugin[], asked: Asked) =>
  added(
    all,
    asked,
    (app) => app.addedLinkConfigs,
    (c, app) => linkOf(c, app, asked),
  );
const componentsAt = (all: AppPlugin[], asked: Asked) => added(all, asked, (app) => app.addedComponentConfigs, componentOf);

function functionsAt(all: AppPlugin[], asked: Asked): PluginExtensionFunction<unknown>[] {
  return added(
    all,
    asked,
    (app) => app.addedFunctionConfigs,
    (config, app) => ({ ...about(PluginExtensionTypes.function, app, config), fn: config.fn }),
  );
}

function useApps(): AppPlugin[] | undefined {
  const [all, set] = useState(apps.value);
  useEffect(() => {
    loadApps();
    const subscription = apps.subscribe(set);
    return () => subscription.unsubscribe();
  }, []);
  return all;
}

/** The apps and a stable view of what is asked for. */
function usePoint<T>(asked: Asked, at: (all: AppPlugin[], asked: Asked) => T[]): { found: T[]; isLoading: boolean } {
  const all = useApps();
  const { extensionPointId, context, limitPerPlugin } = asked;
  useEffect(() => record.note(`Extension point ${extensionPointId} is asked for.`), [extensionPointId]);
  const found = useMemo(
    () => at(all ?? [], { extensionPointId, context, limitPerPlugin }),
    [all, at, extensionPointId, context, limitPerPlugin],
  );
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
  const component = useMemo(() => {
    for (const app of all ?? []) {
      const config = app.exposedComponentConfigs.find((c) => c.id === id);
      if (config) {
        return inContext(config.component, app);
      }
    }
    return undefined;
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
