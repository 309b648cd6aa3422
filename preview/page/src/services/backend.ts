// The service for HTTP calls, on the host's API.
import { AppEvents } from '@grafana/data';
import type { BackendSrv, BackendSrvRequest, FetchError, FetchResponse } from '@grafana/runtime';
import { defer, from, lastValueFrom, type Observable } from 'rxjs';
import { finalize, mergeMap } from 'rxjs/operators';
import { fault } from '../observe/faults';
import { refusal } from '../observe/network';
import { appEvents } from './events';

function address(request: BackendSrvRequest): URL {
  const url = new URL(request.url, location.origin + '/');
  for (const [key, value] of Object.entries(request.params ?? {})) {
    for (const one of [value].flat().filter((v) => v !== undefined && v !== null)) {
      url.searchParams.append(key, String(one));
    }
  }
  return url;
}

function isRaw(body: unknown): body is BodyInit {
  return typeof body === 'string' || [FormData, Blob, ArrayBuffer, URLSearchParams].some((kind) => body instanceof kind);
}

function init({ method = 'GET', data, ...given }: BackendSrvRequest, signal: AbortSignal): RequestInit {
  const headers = new Headers(given.headers);
  const isJSON = data !== undefined && data !== null && !isRaw(data);
  if (isJSON && !headers.has('Content-Type')) {
    headers.set('Content-Type', 'application/json');
  }
  return { method, headers, signal, body: isJSON ? JSON.stringify(data) : (data as BodyInit | null | undefined) };
}

async function bodyOf(answer: Response, type: BackendSrvRequest['responseType']): Promise<unknown> {
  switch (type) {
    case 'blob':
      return answer.blob();
    case 'arraybuffer':
      return answer.arrayBuffer();
    case 'text':
      return answer.text();
  }
  const text = await answer.text();
  try {
    return text === '' ? {} : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}

class Backend implements BackendSrv {
  private readonly running = new Map<string, AbortController>();

  fetch<T>(request: BackendSrvRequest): Observable<FetchResponse<T>> {
    return defer(() => {
      const abort = new AbortController();
      request.abortSignal?.addEventListener('abort', () => abort.abort());
      if (request.requestId) {
        this.resolveCancelerIfExists(request.requestId);
        this.running.set(request.requestId, abort);
      }
      return from(this.send<T>(request, abort.signal)).pipe(finalize(() => abort.abort()));
    });
  }

  chunked(request: BackendSrvRequest): Observable<FetchResponse<Uint8Array | undefined>> {
    return this.fetch<ArrayBuffer>({ ...request, responseType: 'arraybuffer' }).pipe(
      mergeMap(async (r) => ({ ...r, data: new Uint8Array(r.data) })),
    );
  }

  private async send<T>(request: BackendSrvRequest, signal: AbortSignal): Promise<FetchResponse<T>> {
    let answer: Response;
    try {
      answer = await fetch(address(request), init(request, signal));
    } catch (e) {
      const cancelled = signal.aborted;
      const [status, statusText] = cancelled ? [-1, 'Request was aborted'] : [0, ''];
      const data = { message: (e as Error).message };
      throw { status, statusText, data, config: request, cancelled, isHandled: cancelled } satisfies FetchError;
    }
    const data = (await bodyOf(answer, request.responseType)) as T;
    if (answer.headers.get(refusal) === 'token') {
      fault('load', new Error((data as { message?: string }).message));
    }
    if (!answer.ok) {
      throw this.failed(request, answer, data);
    }
    if (request.showSuccessAlert) {
      appEvents.emit(AppEvents.alertSuccess, [(data as { message?: string }).message ?? 'Done']);
    }
    const { status, statusText, ok, headers, redirected, type } = answer;
    return { data, status, statusText, ok, headers, redirected, type, url: answer.url, config: request };
  }

  private failed(request: BackendSrvRequest, answer: Response, data: unknown): FetchError {
    const given = (typeof data === 'object' && data ? data : { message: String(data) }) as { message?: string };
    const message = given.message ?? answer.statusText;
    const silent = request.showErrorAlert === false || (request.showErrorAlert === undefined && request.method === 'GET');
    if (!silent) {
      appEvents.emit(AppEvents.alertError, [message]);
    }
    const { status, statusText, headers } = answer;
    return { status, statusText, data: given, message, config: request, isHandled: headers.has(refusal) };
  }

  async request<T = unknown>(options: BackendSrvRequest): Promise<T> {
    return (await this.datasourceRequest<T>(options)).data;
  }
  datasourceRequest<T = unknown>(options: BackendSrvRequest): Promise<FetchResponse<T>> {
    return lastValueFrom(this.fetch<T>(options));
  }
  get<T>(url: string, params?: BackendSrvRequest['params'], requestId?: string, options?: Partial<BackendSrvRequest>): Promise<T> {
    return this.request<T>({ ...options, method: 'GET', url, params, requestId });
  }
  delete<T>(url: string, data?: unknown, options?: Partial<BackendSrvRequest>): Promise<T> {
    return this.request<T>({ ...options, method: 'DELETE', url, data });
  }
  post<T>(url: string, data?: unknown, options?: Partial<BackendSrvRequest>): Promise<T> {
    return this.request<T>({ ...options, method: 'POST', url, data });
  }
  put<T>(url: string, data?: unknown, options?: Partial<BackendSrvRequest>): Promise<T> {
    return this.request<T>({ ...options, method: 'PUT', url, data });
  }
  patch<T>(url: string, data?: unknown, options?: Partial<BackendSrvRequest>): Promise<T> {
    return this.request<T>({ ...options, method: 'PATCH', url, data });
  }

  // What follows is not in the published interface, and plugins use it all the same.
  resolveCancelerIfExists(requestId: string): void {
    this.running.get(requestId)?.abort();
    this.running.delete(requestId);
  }
  search(query: BackendSrvRequest['params']): Promise<unknown> {
    return this.get('/api/search', query);
  }
}

export const backend = new Backend();
