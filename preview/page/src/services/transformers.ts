// The transformers of @grafana/data, in the registry that scenes and saved panels use.
import { standardTransformers, standardTransformersRegistry, type DataTransformerInfo, type TransformerRegistryItem } from '@grafana/data';
import { boot } from '../boot/boot';

export function registerTransformers(): void {
  // Some are listed under a second, older name.
  const distinct = new Map((Object.values(standardTransformers) as DataTransformerInfo[]).map((t) => [t.id, t]));
  // From 13 on, the registry has functions that load a transformer.
  const isLazy = Number(boot.version.split('.')[0]) >= 13;
  const items = [...distinct.values()].map((t) => ({
    id: t.id,
    name: t.name,
    description: t.description,
    transformation: isLazy ? () => Promise.resolve(t) : t,
    editor: () => null,
    imageDark: '',
    imageLight: '',
  }));
  standardTransformersRegistry.setInit(() => items as unknown as TransformerRegistryItem[]);
}
