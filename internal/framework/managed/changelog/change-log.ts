/**
 * The change log of Crossplane: a sidecar receives an entry for each attempt to change an external resource, over a
 * Unix socket in a shared volume. This file and gRPC are loaded only with `--enable-changelogs`; see
 * docs/decisions/0014 for the cost.
 */

import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import type { Deps } from '../../base/deps.ts';
import { ProviderError, wrap } from '../../base/errors/errors.ts';
import { withDeadline } from '../../base/time/deadline.ts';
import type { ChangeEntry } from './change-entry.ts';
import { encodeSendChangeLogRequest } from './encode-change-entry.ts';

export interface ChangeLog {
  /**
   * Sends one entry; waits up to 10 s for the sidecar.
   *
   * @throws `cannot send change log entry: …`
   */
  send(entry: Omit<ChangeEntry, 'provider'>, signal: AbortSignal): Promise<void>;
  close(): void;
}

export interface ChangeLogOptions extends Pick<Deps, 'clock'> {
  /** Name and version: `provider-kyma:v1.2.3`. */
  readonly provider: string;
  /** Path of the socket of the sidecar. */
  readonly socketPath: string;
}

const METHOD = '/changelogs.proto.v1alpha1.ChangeLogService/SendChangeLog';

/** Deadline of one entry, including the wait for the sidecar. */
const SEND_TIMEOUT_MS = 10_000;

/** The delay between attempts to connect doubles from `initial` to `max`. */
const RECONNECT_MS = { initial: 100, max: 1000 };

export function createChangeLog({ provider, socketPath, clock }: ChangeLogOptions): ChangeLog {
  const client = new Client(`unix:${socketPath}`, credentials.createInsecure(), {
    'grpc.initial_reconnect_backoff_ms': RECONNECT_MS.initial,
    'grpc.max_reconnect_backoff_ms': RECONNECT_MS.max,
    'grpc.enable_channelz': 0,
    'grpc.enable_http_proxy': 0,
    'grpc.service_config_disable_resolution': 1,
  });
  return {
    send: async (entry, signal) => {
      using deadline = withDeadline(clock, SEND_TIMEOUT_MS, `the change log at ${socketPath}`, signal);
      try {
        await call(client, encodeSendChangeLogRequest({ ...entry, provider }), deadline.signal);
      } catch (error) {
        throw wrap(error, 'cannot send change log entry');
      }
    },
    close: () => client.close(),
  };
}

/** Resolves when the server has received the message; its response is empty. */
function call(client: Client, message: Uint8Array, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const metadata = new Metadata({ waitForReady: true });
    const onEnd = (error: ServiceError | null) => {
      signal.removeEventListener('abort', onAbort);
      if (error === null) resolve();
      else reject(signal.aborted ? signal.reason : failed(error));
    };
    const pending = client.makeUnaryRequest(METHOD, encoded, ignored, message, metadata, onEnd);
    const onAbort = () => pending.cancel();
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

const encoded = (message: Uint8Array) => Buffer.from(message);
const ignored = () => undefined;

const failed = ({ code, details }: ServiceError) =>
  new ProviderError('transient', details === '' ? status[code] : `${status[code]}: ${details}`);
