// Knows which calls are under way, so that a picture is taken of a page at rest, and notes the icons that the libraries lack.
import { record } from './record';

const calls = new Map<object, string>();

const iconName = (url: string) => /icons\/(.*)\.svg/.exec(new URL(url).pathname)?.[1] ?? url;

export function watchNetwork(): void {
  const original = window.fetch.bind(window);
  performance.setResourceTimingBufferSize(10_000); // of which the report takes the files that are absent
  window.fetch = async (...args) => {
    const call = {};
    const [to, { method = 'GET' } = {}] = args;
    calls.set(call, `${method} ${(to instanceof Request ? to.url : String(to)).replace(location.origin, '')}`);
    try {
      const answer = await original(...args);
      if (answer.headers.get('X-Preview-Missing') === 'icon') {
        record.note(`The icon ${iconName(answer.url)} is not in @grafana/ui; its place is empty here.`);
      }
      return answer;
    } finally {
      calls.delete(call);
    }
  };
}

const working = new Set<string>();

/** Says that something is under way which is no call, such as a query of a story. */
export function markWorking(what: string, is: boolean): void {
  if (is) {
    working.add(what);
  } else {
    working.delete(what);
  }
}

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What the page waits for. */
function awaited(): string[] {
  const images = [...document.images].filter((image) => !image.complete && image.loading !== 'lazy');
  const fonts = document.fonts.status === 'loading' ? ['fonts'] : [];
  return [...working, ...calls.values(), ...images.map((image) => `image ${image.src.slice(0, 200)}`), ...fonts];
}

/** Whether the browser found no idle moment: React draws in slices, between which timers run. */
function hasWork(): Promise<boolean> {
  return new Promise((resolve) => requestIdleCallback((deadline) => resolve(deadline.didTimeout), { timeout: 1000 }));
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
    const isDrawing = await hasWork();
    left = awaited();
    quiet = isDrawing || left.length ? 0 : quiet + 1;
  }
  await frame();
  await frame();
  return left;
}
