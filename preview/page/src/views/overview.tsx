// The first page: the mounted plugins with their views.
import { Link, Navigate } from 'react-router-dom-v5-compat';
import { boot, type Manifest } from '../boot/boot';
import { metaOf } from '../services/plugins';

/** The views of a plugin, by its type. */
export function viewsOf({ id, type }: Pick<Manifest, 'id' | 'type'>): { label: string; to: string }[] {
  const views = [
    { of: 'panel', label: 'Panel', to: `/panel/${id}` },
    { of: 'panel', label: 'All stories', to: `/panel/${id}/stories` },
    { of: 'datasource', label: 'Query and settings', to: `/datasource/${id}` },
    { of: 'app', label: 'Pages', to: `/a/${id}` },
    { of: 'app', label: 'Configuration', to: `/plugins/${id}` },
  ];
  return views.filter((view) => view.of === type);
}

/** The repository's plugin first, then by name. */
export const sorted = [...boot.plugins].sort(
  (a, b) => Number(b.id === boot.main) - Number(a.id === boot.main) || a.name.localeCompare(b.name),
);

/** The name of a plugin, after its logo. */
export function Name({ plugin }: { plugin: Manifest }) {
  const logo = metaOf(plugin).info.logos.small;
  return (
    <h2>
      {logo && <img src={logo} alt="" width={18} height={18} />} {plugin.name}
    </h2>
  );
}

/** The list of the plugins; of one alone, its first view. */
export function Overview() {
  const only = sorted.length === 1 ? viewsOf(sorted[0])[0] : undefined;
  if (only) {
    return <Navigate to={only.to + location.search} replace />;
  }
  return (
    <div className="preview-scroll">
      <h1>Plugins</h1>
      <ul className="preview-cards">
        {sorted.map((plugin) => (
          <li key={plugin.id}>
            <Name plugin={plugin} />
            <p>{`${plugin.type.replace('datasource', 'data source')} · ${plugin.id} ${plugin.info?.version ?? ''}`}</p>
            <p>{plugin.info?.description}</p>
            {viewsOf(plugin).map(({ label, to }) => (
              <Link key={to} to={to} className="preview-link">
                {label}
              </Link>
            ))}
            {!viewsOf(plugin).length && <p>It has no interface of its own.</p>}
          </li>
        ))}
      </ul>
      {!sorted.length && <p>No plugin is mounted.</p>}
    </div>
  );
}
