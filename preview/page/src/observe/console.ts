// Errors that reach nobody, and warnings that the console gets.
import { fault } from './faults';
import { format } from './format';
import { record } from './record';

/** React says this of a loop through effects, which it does not stop. */
const endless = /^(Warning: )?Maximum update depth exceeded/;

export function watchConsole(): void {
  for (const method of ['warn', 'error'] as const) {
    const original = console[method].bind(console);
    console[method] = (...args: unknown[]) => {
      original(...args);
      const message = format(args).slice(0, 500);
      if (/deprecat/i.test(message)) {
        record.deprecation(message);
      }
      if (endless.test(message)) {
        fault('effect', new Error(message.split('\n')[0].replace(/^Warning: /, '')), format(args));
      }
    };
  }
  window.addEventListener('error', (e) => {
    // Browsers report this when a layout takes two frames; nothing is wrong.
    if (e.error && !/ResizeObserver loop/.test(e.message)) {
      fault('event', e.error);
    }
  });
  window.addEventListener('unhandledrejection', (e) => {
    const reason = e.reason as { isHandled?: boolean; cancelled?: boolean; name?: string } | undefined;
    if (!reason?.isHandled && !reason?.cancelled && reason?.name !== 'AbortError') {
      fault('rejection', e.reason);
    }
  });
}
