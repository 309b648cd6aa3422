// Server-sent events over fetch: EventSource cannot send the header with the token.

interface ServerEvent {
  event: string;
  data: string;
}

/** Splits a stream of text into events. */
export async function* serverEvents(chunks: AsyncIterable<string>): AsyncGenerator<ServerEvent> {
  let rest = '';
  for await (const chunk of chunks) {
    const blocks = (rest + chunk).replace(/\r\n?/g, '\n').split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event) {
        yield event;
      }
    }
  }
}

function parseBlock(block: string): ServerEvent | undefined {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, field, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (field === 'event') {
      event = value;
    } else if (field === 'data') {
      data.push(value);
    }
  }
  return data.length ? { event, data: data.join('\n') } : undefined;
}

async function* decoded(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader(); // Safari has no iterator of a stream
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    await reader.cancel();
  }
}

/** Follows an address until the signal aborts or the server ends the stream. */
export async function* follow(url: string, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const answer = await fetch(url, { headers: { Accept: 'text/event-stream' }, signal });
  if (!answer.ok || !answer.body) {
    const message = ((await answer.json().catch(() => ({}))) as { message?: string }).message;
    throw new Error(message ?? `${url} answered ${answer.status}`);
  }
  yield* serverEvents(decoded(answer.body));
}
