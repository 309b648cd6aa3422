// The server's messages: a build is ready, failed, or works again.
import { token } from '../boot/boot';
import { excerpt } from '../observe/locate';
import { record } from '../observe/record';
import { changed, type Part } from './reload';

interface BuildMessage {
  file?: string;
  line?: number;
  column?: number;
  source?: string;
  text: string;
  help?: string;
}

function showFailure(messages: BuildMessage[]): void {
  record.clear((kind) => kind === 'build');
  for (const { file, line, column, source, text, help } of messages) {
    const code =
      source === undefined || line === undefined ? undefined : source.includes('\n') ? excerpt(source, line) : [{ line, text: source }];
    record.fault({ kind: 'build', message: text, stack: '', file, line, column, code, help, ours: false });
  }
}

export function listen(): void {
  const events = new EventSource(`/-/events?token=${encodeURIComponent(token)}`);
  // A page that the browser keeps for "back" would keep its connection, of which it opens six to one address.
  window.addEventListener('pagehide', () => events.close());
  window.addEventListener('pageshow', (e) => e.persisted && location.reload());
  const on = <T>(name: string, handle: (data: T) => void) =>
    events.addEventListener(name, (e) => handle(JSON.parse((e as MessageEvent<string>).data || '{}') as T));
  on<{ messages: BuildMessage[] }>('failed', ({ messages }) => showFailure(messages));
  on('fixed', () => record.clear((kind) => kind === 'build'));
  on<{ id: string; changed: Part[] }>('ready', ({ id, changed: parts }) => {
    record.clear((kind) => kind === 'build');
    void changed(id, parts);
  });
}
