// The rows of a frame by the values that they have.
import { cacheFieldDisplayNames, getFieldDisplayName, type DataFrame, type Field, type FieldType } from '@grafana/data';
import { flatGroup, group } from 'd3';

export type Transformation<Options> = (frames: DataFrame[], options: Options) => DataFrame[];

export function field(name: string, type: FieldType, values: unknown[], more: Partial<Field> = {}): Field {
  return { name, type, values, config: {}, ...more };
}
/** A field with a value of each item. */
export const fieldOf = <T>(name: string, type: FieldType, items: T[], valueOf: (item: T) => unknown): Field =>
  field(name, type, items.map(valueOf));
export const grouped = group as <K, T>(items: T[], keyOf: (item: T) => K) => Map<K, T[]>;

/** The indexes of the rows that have the same values, in the order of a tree of these values. */
export function groups(fields: Field[], rows: number[]): number[][] {
  const keys = fields.map((f) => (row: number) => f.values[row] as unknown);
  const found: unknown[][] = keys.length ? flatGroup(rows, ...keys) : [[rows]];
  return found.map((values) => values.at(-1) as number[]);
}

interface Partition {
  fields?: string[];
  keepFields?: boolean;
  naming?: { asLabels?: boolean; append?: boolean; withNames?: boolean; separator1?: string; separator2?: string };
}

export function partition(frame: DataFrame, keys: Field[], { keepFields, naming = {} }: Partition): DataFrame[] {
  const { asLabels = true, append, withNames, separator1 = '=', separator2 = ' ' } = naming;
  const shown = (f: Field) => f.config.displayNameFromDS ?? f.config.displayName ?? f.name;
  const parts = groups(keys, [...Array(frame.length).keys()]).map((rows): DataFrame => {
    const own = keys.map((key): [string, unknown] => [shown(key), key.values[rows[0]]]);
    const labels = asLabels ? Object.fromEntries(own.map(([key, value]) => [key, String(value)])) : {};
    const part = own.map(([key, value]) => (withNames ? `${key}${separator1}${value}` : value)).join(separator2);
    const name = asLabels ? frame.name : append && frame.name ? `${frame.name} ${part}` : part;
    const fields = frame.fields
      .filter((f) => keepFields || !keys.includes(f))
      .map((f) => {
        const { displayName: _, displayNameFromDS: __, ...config } = structuredClone(f.config);
        const values: unknown[] = rows.map((row) => f.values[row] as unknown);
        return field(shown(f), f.type, values, { config, labels: { ...f.labels, ...labels } });
      });
    return { name, meta: frame.meta, length: rows.length, fields };
  });
  // Names that were given stay apart, by what the field is called among all: the panel finds a series by its name.
  cacheFieldDisplayNames(parts);
  const former = new Map(frame.fields.filter((f) => shown(f) !== f.name).map((f) => [shown(f), f.name]));
  for (const f of parts.flatMap((part) => part.fields).filter((f) => former.has(f.name))) {
    f.name = former.get(f.name)!;
    f.config.displayName = f.state?.displayName ?? undefined;
  }
  return parts;
}

/** A frame of each combination of values of some fields. */
export const partitionByValues: Transformation<Partition> = (frames, options) => {
  const [frame] = frames;
  if (!frame || !options.fields?.length) {
    return frames;
  }
  const keys = frame.fields.filter((f) => options.fields?.includes(getFieldDisplayName(f, frame)));
  return keys.length ? partition(frame, keys, options) : [frame];
};
