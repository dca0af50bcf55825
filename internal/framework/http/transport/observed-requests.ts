import { channel } from 'node:diagnostics_channel';
import type { Fence } from '../../base/concurrency/fence.ts';

/** A request that is about to be sent. */
export interface ObservedRequest {
  readonly method: string;
  readonly url: Pick<URL, 'origin' | 'pathname' | 'search'>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly fence?: Fence | undefined;
  /** A fake in place of a client that its caller guards: `assertMayWrite` is called before it, and there is no fence. */
  readonly isGuardedByCaller?: true;
}

/** A channel of `node:diagnostics_channel` on which each request is published if it has subscribers, as in tests. */
export const observedRequests = channel('provider-kyma.request');

/** A client certificate is shown to a server. */
export interface ObservedConnection {
  readonly origin: string;
  /** The private key, as PEM. */
  readonly clientKey: string;
}

/** The same for connections, with each request for which one may be opened. */
export const observedConnections = channel('provider-kyma.connection');

export function publishConnection(origin: string, clientKey: string | undefined): void {
  if (clientKey !== undefined && observedConnections.hasSubscribers)
    observedConnections.publish({ origin, clientKey } satisfies ObservedConnection);
}

/** A fake in place of an external API publishes with this each call that writes. */
export function publishFakeWrite(
  call: string,
  guard: Pick<ObservedRequest, 'fence' | 'isGuardedByCaller'>,
): void {
  if (!observedRequests.hasSubscribers) return;
  const url = new URL(`https://external.example/${call}`);
  observedRequests.publish({ method: 'POST', url, headers: {}, ...guard } satisfies ObservedRequest);
}
