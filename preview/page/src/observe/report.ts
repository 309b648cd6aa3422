// The report: what window.__preview.report() returns.
import { boot, subjectOf } from '../boot/boot';
import { awaited, settled } from './network';
import { record } from './record';

/** One drawing of a plugin: the panel, an editor, an app's page, or one story of many. */
interface Drawing {
  title: string;
  drawn: number;
  /** Nothing can be seen: no text, no graphic, no control. */
  empty: boolean;
  frames: number;
  rows: number;
  error?: string;
}

const places = new Map<string, { element: HTMLElement; drawing: Drawing }>();

/** Says where a plugin is drawn and with how much data; the first time is when it was drawn. */
export function noteDrawing(key: string, element: HTMLElement | null, data: Omit<Drawing, 'drawn' | 'empty'>): void {
  if (element) {
    const drawn = places.get(key)?.drawing.drawn ?? Math.round(performance.now());
    places.set(key, { element, drawing: { ...data, drawn, empty: false } });
  }
}
export function forgetDrawing(key: string): void {
  places.delete(key);
}

const isVisible = (element: Element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });

const marks = 'svg :is(path, rect, circle, ellipse, line, polyline, polygon, text, image, use, foreignObject)';

/** Whether nothing was drawn on a canvas. Of WebGL's, and with images of other origins, nobody knows. */
function isBlank(element: Element): boolean {
  try {
    const canvas = element as HTMLCanvasElement;
    const context = element.localName === 'canvas' ? canvas.getContext('2d') : null;
    return context !== null && !new Uint32Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer).some(Boolean);
  } catch {
    return false;
  }
}

/** Whether nothing of the plugin can be seen. What the interface or the page itself has around it does not count. */
function isEmpty(element: Element | ShadowRoot): boolean {
  const inside = element.querySelector('[data-testid="data-testid panel content"]') ?? element;
  const isPlugins = (e: Element | null) => e !== null && isVisible(e) && !e.closest('[data-preview-own]');
  const texts = document.createTreeWalker(inside, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    if (texts.currentNode.textContent?.trim() && isPlugins(texts.currentNode.parentElement)) {
      return false;
    }
  }
  const seen = [...inside.querySelectorAll(`canvas, ${marks}, img, video, iframe, input, textarea, button`)];
  const shadows = [...inside.querySelectorAll('*')].flatMap((e) => e.shadowRoot ?? []);
  return !seen.some((e) => isPlugins(e) && !isBlank(e)) && shadows.every(isEmpty);
}

function absentFiles(): string[] {
  const files = (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
    .filter((e) => e.responseStatus >= 400)
    .map((e) => new URL(e.name))
    .filter((url) => url.origin === location.origin && url.pathname.startsWith('/public/plugins/'));
  return [...new Set(files.map((url) => url.pathname))];
}

let left: string[] | undefined; // of what the page waited for, when it had come to rest

/** As preview/check reads it. */
export function report() {
  const drawings = [...places.values()].map(({ element, drawing }) => ({ ...drawing, empty: isEmpty(element) }));
  const reads = Object.fromEntries([...record.reads].map(([module, names]) => [module, [...names].sort()]));
  return {
    plugin: subjectOf(location.pathname)?.id ?? boot.main,
    route: location.pathname + location.search,
    version: boot.version,
    modules: [...record.modules],
    reads,
    missing: [...record.missingNames],
    calls: record.calls,
    loaded: record.loaded,
    /** Files of plugins that the page asked for and did not get. */
    absent: absentFiles(),
    deprecations: [...record.deprecations],
    notes: [...record.notes],
    errors: record.faults,
    drawn: drawings.length ? Math.min(...drawings.map((d) => d.drawn)) : null,
    empty: drawings.every((d) => d.empty),
    drawings,
    /** What was still under way when the page was given up waiting for. */
    awaited: left ?? awaited(),
  };
}

declare global {
  interface Window {
    __preview?: { report: typeof report; ready: Promise<void>; swap(id: string): Promise<void>; lastSwap(): number | undefined };
  }
}

/** Is settled when the page has come to rest. What it still waits for is in the report. */
export async function rest(): Promise<void> {
  left = await settled();
}
