// What the plugin told us: a record that the side list shows and the report contains.

export interface Call {
  method: string;
  path: string;
  status: number;
  refused: boolean;
  /** What an answer says that is an error. */
  message?: string;
}

export type FaultKind = 'draw' | 'effect' | 'event' | 'rejection' | 'load' | 'query' | 'health' | 'console' | 'build' | 'types';

export interface Fault {
  kind: FaultKind;
  message: string;
  stack: string;
  file?: string;
  line?: number;
  column?: number;
  /** The lines around the place, if the source is known. */
  code?: { line: number; text: string }[];
  /** What to do about it, if there is something to say. */
  help?: string;
  /** Whether only the preview's own code took part. */
  ours: boolean;
  /** Listed, but not shown over the page, which shows it elsewhere: a failed call that nobody handled, or a query's error. */
  quiet?: boolean;
}

class Observations {
  readonly modules = new Set<string>();
  readonly reads = new Map<string, Set<string>>();
  readonly missingNames = new Set<string>();
  readonly deprecations = new Set<string>();
  /** Stand-ins that took part, extension points that were asked for: things to know that are no fault. */
  readonly notes = new Set<string>();
  readonly calls: Call[] = [];
  /** What the modules of plugins, by their paths, ask the interface for, and what they export. */
  readonly loaded: { [path: string]: { asked: string[]; exports: string[] } } = {};
  /** The addresses of modules whose place others have taken: what is wrong with their code has been changed. */
  readonly replaced = new Set<string>();
  faults: Fault[] = [];
  /** Changes with every change, for React's useSyncExternalStore. */
  version = 0;
  private listeners = new Set<() => void>();

  read(module: string, name: string): void {
    const names = this.reads.get(module) ?? new Set();
    this.reads.set(module, names);
    this.add(names, name);
  }
  missing(what: string): void {
    this.add(this.missingNames, what);
  }
  note(message: string): void {
    this.add(this.notes, message);
  }
  call(call: Call): void {
    this.calls.push(call);
    this.changed();
  }
  fault(fault: Fault): void {
    this.faults = [...this.faults, fault];
    this.changed();
  }
  /** Forgets faults that are fixed: those of a build when it succeeds, the others when the module was replaced. */
  clear(isFixed: (fault: Fault) => boolean): void {
    const left = this.faults.filter((f) => !isFixed(f));
    if (left.length !== this.faults.length) {
      this.faults = left;
      this.changed();
    }
  }
  /** A fault became more precise, such as by its source map. */
  changed(): void {
    this.version++;
    // Names are read while React renders, when nobody's state may be set.
    queueMicrotask(() => this.listeners.forEach((listener) => listener()));
  }
  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  add(to: Set<string>, value: string): void {
    if (!to.has(value)) {
      to.add(value);
      this.changed();
    }
  }
}

export const record = new Observations();
