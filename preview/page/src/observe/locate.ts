// From a stack trace to the author's file and the code around the place.
import { Locator, type Place, type SourceMap } from './sourcemap';
import { isPluginFile, stackFrames } from './stack';

const locators = new Map<string, Promise<Locator | undefined>>();

async function fetchLocator(url: string): Promise<Locator | undefined> {
  const text = await (await fetch(url)).text();
  const name = text.slice(-4096).match(/\/\/[#@] sourceMappingURL=(\S+)\s*$/)?.[1];
  if (!name) {
    return undefined;
  }
  const map = await fetch(new URL(name, url), { cache: 'no-store' }); // an older build had the same address
  return map.ok ? new Locator((await map.json()) as SourceMap) : undefined;
}

/** The locator of a generated file; undefined if it has no source map that can be had. */
function locatorOf(url: string): Promise<Locator | undefined> {
  const known = locators.get(url) ?? fetchLocator(url).catch(() => undefined);
  locators.set(url, known);
  return known;
}

/** The author's place of the innermost frame that is in a plugin's own sources, else in its packages. */
export async function locate(stack: string): Promise<Place | undefined> {
  let inPackage: Place | undefined;
  for (const frame of stackFrames(stack).filter((f) => isPluginFile(f.url))) {
    const place = (await locatorOf(frame.url))?.locate(frame.line, frame.column);
    if (place && !place.file.includes('node_modules/')) {
      return place;
    }
    inPackage ??= place;
  }
  return inPackage;
}

const around = 3;

/** The lines of a text around one of them. */
export function excerpt(text: string, line: number): { line: number; text: string }[] {
  const first = Math.max(1, line - around);
  return text
    .split('\n')
    .slice(first - 1, line + around)
    .map((text, i) => ({ line: first + i, text }));
}
