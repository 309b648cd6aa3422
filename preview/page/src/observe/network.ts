// Says who makes the calls of the API, notes them, and knows which are under way, so that a picture is taken of a page at rest.
import { identity } from '../boot/boot';
import { record } from './record';

/** What is under way, by itself or by its name. */
const underWay = new Map<object | string, string>();

const iconName = (url: string) => /icons\/(.*)\.svg/.exec(new URL(url).pathname)?.[1] ?? url;

/** The path of a call of the API, which a session's cookie allows in the interface, and the token here; undefined for another address. */
function pathOfCall(to: string | URL): string | undefined {
  const url = new URL(to, location.href);
  return url.origin === location.origin && /^\/apis?\//.test(url.pathname) ? url.pathname + url.search : undefined;
}

/** The word with which the preview says that it refused a call, and not the host or the plugin: refused, token or origin. */
export const refusal = 'X-Preview-Refused';

async function messageOf(answer: Response): Promise<string> {
  const text = await answer.text();
  try {
    return (JSON.parse(text) as { message?: string } | null)?.message ?? answer.statusText;
  } catch {
    return text.slice(0, 500) || answer.statusText;
  }
}

export function watchNetwork(): void {
  performance.setResourceTimingBufferSize(10_000); // of which the report takes the files that are absent
  const original = globalThis.fetch.bind(globalThis);
  globalThis.fetch = async (to, init) => {
    const call = {};
    const given = to instanceof Request ? to : undefined;
    const method = init?.method ?? given?.method ?? 'GET';
    const address = given?.url ?? String(to);
    const path = pathOfCall(address);
    underWay.set(call, `${method} ${address.replace(location.origin, '')}`);
    const headers = new Headers(init?.headers ?? given?.headers);
    Object.entries(path ? identity : {}).forEach(([name, value]) => headers.set(name, value));
    try {
      const answer = await original(to, { ...init, headers });
      if (path) {
        const message = answer.ok ? undefined : await messageOf(answer.clone());
        record.call({ method, path, status: answer.status, refused: answer.headers.has(refusal), message });
      }
      if (answer.status >= 400) {
        const whole = answer.clone();
        whole.text().catch(() => {}); // the browser lists a file, which may be absent, once all of it was read
      }
      const icon = answer.headers.get('X-Preview-Missing') === 'icon' && iconName(answer.url);
      // The frame of a panel asks for the spinner.
      if (icon && icon !== 'unicons/spinner') {
        record.note(`The icon ${icon} is not in @grafana/ui; its place is empty here.`);
      }
      return answer;
    } finally {
      underWay.delete(call);
    }
  };
  watchRequests();
}

/** The same for XMLHttpRequest. */
function watchRequests(): void {
  const { open } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (...args: unknown[]) {
    open.apply(this, args as Parameters<typeof open>);
    const [method, to] = args as [string, string | URL];
    const path = pathOfCall(to);
    Object.entries(path ? identity : {}).forEach(([name, value]) => this.setRequestHeader(name, value));
    this.addEventListener('loadstart', () => underWay.set(this, `${method} ${path ?? to}`), { once: true });
    this.addEventListener(
      'loadend',
      () => {
        underWay.delete(this);
        if (path) {
          record.call({ method, path, status: this.status, refused: this.getResponseHeader(refusal) !== null });
        }
      },
      { once: true },
    );
  };
}

/** Says that something is under way which is no call, such as a query of a story. */
export function markWorking(what: string, is: boolean): void {
  if (is) {
    underWay.set(what, what);
  } else {
    underWay.delete(what);
  }
}

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What the page waits for. */
export function awaited(): string[] {
  const images = [...document.images].filter((image) => !image.complete && image.loading !== 'lazy');
  const fonts = document.fonts.status === 'loading' ? ['fonts'] : [];
  return [...underWay.values(), ...images.map((image) => `image ${image.src.slice(0, 200)}`), ...fonts];
}

/**
 * Resolves when nothing was under way at so many looks in a row, and two frames were drawn; at the latest after the limit, and
 * then with what was still under way. It counts looks and not time, of which a long task takes much without a look. Icons need
 * half a second: each waits for the first of its name, and looks every 100 ms.
 */
export async function settled(quietLooks = 12, limit = 20_000): Promise<string[]> {
  const end = performance.now() + limit;
  let left: string[] = [];
  for (let quiet = 0; quiet < quietLooks && performance.now() < end;) {
    await wait(50);
    left = awaited();
    quiet = left.length ? 0 : quiet + 1;
  }
  await frame();
  await frame();
  return left;
}
