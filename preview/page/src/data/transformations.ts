// The transformations that only the interface has. Those that are not here, such as those of maps, leave the data as it was.
import {
  FieldMatcherID,
  FieldType,
  getFieldDisplayName,
  getFieldMatcher,
  getFieldTypeFromValue,
  reduceField,
  stringStartsAsRegEx,
  stringToJsRegex,
  type DataFrame,
  type Field,
  type Labels,
  type MatcherConfig,
} from '@grafana/data';
import { get } from 'lodash';
import { configOf, rolesOf, type Mapping } from './fieldsettings';
import { field, fieldOf, grouped, partitionByValues, type Transformation } from './partition';
import { prepareTimeSeries, timeSeriesTable } from './timeseries';

const named = (frame: DataFrame, name: string) => frame.fields.find((f) => f.name === name || getFieldDisplayName(f, frame) === name);

/** A field of each row. */
const rowsToFields: Transformation<{ mappings?: Mapping[] }> = (frames, { mappings = [] }) =>
  frames.map((frame) => {
    const roles = rolesOf(frame, mappings, true);
    const [names, values] = ['field.name', 'field.value'].map((key) => roles.findLast((r) => r.key === key)?.field);
    if (!names || !values) {
      return frame;
    }
    const fields = names.values.map((name, i) => {
      const own = roles.filter((r) => r.key === 'field.label' && r.field.values[i] != null).map((r) => [r.name, r.field.values[i]]);
      const config = configOf(roles.map((role) => ({ ...role, value: role.field.values[i] })));
      return field(String(name), values.type, [values.values[i]], { config, labels: { ...names.labels, ...Object.fromEntries(own) } });
    });
    return { fields, length: 1, refId: `rowsToFields-${frame.refId}` };
  });

/** The settings that one query has for the fields of the others. */
const configFromData: Transformation<{ configRefId?: string; mappings?: Mapping[]; applyTo?: MatcherConfig }> = (frames, options) => {
  const source = frames.find((frame) => frame.refId === (options.configRefId ?? 'config'));
  if (!source) {
    return frames;
  }
  const config = configOf(
    rolesOf(source, options.mappings ?? []).map((role) => {
      const reducer = role.mapping?.reducerId ?? (role.key?.startsWith('mappings.') ? 'allValues' : 'lastNotNull');
      return { ...role, value: reduceField({ field: role.field, reducers: [reducer] })[reducer] as unknown };
    }),
  );
  const applies = getFieldMatcher(options.applyTo ?? { id: FieldMatcherID.numeric });
  return frames
    .filter((frame) => frame !== source || frames.length === 1)
    .map((frame) => {
      const fields = frame.fields.map((f) =>
        applies(f, frame, frames) ? { ...f, config: { ...f.config, ...structuredClone(config) } } : f,
      );
      return { fields, length: frame.length, refId: frame.refId };
    });
};

interface Extraction {
  source?: string;
  format?: 'json' | 'kvp' | 'auto' | 'delimiter' | 'regexp';
  delimiter?: string;
  regExp?: string;
  jsonPaths?: { path: string; alias?: string }[];
  replace?: boolean;
  keepTime?: boolean;
}

const tokens = /"((?:\\.|[^"\\])*)"?|'((?:\\.|[^'\\])*)'?|((?:\\.|[^\s"'=:,;&{}\\])+)|([=:])|(\s)|[,;&{}]/gs;

/** The values by their keys, of texts such as a=b, "c": d as the interface reads them. A word without a value has "", but after a comma it is the value of the word before. */
export function keyValues(text: string): { [key: string]: string } {
  const found: { [key: string]: string } = {};
  let key = '';
  let word = '';
  const end = (isSpace: boolean) => {
    if (word && (key || isSpace)) {
      found[key || word] = key ? word : '';
      key = '';
    } else if (word) {
      key = word;
    }
    word = '';
  };
  for (const [, double, single, plain, equals, space] of text.matchAll(tokens)) {
    if (double !== undefined || single !== undefined) {
      end(true); // a quote separates, as a space does
    }
    const part = double ?? single ?? plain;
    if (part !== undefined) {
      word += part.replace(/\\(.)/gs, '$1');
    } else if (equals && word) {
      Object.assign(found, key ? { [key]: '' } : {});
      [key, word] = [word, ''];
    } else if (!equals) {
      end(space !== undefined);
    }
  }
  if (key || word) {
    found[key || word] = key ? word : '';
  }
  return found;
}

function extract(text: string, { format = 'auto', delimiter = ',', regExp = '' }: Extraction): unknown {
  switch (format) {
    case 'json':
      return JSON.parse(text);
    case 'kvp':
      return keyValues(text);
    case 'delimiter': {
      const parts = text.trim().split(delimiter);
      return Object.fromEntries(parts.map((part) => [part.trim(), 1]));
    }
    case 'regexp':
      return (stringStartsAsRegEx(regExp) ? stringToJsRegex(regExp) : /(?<NewField>.*)/).exec(text)?.groups;
    case 'auto':
      try {
        return (JSON.parse(text) as unknown) ?? keyValues(text);
      } catch {
        return keyValues(text);
      }
  }
}

function objectIn(value: unknown, options: Extraction): object {
  let object = value;
  try {
    object = typeof value === 'string' ? extract(value, options) : value;
  } catch {
    object = {};
  }
  const paths = options.format === 'json' ? (options.jsonPaths ?? []).filter(({ path }) => path) : [];
  if (object == null || !paths.length) {
    return object ?? {};
  }
  return Object.fromEntries(paths.map(({ path, alias }) => [alias || path, (get(object, path) as unknown) ?? 'Not Found']));
}

/** Fields of the parts of a field's values. */
const extractFields: Transformation<Extraction> = (frames, options) =>
  frames.map((frame) => {
    const source = options.source && named(frame, options.source);
    if (!source) {
      return frame;
    }
    const objects = source.values.slice(0, frame.length).map((value) => new Map(Object.entries(objectIn(value, options))));
    const fields = [...new Set(objects.flatMap((object) => [...object.keys()]))].map((name) => {
      const values: unknown[] = objects.map((object) => object.get(name) as unknown);
      return field(name, getFieldTypeFromValue(values.find((v) => v != null)), values);
    });
    const time = options.keepTime ? (named(frame, 'Time') ?? named(frame, 'time')) : undefined;
    return { ...frame, fields: [...(options.replace ? [] : frame.fields), ...(time ? [time] : []), ...fields] };
  });

/** A column of each value of a label, and a row of each combination of the others. */
const joinByLabels: Transformation<{ value?: string; join?: string[] }> = (frames, { value = '', join }) => {
  const fields = frames.flatMap((frame) => frame.fields);
  const labels = [...new Set(fields.flatMap((f) => Object.keys(f.labels ?? {})))];
  const absent = labels.length ? 'Value label not found' : 'No labels in result';
  const text = !value ? 'No value label configured' : labels.includes(value) ? '' : absent;
  if (text) {
    return frames.length
      ? [{ meta: { notices: [{ severity: 'error', text }] }, fields: [field('Error', FieldType.string, [text])], length: 0 }]
      : frames;
  }
  const by = (join?.length ? join : labels).filter((label) => label !== value);
  const labelled = fields.filter((f): f is Field & { labels: Labels } => !!f.labels && f.type !== FieldType.time);
  const columns = grouped(labelled, (f) => f.labels[value]);
  const sets = [...grouped(labelled, (f) => by.map((label) => f.labels[label]).join()).values()].map((set) => {
    const values = [...columns.keys()].map((name) => set.filter((f) => f.labels[value] === name).flatMap((f): unknown[] => f.values));
    return { labels: set[0].labels, values, length: Math.max(1, ...values.map((v) => v.length)) };
  });
  const cells = sets.flatMap((set) => Array.from({ length: set.length }, (_, row) => ({ set, row })));
  const made = [
    ...by.map((label) => fieldOf(label, FieldType.string, cells, ({ set }) => set.labels[label])),
    ...[...columns].map(([name, [first]], i) => fieldOf(name, first.type, cells, ({ set, row }) => set.values[i][row])),
  ];
  return [{ fields: made, length: made[0].values.length, refId: `joinByLabels-${frames.map((f) => f.refId).join('-')}` }];
};

/** Each by its id; each knows its own options. */
export const transformations: Record<string, Transformation<any>> = {
  rowsToFields,
  configFromData,
  extractFields,
  partitionByValues,
  prepareTimeSeries,
  timeSeriesTable,
  joinByLabels,
};
