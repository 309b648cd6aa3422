// Source maps (ECMA-426), decoded as far as a place in generated code is to be found in its source.

export interface SourceMap {
  sources: (string | null)[];
  sourcesContent?: (string | null)[];
  sourceRoot?: string;
  mappings: string;
}

export interface Place {
  file: string;
  line: number;
  column: number;
  content?: string;
}

/** One mapping: generated column, source, line and column there, all from 0. */
type Segment = [column: number, source: number, line: number, sourceColumn: number];

const digits = new Map([...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].map((c, i) => [c, i]));

/** Decodes base64 VLQ numbers: five bits a digit, the sign in the lowest bit. */
export function decodeVLQ(text: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  let shift = 0;
  for (const c of text) {
    const digit = digits.get(c);
    if (digit === undefined) {
      throw new Error(`"${c}" is no digit of a source map`);
    }
    value += (digit & 31) * 2 ** shift;
    if (digit & 32) {
      shift += 5;
      continue;
    }
    numbers.push(value % 2 ? -Math.floor(value / 2) : value / 2);
    value = shift = 0;
  }
  return numbers;
}

/** Finds places in the sources of one map. The mappings are decoded once, at the first question. */
export class Locator {
  private lines?: Segment[][];
  constructor(private readonly map: SourceMap) {}

  /** The source of a generated place; lines count from 1 and columns from 0, here and in the answer. */
  locate(line: number, column: number): Place | undefined {
    this.lines ??= decodeMappings(this.map.mappings);
    const segment = this.lines[line - 1]?.findLast((s) => s[0] <= column);
    const source = segment && this.map.sources[segment[1]];
    if (!segment || !source) {
      return undefined;
    }
    const content = this.map.sourcesContent?.[segment[1]] ?? undefined;
    return { file: sourcePath(source), line: segment[2] + 1, column: segment[3], content };
  }
}

function decodeMappings(mappings: string): Segment[][] {
  let source = 0;
  let line = 0;
  let sourceColumn = 0;
  return mappings.split(';').map((group) => {
    let column = 0;
    const segments: Segment[] = [];
    for (const text of group.split(',').filter(Boolean)) {
      const numbers = decodeVLQ(text);
      column += numbers[0];
      if (numbers.length < 4) {
        continue; // generated code without a source
      }
      source += numbers[1];
      line += numbers[2];
      sourceColumn += numbers[3];
      segments.push([column, source, line, sourceColumn]);
    }
    return segments;
  });
}

/** The path of a source in the repository, as far as its name tells. In names as of webpack, it is relative to src. */
export function sourcePath(source: string): string {
  const path = source
    .replace(/^[a-z-]+:\/\/[^/]*\//, '')
    .replace(/^(\.{1,2}\/)+/, '')
    .replace(/\?[0-9a-f]+$/, '');
  return source.startsWith('webpack://') && !/^(src|node_modules)\//.test(path) ? `src/${path}` : path;
}
