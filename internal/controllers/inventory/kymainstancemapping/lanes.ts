import type { HanaHosts } from '../mapping/hana-hosts.ts';
import type { KymaInstanceMapping } from './resource.ts';
import { clusterRefOf, namedSources } from './source-refs.ts';

/** Where the resource's credentials lie: its binding, on its cluster. */
export function credentialsPlace(resource: KymaInstanceMapping): string {
  const { name, namespace } = namedSources(resource).adminBindingRef;
  return JSON.stringify([clusterRefOf(resource) ?? null, namespace, name]);
}

/** What a pass depends on: the remote cluster, if its sources lie on one, and the HANA Cloud host. */
export function lanesOf(resource: KymaInstanceMapping, hosts: HanaHosts): string[] {
  const ref = clusterRefOf(resource);
  const cluster = ref === undefined ? [] : [`cluster ${JSON.stringify(ref)}`];
  return [...cluster, hosts.laneOf(credentialsPlace(resource))];
}
