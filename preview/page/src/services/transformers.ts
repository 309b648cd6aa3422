// The transformers of the interface, in the registry that scenes and saved panels use.
import {
  DataTransformerID,
  standardTransformers,
  standardTransformersRegistry,
  type DataTransformerInfo,
  type TransformerRegistryItem,
} from '@grafana/data';
import { map } from 'rxjs/operators';
import { boot } from '../boot/boot';
import { transformations } from '../data/transformations';
import { record } from '../observe/record';

/** A transformation that no library has: ours, or a note and the data as it was. */
function own(id: string): DataTransformerInfo {
  const operator: DataTransformerInfo['operator'] = (options) => (source) => {
    if (!(id in transformations)) {
      record.note(`The transformation ${id} is not here: the data stays as it was.`);
      return source;
    }
    return source.pipe(map((frames) => transformations[id](frames, options)));
  };
  return { id, name: id, description: '', operator };
}

export function registerTransformers(): void {
  // Some are listed under a second, older name.
  const ofLibrary = new Map((Object.values(standardTransformers) as DataTransformerInfo[]).map((t) => [t.id as string, t]));
  const ids = new Set([...ofLibrary.keys(), ...Object.values(DataTransformerID), ...Object.keys(transformations)]);
  ids.delete(DataTransformerID.seriesToColumns); // the former name of another one
  // From 13 on, the registry has functions that load a transformer.
  const isLazy = Number(boot.version.split('.')[0]) >= 13;
  const items = [...ids].map((id) => {
    const t = ofLibrary.get(id) ?? own(id);
    const aliasIds = id === (DataTransformerID.joinByField as string) ? [DataTransformerID.seriesToColumns] : undefined;
    const transformation = isLazy ? () => Promise.resolve(t) : t;
    const { name, description } = t;
    return { id, aliasIds, transformation, name, description, editor: () => null, imageDark: '', imageLight: '' };
  });
  standardTransformersRegistry.setInit(() => items as unknown as TransformerRegistryItem[]);
}
