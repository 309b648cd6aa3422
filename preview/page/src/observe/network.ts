// Counts the calls under way, so that a picture is taken of a page at rest.
let pending = 0;

export function watchNetwork(): void {
  const original = window.fetch.bind(window);
  window.fetch = async (...args) => {
    pending++;
    try {
      return await original(...args);
    } finally {
      pending--;
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

function isBusy(): boolean {
  return pending > 0 || working.size > 0 || [...document.images].some((image) => !image.complete && image.loading !== 'lazy');
}

/** Resolves when nothing has been under way for a while, and two frames were drawn; at the latest after the limit. */
export async function settled(quiet = 400, limit = 20_000): Promise<void> {
  const end = performance.now() + limit;
  let since = performance.now();
  while (performance.now() < end && performance.now() - since < quiet) {
    await wait(50);
    if (isBusy()) {
      since = performance.now();
    }
  }
  await frame();
  await frame();
}
