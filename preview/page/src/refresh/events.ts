// The server's messages: a build is ready, failed, or works again, and what its types are.
import { token } from '../boot/boot';
import { isOfPanic } from '../observe/faults';
import { record, type Fault } from '../observe/record';
import { changed, type Part } from './reload';

/** As preview/events.go sends it: without a place, or without a column, those fields are "" and 0. */
interface BuildMessage {
  file: string;
  line: number;
  column: number;
  source: string;
  text: string;
  help: string;
}

function show(kind: 'build' | 'types' | 'query', messages: BuildMessage[], isOld = (fault: Fault) => fault.kind === kind): void {
  record.clear(isOld);
  for (const { file, line, column, source, text, help } of messages) {
    const [code, place] = [source ? [{ line, text: source }] : undefined, { line: line || undefined, column: column || undefined }];
    record.fault({ kind, message: text, stack: '', file, ...place, code, help, ours: false, quiet: kind === 'query' });
  }
}

export function listen(): void {
  const events = new EventSource(`/-/events?token=${encodeURIComponent(token)}`);
  const on = <T>(name: string, handle: (data: T) => void) =>
    events.addEventListener(name, (e) => handle(JSON.parse((e as MessageEvent<string>).data || '{}') as T));
  on<{ messages: BuildMessage[] }>('failed', ({ messages }) => show('build', messages));
  on<{ messages: BuildMessage[] }>('typed', ({ messages }) => show('types', messages));
  on<{ messages: BuildMessage[] }>('panicked', ({ messages }) => show('query', messages, isOfPanic));
  on('fixed', () => record.clear(({ kind }) => kind === 'build'));
  on<{ id: string; changed: Part[] }>('ready', ({ id, changed: parts }) => {
    record.clear(({ kind }) => kind === 'build');
    void changed(id, parts);
  });
  // Browsers keep pages to go back to, and six connections to an origin: a page that is left must not hold one.
  window.addEventListener('pagehide', () => events.close());
  window.addEventListener('pageshow', (e) => e.persisted && location.reload());
}
