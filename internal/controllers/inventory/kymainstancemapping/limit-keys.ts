import type { LimitKeyOption } from '../../../base/concurrency/limit-key.ts';
import type { HanaHosts } from '../mapping/hana-hosts.ts';
import type { KymaInstanceMapping } from './resource.ts';
import { clusterRefOf, namedSources } from './source-refs.ts';

/** Where the resource's credentials lie: its binding, on its cluster. */
export function credentialsPlace(resource: KymaInstanceMapping): string {
  const { name, namespace } = namedSources(resource).adminBindingRef;
  return JSON.stringify([clusterRefOf(resource) ?? null, namespace, name]);
}

/** What a reconcile depends on: the remote cluster, if its input objects lie on one, and the hosts of HANA Cloud. */
export function limitKeysOf(resource: KymaInstanceMapping, hosts: HanaHosts): LimitKeyOption[] {
  const ref = clusterRefOf(resource);
  const cluster = ref === undefined ? [] : [{ name: `cluster ${JSON.stringify(ref)}` }];
  return [...cluster, ...hosts.limitKeysOf(credentialsPlace(resource))];
}
