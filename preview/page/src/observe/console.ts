// Errors that reach nobody, and warnings that the console gets.
import * as React from 'react';
import { fault, isPluginFile, noteFault, stackFrames } from './faults';
import { record } from './record';

/** What a call of the console would show, with %s filled in. */
export function format(args: unknown[]): string {
  const [first, ...rest] = args;
  if (typeof first !== 'string') {
    return args.map(String).join(' ');
  }
  const text = first.replace(/%[sdifoOc]/g, (verb) => (verb === '%c' ? (rest.shift(), '') : rest.length ? String(rest.shift()) : verb));
  return [text, ...rest.map(String)].join(' ');
}

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

/** The origin of an address of another site, which says enough: a map asks for hundreds of tiles there. */
function otherSite(address: string): string | undefined {
  const origin = /^https?:\/\/[^/?#]+/.exec(address)?.[0];
  return origin === location.origin ? undefined : origin;
}

function noteImage({ target }: Event): void {
  if (target instanceof HTMLImageElement || target instanceof SVGImageElement) {
    const address = target instanceof HTMLImageElement ? target.currentSrc || target.src : target.href.baseVal;
    const site = otherSite(address);
    const what = site ? `An image from ${site}` : `The image ${address.replace(location.origin, '').slice(0, 200)}`;
    record.note(`${what} did not load.`);
  }
}

export function watchConsole(): void {
  for (const method of ['warn', 'error'] as const) {
    const original = console[method].bind(console);
    console[method] = (...args: unknown[]) => {
      original(...args);
      const message = format(args).slice(0, 500);
      if (/deprecat/i.test(message)) {
        record.add(record.deprecations, message);
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
    record.note(`The page's policy does not allow ${otherSite(e.blockedURI) ?? e.blockedURI} (${e.effectiveDirective}).`),
  );
  window.addEventListener('error', noteImage, true);
  // The window hears nothing of images outside of the document, such as the tiles of a map that are drawn on a canvas.
  const src = Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, 'src')!;
  Object.defineProperty(HTMLImageElement.prototype, 'src', {
    ...src,
    set(this: HTMLImageElement, address: string) {
      this.addEventListener('error', noteImage);
      src.set!.call(this, address);
    },
  });
  window.addEventListener('unhandledrejection', (e) => {
    const reason = e.reason as { isHandled?: boolean; cancelled?: boolean; name?: string } | undefined;
    if (!reason?.isHandled && !reason?.cancelled && reason?.name !== 'AbortError') {
      fault('rejection', e.reason);
    }
  });
}
