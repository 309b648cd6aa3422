// The report: what window.__preview.report() returns.
import { boot } from '../boot/boot';
import { settled } from './network';
import { record, type Call, type Fault } from './record';

/** One drawing of a plugin: the panel, an editor, an app's page, or one story of many. */
export interface Drawing {
  title: string;
  drawn: number | null;
  /** Nothing can be seen: no text, no graphic, no control. */
  empty: boolean;
  frames: number;
  rows: number;
  error?: string;
}

interface Report {
  plugin: string;
  route: string;
  version: string;
  modules: string[];
  reads: { [module: string]: string[] };
  missing: string[];
  calls: Call[];
  deprecations: string[];
  notes: string[];
  errors: Fault[];
  drawn: number | null;
  empty: boolean;
  drawings: Drawing[];
  /** What was still under way when the page was given up waiting for. */
  awaited: string[];
}

interface Place {
  element: HTMLElement;
  drawing: Drawing;
}

const places = new Map<string, Place>();

/** Says where a plugin is drawn and with how much data; the first time is when it was drawn. */
export function noteDrawing(
  key: string,
  title: string,
  element: HTMLElement | null,
  data: { frames: number; rows: number; error?: string },
): void {
  if (element) {
    const drawn = places.get(key)?.drawing.drawn ?? Math.round(performance.now());
    places.set(key, { element, drawing: { title, drawn, empty: false, ...data } });
  }
}
export function forgetDrawing(key: string): void {
  places.delete(key);
}

function isEmpty(element: HTMLElement): boolean {
  return !element.innerText.trim() && !element.querySelector('canvas, svg, img, video, iframe, input, button');
}

let plugin = '';
let awaited: string[] = [];

/** The plugin that the address is about. */
export function setSubject(id: string): void {
  plugin = id;
}

export function report(): Report {
  const drawings = [...places.values()].map(({ element, drawing }) => ({ ...drawing, empty: isEmpty(element) }));
  const reads = Object.fromEntries([...record.reads].map(([module, names]) => [module, [...names].sort()]));
  return {
    plugin: plugin || boot.main,
    route: location.pathname + location.search,
    version: boot.version,
    modules: [...record.modules],
    reads,
    missing: [...record.missingNames],
    calls: record.calls,
    deprecations: [...record.deprecations],
    notes: [...record.notes],
    errors: record.faults,
    drawn: drawings.length ? Math.min(...drawings.map((d) => d.drawn ?? Infinity)) : null,
    empty: drawings.every((d) => d.empty),
    drawings,
    awaited,
  };
}

declare global {
  interface Window {
    __preview?: { report(): Report; ready: Promise<void>; swap(id: string): Promise<void>; lastSwap(): number | undefined };
  }
}

/** Is settled when the page has come to rest. What it still waits for is in the report. */
export async function rest(): Promise<void> {
  awaited = await settled();
}
