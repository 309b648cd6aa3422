// The pages of an app that plugin.json puts into the navigation, and who may see them.
import type { PluginInclude, PluginMeta } from '@grafana/data';
import type { Role } from '../boot/boot';

const rank: Record<string, number> = { Viewer: 1, Editor: 2, Admin: 3 };

/** Whether the role may see the page: that of the include, or a higher one. */
export function maySee(role: Role, include: Pick<PluginInclude, 'role'>): boolean {
  return rank[role] >= (rank[include.role ?? ''] ?? 1);
}

/** The pages that plugin.json puts into the navigation. */
export function navigation(meta: Pick<PluginMeta, 'id' | 'includes'>): { name: string; path: string; include: PluginInclude }[] {
  return (meta.includes ?? [])
    .filter((i) => i.type === 'page' && i.path && i.addToNav !== false)
    .map((include) => ({ name: include.name, path: (include.path ?? '').replace('%PLUGIN_ID%', meta.id), include }));
}
