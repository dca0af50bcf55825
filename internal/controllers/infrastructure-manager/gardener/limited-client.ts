import { createTokenBucket, takeWhenAvailable } from '../../../base/concurrency/token-bucket.ts';
import type { Deps } from '../../../base/deps.ts';
import { withDeadline } from '../../../base/time/deadline.ts';
import type { KubeClient } from '../../../kube/index.ts';

export interface GardenerLimits {
  /** Of one request, without the wait for its turn, in ms. */
  readonly timeoutMs: number;
  /** Requests per second; 0: no rate. */
  readonly ratePerSecond: number;
  /** Requests at once; 0: as many as a second has. */
  readonly burst: number;
}

/** The client with limits for each request. Watches and discovery have none. */
export function limitRequests(
  client: KubeClient,
  { timeoutMs, ratePerSecond, burst }: GardenerLimits,
  { clock }: Pick<Deps, 'clock'>,
): KubeClient {
  const rate =
    ratePerSecond === 0
      ? undefined
      : createTokenBucket({ clock, ratePerSecond, burst: burst || ratePerSecond });
  const limited = async <T>(
    options: { readonly signal?: AbortSignal } | undefined,
    send: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    if (rate !== undefined) await takeWhenAvailable(rate, { clock, signal: options?.signal });
    using deadline = withDeadline(clock, timeoutMs, 'a request to Gardener', options?.signal);
    return await send(deadline.signal);
  };
  return {
    ...client,
    get: (type, key, call) => limited(call, (signal) => client.get(type, key, { ...call, signal })),
    getMetadata: (type, key, call) =>
      limited(call, (signal) => client.getMetadata(type, key, { ...call, signal })),
    list: (type, page) => limited(page, (signal) => client.list(type, { ...page, signal })),
    listMetadata: (type, page) => limited(page, (signal) => client.listMetadata(type, { ...page, signal })),
    create: (type, object, write) =>
      limited(write, (signal) => client.create(type, object, { ...write, signal })),
    createSubresource: (type, key, subresource, body, call) =>
      limited(call, (signal) => client.createSubresource(type, key, subresource, body, { ...call, signal })),
    update: (type, object, write) =>
      limited(write, (signal) => client.update(type, object, { ...write, signal })),
    updateStatus: (type, object, write) =>
      limited(write, (signal) => client.updateStatus(type, object, { ...write, signal })),
    mergePatch: (type, key, patch, write) =>
      limited(write, (signal) => client.mergePatch(type, key, patch, { ...write, signal })),
    jsonPatch: (type, key, patch, write) =>
      limited(write, (signal) => client.jsonPatch(type, key, patch, { ...write, signal })),
    apply: (type, object, write) =>
      limited(write, (signal) => client.apply(type, object, { ...write, signal })),
    delete: (type, key, call) => limited(call, (signal) => client.delete(type, key, { ...call, signal })),
  };
}
