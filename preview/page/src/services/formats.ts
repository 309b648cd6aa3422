// The formats of variables: ${name:csv} and the like.
import { dateTimeFormat, escapeStringForRegex, textUtil } from '@grafana/data';

const texts = (value: unknown): string[] => [value].flat().map((v) => String(v ?? ''));
const joined = (value: unknown, separator: string, written: (text: string, i: number) => string) =>
  texts(value).map(written).join(separator);
const quoted = (quote: string, escaped: string) => (value: unknown) =>
  joined(value, ',', (v) => quote + v.replaceAll(quote, escaped) + quote);
const strictEncode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase());
const single = (value: unknown) => !Array.isArray(value) || value.length === 1;

function lucene(value: unknown): string {
  const escape = (text: string) => text.replace(/([!*+\-=<>\s&|()[\]{}^~?:\\/"])/g, '\\$1');
  if (!Array.isArray(value)) {
    return escape(String(value));
  }
  return value.length ? `(${joined(value, ' OR ', (v) => `"${escape(v)}"`)})` : '__empty__';
}

/** Each format takes the value, or the values, the argument after the second colon, and the variable's name and text. */
export const formats: Record<string, (value: unknown, argument: string | undefined, name: string, text: unknown) => string> = {
  csv: (value) => texts(value).join(','),
  raw: (value) => texts(value).join(','),
  pipe: (value) => texts(value).join('|'),
  glob: (value) => (single(value) ? texts(value).join() : `{${texts(value).join(',')}}`),
  regex: (value) =>
    single(value) ? texts(value).map(escapeStringForRegex).join() : `(${texts(value).map(escapeStringForRegex).join('|')})`,
  json: (value) => JSON.stringify(value),
  lucene,
  percentencode: (value) => (single(value) ? strictEncode(texts(value).join()) : strictEncode(`{${texts(value).join(',')}}`)),
  uriencode: (value) => encodeURI(texts(value).join(',')),
  distributed: (value, _argument, name) => joined(value, ',', (v, i) => (i ? `${name}=${v}` : v)),
  doublequote: quoted('"', '\\"'),
  singlequote: quoted("'", "\\'"),
  sqlstring: quoted("'", "''"),
  html: (value) => textUtil.escapeHtml(texts(value).join(', ')),
  text: (_value, _argument, _name, text) => texts(text).join(' + '),
  queryparam: (value, _argument, name) => joined(value, '&', (v) => `var-${encodeURIComponent(name)}=${strictEncode(v)}`),
  date: (value, argument) => formatDate(Number(value), argument),
  customqueryparam: (value, _argument, name) => joined(value, '&', (v) => `${encodeURIComponent(name)}=${strictEncode(v)}`),
  join: (value, argument) => texts(value).join(argument ?? ','),
};

function formatDate(ms: number, argument = 'iso'): string {
  switch (argument) {
    case 'seconds':
      return String(Math.round(ms / 1000));
    case 'iso':
      return new Date(ms).toISOString();
    default:
      return dateTimeFormat(ms, { format: argument, timeZone: 'utc' });
  }
}
