// What an app registers for others, with a trial of each.
import type { AppPlugin } from '@grafana/data';
import { ControlledCollapse } from '@grafana/ui';
import type { ReactNode } from 'react';
import { usePluginComponent, usePluginComponents, usePluginLinks } from '../services/extensions';
import { Boundary } from './boundary';

function pointsOf(configs: { targets: string | string[] }[]): string[] {
  return [...new Set(configs.flatMap((c) => c.targets))];
}

export function ExtensionList({ plugin }: { plugin: AppPlugin }) {
  const { addedLinkConfigs, addedComponentConfigs, addedFunctionConfigs, exposedComponentConfigs } = plugin;
  if (![addedLinkConfigs, addedComponentConfigs, addedFunctionConfigs, exposedComponentConfigs].flat().length) {
    return <p>The app registers nothing at extension points and exposes no component.</p>;
  }
  return (
    <div className="preview-list">
      {pointsOf(addedLinkConfigs).map((id) => (
        <LinksAt key={id} id={id} plugin={plugin} />
      ))}
      {pointsOf(addedComponentConfigs).map((id) => (
        <ComponentsAt key={id} id={id} plugin={plugin} />
      ))}
      {addedFunctionConfigs.map(({ title, targets }) => (
        <section key={title}>
          <h2>{`Function at ${[targets].flat().join(', ')}`}</h2>
          <p>{title}</p>
        </section>
      ))}
      {exposedComponentConfigs.map(({ id, title }) => (
        <Exposed key={id} id={id} title={title} />
      ))}
    </div>
  );
}

function LinksAt({ id, plugin }: { id: string; plugin: AppPlugin }) {
  const { links } = usePluginLinks({ extensionPointId: id });
  const own = links.filter((link) => link.pluginId === plugin.meta.id);
  return (
    <section>
      <h2>{`Links at ${id}`}</h2>
      <ul>
        {own.map((link) => (
          <li key={link.id}>
            {link.path ? (
              <a href={link.path} className="preview-link">
                {link.title}
              </a>
            ) : (
              <button type="button" className="preview-link" onClick={link.onClick}>
                {link.title}
              </button>
            )}{' '}
            {link.description}
          </li>
        ))}
      </ul>
      {!own.length && <p>No link is shown without a context: "configure" of the app returns nothing.</p>}
    </section>
  );
}

function ComponentsAt({ id, plugin }: { id: string; plugin: AppPlugin }) {
  const { components } = usePluginComponents({ extensionPointId: id });
  return (
    <section>
      <h2>{`Components at ${id}`}</h2>
      {components
        .filter((c) => c.meta.pluginId === plugin.meta.id)
        .map((Component) => (
          <Trial key={Component.meta.id} title={Component.meta.title}>
            <Component />
          </Trial>
        ))}
    </section>
  );
}

function Exposed({ id, title }: { id: string; title: string }) {
  const { component: Component } = usePluginComponent(id);
  return (
    <section>
      <h2>{`Exposed component ${id}`}</h2>
      {Component && (
        <Trial title={title}>
          <Component />
        </Trial>
      )}
    </section>
  );
}

/** A component that the page draws without props, once it is opened: it may need some. */
function Trial({ title, children }: { title: string; children: ReactNode }) {
  return (
    <ControlledCollapse label={`Draw "${title}" without props`} isOpen={false}>
      <Boundary what={`"${title}"`} dependencies={[]}>
        {children}
      </Boundary>
    </ControlledCollapse>
  );
}
