// Errors that occurred, with what can be told about them.
import type { FetchError } from '@grafana/runtime';
import { identity } from '../boot/boot';
import { record, type Fault, type FaultKind } from './record';

/** As preview/sources.go reads it. */
interface StackFrame {
  url: string;
  line: number;
  column: number;
}

/** Stack traces, as Chromium and Firefox write them. */
const chromium = /^\s*at (?:.*? \()?(?:async )?((?:https?|file):\/\/[^\s)]+):(\d+):(\d+)\)?$/;
const firefox = /^.*?@((?:https?|file):\/\/.+):(\d+):(\d+)$/;

/** The frames of a stack trace, or of React's component stack; the innermost first, columns from 0. */
export function stackFrames(stack: string): StackFrame[] {
  return stack.split('\n').flatMap((line) => {
    const match = chromium.exec(line) ?? firefox.exec(line.trim());
    return match ? [{ url: match[1], line: Number(match[2]), column: Number(match[3]) - 1 }] : [];
  });
}

/** Whether the address is a file of a plugin. */
export function isPluginFile(url: string): boolean {
  return new URL(url).pathname.startsWith('/public/plugins/');
}

/** A thrown value in words: an Error, the answer of a failed call, or anything. */
export function describe(thrown: unknown): string {
  if (thrown instanceof Error) {
    return thrown.message || thrown.name;
  }
  if (thrown && typeof thrown === 'object') {
    const answer = thrown as Partial<FetchError<{ message?: string } | undefined>>;
    const message = answer.data?.message ?? answer.message ?? answer.statusText;
    if (message) {
      return answer.config?.url ? `${answer.config.url} answered ${answer.status}: ${message}` : String(message);
    }
    return JSON.stringify(thrown).slice(0, 500);
  }
  return String(thrown);
}

const advice: [RegExp, string][] = [
  [
    /ReactCurrentOwner|recentlyCreatedOwnerStacks/,
    'The bundle contains a react/jsx-runtime of its own, of another version of React. Make react/jsx-runtime external and rebuild.',
  ],
  [
    /Too many re-renders|Maximum update depth exceeded|rendered more than/,
    'The component renders without end: it sets state while it renders, or in an effect whose dependencies change at every render.',
  ],
];

/** Whether code of a plugin took part: in the stack, or as a component that contains what was drawn. */
function isOfPlugin(stack: string): boolean {
  const frames = stackFrames(stack);
  return frames.length === 0 || frames.some((f) => isPluginFile(f.url));
}

/** Whether this is what the service for HTTP calls throws. */
function isCall(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && 'config' in thrown && 'status' in thrown;
}

/** Kinds in which React may tell of the same exception: first as an event of the window, and once more when it tries again. */
const thrownByReact: FaultKind[] = ['draw', 'effect', 'event'];

/** Whether code took part that is no longer in use: React may run its effects once more while it is replaced. */
const isReplaced = (stack: string) => stackFrames(stack).some(({ url }) => record.replaced.has(url));

/** Notes an error, or makes what is noted of it more precise. */
export function fault(kind: FaultKind, thrown: unknown, componentStack = ''): void {
  const stack = (thrown instanceof Error ? (thrown.stack ?? '') : '') + componentStack;
  if (isReplaced(stack)) {
    return;
  }
  const message = describe(thrown);
  const isOurs = kind !== 'load' && kind !== 'build' && !isOfPlugin(stack);
  const isSame = (other: FaultKind) => other === kind || (thrownByReact.includes(other) && thrownByReact.includes(kind));
  const seen = record.faults.find((f) => f.message === message && isSame(f.kind));
  if (!seen) {
    const help = advice.find(([pattern]) => pattern.test(message))?.[1];
    const made: Fault = { kind, message, stack, help, ours: isOurs, quiet: isCall(thrown) };
    record.fault(made);
    void place(made);
  } else if (seen.kind === 'event' && kind !== 'event') {
    Object.assign(seen, { kind, stack, ours: seen.ours && isOurs });
    record.changed();
    void place(seen);
  }
}

/** Whether it is a panic of the backend: as a query's answer tells it, or with its place in the log, which the server sends. */
export const isOfPanic = ({ kind, message, file }: Pick<Fault, 'kind' | 'message' | 'file'>): boolean =>
  kind === 'query' && (file !== undefined || /see its log$|connection to the plugin was lost$/.test(message));

/** The panic that a failed query is about, once its place is known. */
export const panicOf = (message: string): Fault | undefined =>
  isOfPanic({ kind: 'query', message }) ? record.faults.find((f) => isOfPanic(f) && f.file) : undefined;

/** Notes an error of which there is no exception, because it was answered or printed. */
export function noteFault(kind: FaultKind, message: string, stack = ''): void {
  if (!panicOf(message) && !isReplaced(stack) && !record.faults.some((f) => f.kind === kind && f.message === message)) {
    const made: Fault = { kind, message, stack, ours: false, quiet: true };
    record.fault(made);
    void place(made);
  }
}

/** Adds the place in the author's sources, with the code around it. */
async function place(made: Fault): Promise<void> {
  const frames = stackFrames(made.stack).filter((f) => isPluginFile(f.url));
  if (!made.file && frames.length) {
    const asked = { method: 'POST', headers: identity, body: JSON.stringify(frames) };
    const answer = await fetch('/-/place', asked).catch(() => undefined);
    const found = answer?.ok ? ((await answer.json()) as Pick<Fault, 'file' | 'line' | 'column' | 'code'> | null) : null;
    Object.assign(made, found);
    record.changed();
  }
}

/** React calls effects from functions of these names; a build for production has no names, where the kind stays "draw". */
export function phaseOf(thrown: unknown): FaultKind {
  const stack = (thrown instanceof Error && thrown.stack) || '';
  const isEffect = /commitHookEffectList|commitHookPassive|safelyCallDestroy|commitLifeCycles|commitClassDidMount/.test(stack);
  return isEffect ? 'effect' : 'draw';
}
