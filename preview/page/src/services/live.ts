// Streams of plugins and data sources, from the host's server-sent events.
import {
  isLiveChannelMessageEvent,
  LiveChannelConnectionState,
  LiveChannelEventType,
  LoadingState,
  StreamingDataFrame,
  type DataFrameJSON,
  type DataQueryResponse,
  type LiveChannelAddress,
  type LiveChannelEvent,
} from '@grafana/data';
import type { GrafanaLiveSrv, LiveDataStreamOptions } from '@grafana/runtime';
import { Observable, of } from 'rxjs';
import { describe } from '../observe/faults';
import { record } from '../observe/record';
import { backend } from './backend';
import { follow } from './sse';

/** An address in any version: the part in the middle was "namespace", and is "stream" now. */
function channel(address: LiveChannelAddress): string {
  const { scope, path, stream, namespace } = address as LiveChannelAddress & { stream?: string; namespace?: string };
  return `${scope}/${stream ?? namespace}/${path}`;
}

/** The channels that are followed, each over a connection of its own; one more is for the server's messages, and one for calls. */
const open = new Set<AbortController>();
const maxChannels = 4;

const reconnectAfter = 1000; // ms

function getStream<T>(address: LiveChannelAddress): Observable<LiveChannelEvent<T>> {
  return new Observable((subscriber) => {
    const abort = new AbortController();
    const id = channel(address);
    const status = (state: LiveChannelConnectionState, error?: unknown) =>
      subscriber.next({ type: LiveChannelEventType.Status, id, timestamp: Date.now(), state, error });
    open.add(abort);
    const run = async () => {
      if (open.size > maxChannels) {
        throw new Error(`the preview follows ${maxChannels} channels at once, as a browser opens six connections to one address`);
      }
      const { data } = address as { data?: unknown };
      const query = new URLSearchParams({ channel: id, ...(data !== undefined && { data: JSON.stringify(data) }) });
      // The host ends each connection after some minutes. Like an EventSource, the preview then connects again.
      for (; !abort.signal.aborted; await new Promise((done) => setTimeout(done, reconnectAfter))) {
        status(LiveChannelConnectionState.Connecting);
        for await (const { event, data } of follow(`/api/live/events?${query.toString()}`, abort.signal)) {
          if (event === 'ended') {
            throw new Error((JSON.parse(data) as { message: string }).message);
          }
          subscriber.next({ type: LiveChannelEventType.Message, message: JSON.parse(data) as T });
        }
      }
    };
    run().catch((e: unknown) => {
      if (!abort.signal.aborted) {
        record.note(`stream ${id}: ${describe(e)}`);
        status(LiveChannelConnectionState.Disconnected, describe(e));
        subscriber.complete();
      }
    });
    return () => {
      open.delete(abort);
      abort.abort();
    };
  });
}

function getDataStream(options: LiveDataStreamOptions): Observable<DataQueryResponse> {
  const key = options.key ?? channel(options.addr);
  const frame = StreamingDataFrame.empty(options.buffer);
  const answer = (state: LoadingState, error?: string): DataQueryResponse => {
    const names = options.filter?.fields;
    const fields = names?.length ? frame.fields.filter((f) => names.includes(f.name)) : frame.fields;
    const data = frame.fields.length ? [{ ...frame, fields, length: frame.length }] : [];
    return { key, state, data, error: error ? { message: error } : undefined };
  };
  return new Observable((subscriber) => {
    if (options.frame) {
      frame.push(options.frame);
      subscriber.next(answer(LoadingState.Streaming));
    }
    return getStream<DataFrameJSON>(options.addr).subscribe({
      next: (event) => {
        if (isLiveChannelMessageEvent(event)) {
          frame.push(event.message);
          subscriber.next(answer(LoadingState.Streaming));
        } else if ('error' in event && event.error) {
          subscriber.next(answer(LoadingState.Error, String(event.error)));
        }
      },
      complete: () => subscriber.complete(),
    });
  });
}

export const live: GrafanaLiveSrv = {
  getConnectionState: () => of(true),
  getStream,
  getDataStream,
  getPresence: () => Promise.reject(new Error('the host does not count the listeners of a channel')),
  publish: (address, data) => backend.post('/api/live/publish', { channel: channel(address), data }),
};
