import { channel } from 'node:diagnostics_channel';
import type { Fence } from '../../base/concurrency/fence.ts';

/** A request that is about to be sent. */
export interface ObservedRequest {
  readonly method: string;
  readonly url: Pick<URL, 'origin' | 'pathname' | 'search'>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly fence?: Fence | undefined;
}

/** A channel of `node:diagnostics_channel` on which each request is published if it has subscribers, as in tests. */
export const observedRequests = channel('provider-kyma.request');
