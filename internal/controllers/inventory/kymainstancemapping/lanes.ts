import type { KymaInstanceMapping } from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import type { HanaHosts } from '../mapping/hana-hosts.ts';
import { clusterRefOf } from './kyma-cluster.ts';

/** Where the resource's credentials lie: its binding, on its cluster. */
export function credentialsPlace(resource: KymaInstanceMapping): string {
  const { name, namespace } = resource.spec.forProvider.adminBindingRef;
  return JSON.stringify([clusterRefOf(resource) ?? null, namespace, name]);
}

/** What a pass depends on: the remote cluster, if its sources lie on one, and the HANA Cloud host. */
export function lanesOf(resource: KymaInstanceMapping, hosts: HanaHosts): string[] {
  const ref = clusterRefOf(resource);
  const cluster = ref === undefined ? [] : [`cluster ${JSON.stringify(ref)}`];
  return [...cluster, hosts.laneOf(credentialsPlace(resource))];
}
