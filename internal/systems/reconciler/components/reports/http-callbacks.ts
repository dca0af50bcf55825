import {
  cutText,
  type Deps,
  isObject,
  type Logger,
  messageOf,
  parseBoundedJson,
} from '../../../../framework/base/index.ts';
import { createHttpClient } from '../../../../framework/http/client/http-client.ts';
import type { HttpResponse } from '../../../../framework/http/index.ts';
import { openConnections } from '../../../../framework/http/transport/connections.ts';
import type {
  ClientCertificateSource,
  TrustedCertificatesSource,
} from '../../../../framework/process/server/server-tls.ts';
import { isErrorOfMothership } from '../../operations/error-form.ts';
import type { Callback, CallbackMessage, Delivery } from '../model/task.ts';

export interface HttpCallbacksOptions extends Deps {
  /** Whom this process knows the mothership by. Default: by authorities that Node trusts. */
  readonly trustedCertificates?: TrustedCertificatesSource;
  /** What the mothership knows this process by, if it asks for client certificates. */
  readonly identity?: ClientCertificateSource | undefined;
}

/** Calls of the mothership: reports of tasks, and occupancy. */
export interface HttpCallbacks {
  /**
   * Reports by POST to this URL, which is used as it is given: its query has the token of the operation. An empty one logs
   * reports only.
   */
  to(url: string, log: Logger): Callback;
  /** Sends a request, and returns its status. @throws NoResponseError */
  send(method: 'POST' | 'DELETE', url: URL, body: unknown, signal: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

const CALL_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5000;
const KEEP_ALIVE_MS = 30_000;
const MAX_CONNECTIONS = 32;
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Addresses of callback URLs are not checked: tasks come from the mothership only, which may be anywhere. */
export function createHttpCallbacks(options: HttpCallbacksOptions): HttpCallbacks {
  const { trustedCertificates, identity } = options;
  const connections = openConnections({
    allowPrivateEndpoints: true,
    trustedCertificates: [],
    env: {},
    perOrigin: MAX_CONNECTIONS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    keepAliveMs: KEEP_ALIVE_MS,
  });
  const client = createHttpClient({
    ...options,
    system: 'mothership',
    // Workers and their last reports are limited.
    slots: { acquire: async () => () => undefined },
    callTimeoutMs: CALL_TIMEOUT_MS,
    maxResponseBytes: MAX_RESPONSE_BYTES,
  });
  const call = async (method: 'POST' | 'DELETE', url: URL, text: string | undefined, signal: AbortSignal) => {
    const current = await identity?.();
    if (current !== undefined) connections.changeIdentity(current);
    connections.changeTrust((await trustedCertificates?.()) ?? []);
    return client.send(
      {
        route: `${method} ${url.pathname.includes('/occupancy/') ? '/occupancy' : '/callback'}`,
        request: {
          method,
          url,
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          ...(text === undefined ? {} : { body: text }),
        },
        dispatcher: () => connections.dispatcherFor(url),
      },
      signal,
    );
  };
  const report = async (
    url: URL,
    log: Logger,
    message: CallbackMessage,
    signal: AbortSignal,
  ): Promise<Delivery> => {
    try {
      const response = await call('POST', url, messageBody(message), signal);
      const delivery = deliveryOf(response);
      if (delivery !== 'delivered') {
        log.info('a report was not accepted', { status: response.status, reported: message.status });
      }
      return delivery;
    } catch (error) {
      log.info('cannot deliver a report', { reported: message.status, error: messageOf(error) });
      return 'undelivered';
    }
  };

  return {
    to: (url, log) => {
      if (url !== '') {
        const parsed = new URL(url);
        return (message, signal) => report(parsed, log, message, signal);
      }
      return async ({ status, error }) => {
        log.info('status', { status, error });
        return 'delivered';
      };
    },
    send: async (method, url, body, signal) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      return (await call(method, url, text, signal)).status;
    },
    close: () => connections.close(),
  };
}

/** Only 200 counts as delivered. Without an error in the form of a mothership, a response may be one of a proxy on the way. */
function deliveryOf({ status, body }: HttpResponse): Delivery {
  if (status === 200) return 'delivered';
  if (!hasError(body)) return 'undelivered';
  if (status === 404 || status === 409) return 'superseded';
  return status === 400 || status === 403 ? 'refused' : 'undelivered';
}

function hasError(body: string): boolean {
  try {
    const parsed = parseBoundedJson(body, { maxLength: MAX_RESPONSE_BYTES });
    return isObject(parsed) && isErrorOfMothership(parsed);
  } catch {
    return false;
  }
}

/** Limits in characters. With the longest form that a character has in JSON, a body stays below 100,000 bytes. */
const MAX_ERROR = 8000;
const MAX_MANIFEST = 32_000;
/** In bytes, of a manifest as JSON; it is logged only. */
const MAX_MANIFEST_BYTES = 40_000;

/** A message as JSON, within the limits of the mothership: well-formed Unicode without NUL, and not too long. */
export function messageBody({ error, manifest, progress, ...message }: CallbackMessage): string {
  return JSON.stringify({
    ...message,
    error: withoutNul(cutText(error, MAX_ERROR)),
    ...(progress === undefined ? {} : { progress: { ...progress, message: withoutNul(progress.message) } }),
    ...(manifest === undefined ? {} : { manifest: cutToBytes(withoutNul(manifest)) }),
  });
}

const withoutNul = (text: string): string => text.replaceAll('\0', '').toWellFormed();

function cutToBytes(text: string): string {
  for (let limit = MAX_MANIFEST; ; limit = Math.floor(limit / 2)) {
    const cut = cutText(text, limit);
    if (Buffer.byteLength(JSON.stringify(cut)) <= MAX_MANIFEST_BYTES) return cut;
  }
}
