// Server-sent events over fetch: EventSource cannot send the header with the token.

interface ServerEvent {
  event: string;
  data: string;
}

/** Splits a stream of text into events, as the host writes them. */
export async function* serverEvents(chunks: ReadableStream<string>): AsyncGenerator<ServerEvent> {
  const reader = chunks.getReader(); // Safari has no iterator of a stream
  try {
    let rest = '';
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const blocks = (rest + read.value).split('\n\n');
      rest = blocks.pop() ?? '';
      yield* blocks.map(parseBlock).filter(({ data }) => data);
    }
  } finally {
    await reader.cancel();
  }
}

function parseBlock(block: string): ServerEvent {
  const values = (name: string) => [...block.matchAll(new RegExp(`^${name}: ?(.*)$`, 'gm'))].map(([, value]) => value);
  return { event: values('event').at(-1) ?? 'message', data: values('data').join('\n') };
}

/** Follows an address until the signal aborts or the server ends the stream. */
export async function* follow(url: string, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const answer = await fetch(url, { headers: { Accept: 'text/event-stream' }, signal });
  if (!answer.ok || !answer.body) {
    const message = ((await answer.json().catch(() => ({}))) as { message?: string }).message;
    throw new Error(message ?? `${url} answered ${answer.status}`);
  }
  yield* serverEvents(answer.body.pipeThrough(new TextDecoderStream()));
}
