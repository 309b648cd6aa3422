// Comma-separated values as the well-known test data source reads them.
import type { Labels } from '@grafana/data';
import { csvParseRows } from 'd3';
import { column, type Column, type Sheet } from './columns';

/** Splits text into rows of cells; quotes as in RFC 4180. Blank lines are no rows. */
export function parseCSV(text: string): string[][] {
  const rows = (csvParseRows(text) as string[][]).map((row) => row.map((cell) => cell.trim()));
  return rows.filter((row) => row.length > 1 || row[0]);
}

const isAbsent = (cell: string | undefined): boolean => cell === undefined || cell === '' || cell.toLowerCase() === 'null';

/** Values of one column: booleans or numbers if the first value is one, else texts. */
export function typedColumn(name: string, cells: (string | undefined)[]): Column {
  const first = cells.find((cell) => !isAbsent(cell)) ?? '';
  const read = (type: Column['type'], convert: (cell: string) => unknown): Column => {
    const values = cells.map((cell) => (isAbsent(cell) ? null : convert(cell!)));
    return column(name, type, values);
  };
  if (/^(t|f|true|false)$/i.test(first)) {
    return read('boolean', (cell) => /^t/i.test(cell));
  }
  const isNumeric = (cell: string) => Number.isFinite(Number(cell));
  if (/time/i.test(name) && first !== '') {
    const times = read('time', (cell) => (isNumeric(cell) ? Number(cell) : Date.parse(cell)));
    if (times.values.every((v) => v === null || Number.isFinite(v))) {
      return times;
    }
  }
  if (first !== '' && isNumeric(first)) {
    return read('number', (cell) => (isNumeric(cell) ? Number(cell) : null));
  }
  return read('string', (cell) => cell);
}

/** The labels of a name such as value{host=a, zone="b"}. */
export function labelsIn(text: string): Labels {
  const labels: Labels = {};
  for (const [, key, quoted, plain] of text.matchAll(/([\w.-]+)\s*[=:]\s*(?:"([^"]*)"|([^,}\s]*))/g)) {
    labels[key] = quoted ?? plain;
  }
  return labels;
}

/** A sheet from text whose first row has the names. */
export function csvSheet(text: string, name?: string): Sheet {
  const [names = [], ...rows] = parseCSV(text);
  const columns = names.map((full, i) => {
    const cells = rows.map((row) => row[i]);
    const typed = typedColumn(full, cells);
    const brace = full.indexOf('{');
    return brace < 0 ? typed : { ...typed, name: full.slice(0, brace).trim(), labels: labelsIn(full.slice(brace)) };
  });
  return { name, columns };
}
