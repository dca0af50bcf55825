import { channel } from 'node:diagnostics_channel';
import type { HttpRequest, Target } from './send-request.ts';

/** A request that is about to be sent. */
export interface ObservedRequest
  extends Pick<HttpRequest<Target>, 'method' | 'url' | 'headers' | 'body' | 'fence'> {}

/** A channel of `node:diagnostics_channel` on which each request is published if it has subscribers, as in tests. */
export const observedRequests = channel('provider-kyma.request');
