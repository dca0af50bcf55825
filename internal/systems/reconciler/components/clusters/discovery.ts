import { inParallel } from '../../../../framework/base/concurrency/in-parallel.ts';
import { ProviderError } from '../../../../framework/base/errors/errors.ts';
import { parseBoundedJson } from '../../../../framework/base/json/bounded-json.ts';
import type { RequestSender } from '../../../../framework/kube/client/request-sender.ts';
import { sentence } from '../../../../framework/kube/errors/errors.ts';
import { parseAggregated, parseGroups, parseResources, type ServedKind } from './parse-discovery.ts';

export interface DiscoveryOptions {
  readonly sender: RequestSender;
  /** Of a response, in bytes. */
  readonly maxBytes: number;
}

/** The aggregated form of Kubernetes 1.30 and later, that of 1.26, and the list of groups that all others send. */
const ACCEPT = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');
/** Requests at a time for groups, if the server has no aggregated discovery. */
const WIDTH = 4;
const JSON_LIMITS = { maxDepth: 16, maxValues: 200_000 };

/** All kinds that the cluster serves: two requests where discovery is aggregated, else one for each group and version. */
export async function discoverKinds(
  options: DiscoveryOptions,
  signal: AbortSignal,
): Promise<readonly ServedKind[]> {
  const [core, groups] = await Promise.all([
    read(options, '/api', ACCEPT, signal),
    read(options, '/apis', ACCEPT, signal),
  ]);
  const [ofCore, ofGroups] = [parseAggregated(core), parseAggregated(groups)];
  const versions = [
    ...(ofCore === undefined ? [{ group: '', version: 'v1' }] : []),
    ...(ofGroups === undefined ? parseGroups(groups) : []),
  ];
  const found = new Map<number, readonly ServedKind[]>();
  await inParallel(versions.entries(), WIDTH, async ([index, { group, version }]) => {
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    try {
      const document = await read(options, path, 'application/json', signal);
      found.set(index, parseResources(document, group, version));
    } catch (error) {
      // An aggregated API server that is down: its kinds are unknown, all others are not.
      signal.throwIfAborted();
      if (group === '') throw error;
    }
  });
  return [...(ofCore ?? []), ...(ofGroups ?? []), ...versions.flatMap((_, index) => found.get(index) ?? [])];
}

async function read(
  { sender, maxBytes }: DiscoveryOptions,
  path: string,
  accept: string,
  signal: AbortSignal,
): Promise<unknown> {
  const call = { verb: 'discover', object: `kinds of ${path}` };
  const text = await sender.call({ ...call, method: 'GET', path, accept, maxBytes, signal });
  try {
    return parseBoundedJson(text, { ...JSON_LIMITS, maxLength: text.length });
  } catch {
    throw new ProviderError('transient', `${sentence(sender.attempt(call))}: the response is not valid JSON`);
  }
}
