/**
 * The change log: whoever wants to know what a provider did to the other side runs a sidecar that takes one entry for
 * each attempt, over a socket that both share. The protocol is Crossplane's, so that its sidecar and those of others
 * fit. Rule: managed-framework §7.3.
 */
import type { Clock } from '../../base/clock.ts';
import { withDeadline } from '../../base/deadline.ts';
import { wrap } from '../../base/errors.ts';
import type { ChangeEntry } from './change-entry.ts';
import { encodeSendChangeLogRequest } from './encode-change-entry.ts';
import { createUnixGrpcClient } from './unix-grpc-client.ts';

export interface ChangeLog {
  /**
   * Sends one entry; a sidecar that is not there yet is waited for, for 10 s.
   *
   * @throws `cannot send change log entry: …`
   */
  send(entry: Omit<ChangeEntry, 'provider'>, signal: AbortSignal): Promise<void>;
  close(): void;
}

export interface ChangeLogOptions {
  /** Name and version: `provider-kyma:v1.2.3`. */
  readonly provider: string;
  /** Where the sidecar listens. */
  readonly socketPath: string;
  readonly clock: Clock;
}

const METHOD = '/changelogs.proto.v1alpha1.ChangeLogService/SendChangeLog';

/** For one entry, waiting for the sidecar included. */
const SEND_TIMEOUT_MS = 10_000;

export function createChangeLog({ provider, socketPath, clock }: ChangeLogOptions): ChangeLog {
  const client = createUnixGrpcClient({ socketPath, clock });
  return {
    send: async (entry, signal) => {
      using deadline = withDeadline(clock, SEND_TIMEOUT_MS, `the change log at ${socketPath}`, signal);
      try {
        await client.send(METHOD, encodeSendChangeLogRequest({ ...entry, provider }), deadline.signal);
      } catch (error) {
        throw wrap(error, 'cannot send change log entry');
      }
    },
    close: client.close,
  };
}
