import { type GardenerSchemas, seeds, shoots } from '../../../apis/gardener/kinds.ts';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import type { ResourceType } from '../../../internal/framework/kube/object/resource-type.ts';

/** Secrets of Gardener that its users cannot read: the authority that signs clients of a Shoot. */
export const internalSecrets: ResourceType<KubeObject & { data?: Record<string, string> }> = {
  group: 'core.gardener.cloud',
  version: 'v1beta1',
  kind: 'InternalSecret',
  plural: 'internalsecrets',
  namespaced: true,
  hasCrd: false,
};

export const configMaps: ResourceType<KubeObject & { data?: Record<string, string> }> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

const secrets: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
};

const events: ResourceType = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true };

/** What the simulator serves. */
export const GARDENER_KINDS: readonly ResourceType[] = [
  shoots as ResourceType,
  seeds as ResourceType,
  configMaps as ResourceType,
  internalSecrets as ResourceType,
  secrets,
  events,
];

export type LastError = GardenerSchemas['LastError'];
export type OperationType = 'Create' | 'Reconcile' | 'Delete';
export type OperationState = 'Pending' | 'Processing' | 'Succeeded' | 'Error' | 'Failed' | 'Aborted';
