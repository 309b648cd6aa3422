// Errors that reach nobody, and warnings that the console gets.
import * as React from 'react';
import { fault, noteFault } from './faults';
import { format } from './format';
import { record } from './record';
import { isPluginFile, stackFrames } from './stack';

/** React says this of a loop through effects, which it does not stop. */
const endless = /^(Warning: )?Maximum update depth exceeded/;

/**
 * The components that React is at work on, the innermost first: older versions print them. What it says of a component of a
 * library is the library's.
 */
function componentsOf(message: string): string | undefined {
  const owners = (React as { captureOwnerStack?(): string | null }).captureOwnerStack?.();
  return owners ?? (message.startsWith('Warning: ') ? message : undefined);
}

/** Notes what React, or a plugin, says of a plugin's code. */
function complain(message: string, whole: string): void {
  const caller = stackFrames(new Error().stack ?? '')[2];
  const components = caller && isPluginFile(caller.url) ? undefined : componentsOf(whole);
  const [innermost] = stackFrames(components ?? '');
  const text = message.split('\n')[0].replace(/^Warning: /, '');
  if (innermost && isPluginFile(innermost.url)) {
    noteFault('console', text, components);
  } else {
    record.note(`console.error: ${text}`);
  }
}

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
      } else if (method === 'error') {
        complain(message, format(args));
      }
    };
  }
  window.addEventListener('error', (e) => {
    // Browsers report this when a layout takes two frames; nothing is wrong.
    if (e.error && !/ResizeObserver loop/.test(e.message)) {
      fault('event', e.error);
    }
  });
  // Where nothing is drawn, for lack of a file or because the page's policy forbids it: these events do not bubble.
  window.addEventListener('securitypolicyviolation', (e) =>
    record.note(`The page's policy does not allow ${e.blockedURI} (${e.effectiveDirective}).`),
  );
  window.addEventListener(
    'error',
    (e) =>
      e.target instanceof HTMLImageElement &&
      record.note(`The image ${e.target.currentSrc.replace(location.origin, '').slice(0, 200)} did not load.`),
    true,
  );
  window.addEventListener('unhandledrejection', (e) => {
    const reason = e.reason as { isHandled?: boolean; cancelled?: boolean; name?: string } | undefined;
    if (!reason?.isHandled && !reason?.cancelled && reason?.name !== 'AbortError') {
      fault('rejection', e.reason);
    }
  });
}
