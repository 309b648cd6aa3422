// A browser for the tests that need one: jsdom, with a server of the test's own behind its addresses.
import { JSDOM, ResourceLoader, VirtualConsole, type FetchOptions } from 'jsdom';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import Module from 'node:module';
import type { AddressInfo } from 'node:net';
import { after, before } from 'node:test';

declare global {
  var IS_REACT_ACT_ENVIRONMENT: boolean; // React's act asks
}

type Answer = (request: IncomingMessage & { body: string }, response: ServerResponse) => unknown;

/** What the server answers, by method and path: an object as JSON, a text as such. Others are not found. */
export const routes: Record<string, Answer | undefined> = {};
/** What reached the server, with the query. */
export const calls: string[] = [];

const origin = 'http://localhost:4000';
const server = createServer((request, response) => void answer(request, response));
const listening = once(server.listen(0, '127.0.0.1'), 'listening');
before(() => listening);
after(() => void server.close().closeAllConnections());

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
  }
  calls.push(`${request.method} ${request.url}`);
  response.setHeader('Connection', 'close');
  const route = routes[`${request.method} ${request.url?.split('?')[0]}`];
  const result = route
    ? await route(Object.assign(request, { body: Buffer.concat(chunks).toString() }), response)
    : { message: 'not found' };
  response.statusCode = route ? response.statusCode : 404;
  if (result !== undefined) {
    response.end(typeof result === 'string' ? result : JSON.stringify(result));
  }
}

/** The address at which the test's server really is. */
export function behind(url: string | URL): string {
  return new URL(url, origin).href.replace(origin, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

class Scripts extends ResourceLoader {
  fetch(url: string, options: FetchOptions) {
    return super.fetch(behind(url), options);
  }
}

/** How often the page was to be loaded again, which jsdom does not do. */
export let reloads = 0;
const virtualConsole = new VirtualConsole().on('jsdomError', (e) => (reloads += Number(/navigation/.test(e.message))));

const plugins = ['panel', 'datasource', 'app'].map((type) => ({ id: `acme-${type}`, name: type, type, info: { version: '1.0.0' } }));
const boot = { version: '12.4.10', react: '18.3.1', mode: 'development', role: 'Editor', plugins, main: 'acme-panel', theme: 'dark' };
const { window } = new JSDOM(`<!doctype html><script type="application/json" id="boot">${JSON.stringify(boot)}</script>`, {
  url: `${origin}/#token=secret`,
  runScripts: 'dangerously',
  resources: new Scripts(),
  pretendToBeVisual: true,
  virtualConsole,
});
window.matchMedia = () => ({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }) as never;

// What Node has stays Node's, but for events. Without scripts, jsdom lists its names.
const { fetch: realFetch, EventSource: RealEventSource, Event: RealEvent } = globalThis;
const names = Object.getOwnPropertyNames(new JSDOM('', { url: origin, pretendToBeVisual: true }).window).concat('matchMedia');
for (const name of names.filter((name) => !(name in globalThis) || /^(navigator|Event|CustomEvent)$/.test(name))) {
  Object.defineProperty(globalThis, name, { value: window[name] as unknown, configurable: true, writable: true });
}
globalThis.fetch = (to, init) => realFetch(behind(to instanceof Request ? to.url : to), init);
globalThis.EventSource = class extends RealEventSource {
  constructor(url: string | URL) {
    super(behind(url));
    globalThis.Event = RealEvent; // of which it makes its own
  }
};
(Module as unknown as { _extensions: Record<string, () => void> })._extensions['.css'] = () => undefined;
globalThis.IS_REACT_ACT_ENVIRONMENT = true;
