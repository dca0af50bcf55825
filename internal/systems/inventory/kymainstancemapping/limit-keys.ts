import type { LimitKeyOption } from '../../../framework/base/index.ts';

import type { KnownHosts } from '../../../framework/http/index.ts';
import { shareOfNamespace } from '../../../framework/managed/index.ts';
import { clusterRefOf, namedInputs } from './inputs/input-refs.ts';
import type { KymaInstanceMapping } from './resource.ts';

/** The location of the credentials, as a key: the cluster and the ServiceBinding. */
export function bindingLocation(resource: KymaInstanceMapping): string {
  const { name, namespace } = namedInputs(resource).adminBindingRef;
  return JSON.stringify([clusterRefOf(resource) ?? null, namespace, name]);
}

/** The limit keys of a reconcile: the share of the namespace, the remote cluster, if there is one, and the hosts of HANA Cloud. */
export function kymaLimitKeysOf(resource: KymaInstanceMapping, hosts: KnownHosts): LimitKeyOption[] {
  const ref = clusterRefOf(resource);
  const cluster = ref === undefined ? [] : [{ name: `cluster ${JSON.stringify(ref)}`, remote: true }];
  return [...shareOfNamespace(resource), ...cluster, ...hosts.limitKeysOf(bindingLocation(resource))];
}
