/**
 * The kind that the framework is measured with: as large as a real resource, settled, and its external resource is a
 * function call away. Only the framework costs anything.
 */

import { managedFinalizer } from '../../../internal/framework/controller/reconcile/finalizer.ts';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import { apiVersionOf, type ResourceType } from '../../../internal/framework/kube/object/resource-type.ts';
import type {
  ExternalClient,
  Observation,
} from '../../../internal/framework/managed/kind/external-client.ts';
import type { ManagedKind } from '../../../internal/framework/managed/kind/managed-kind.ts';
import { available, setConditions } from '../../../internal/framework/managed/resource/conditions.ts';
import type { Managed } from '../../../internal/framework/managed/resource/managed.ts';

export interface Sample extends Managed {
  spec: Managed['spec'] & { forProvider: { size: number; zone: string; parentRef: { name: string } } };
  status?: Managed['status'] & { atProvider?: { id: string; size: number; endpoint: string } };
}

export const samples: ResourceType<Sample> = {
  group: 'bench.example.org',
  version: 'v1',
  kind: 'Sample',
  plural: 'samples',
  namespaced: false,
};

const fieldsV1 = { 'f:spec': { 'f:forProvider': { 'f:size': {} } } };

/** A settled resource as an API server sends it, with managed fields and other metadata. */
export function settledSample(index: number, resourceVersion: number): Sample & KubeObject {
  const name = `sample-${index}`;
  const at = '2026-01-01T00:00:00Z';
  const condition = (type: string, reason: string) => ({
    type,
    status: 'True' as const,
    reason,
    lastTransitionTime: at,
    observedGeneration: 1,
  });
  return {
    apiVersion: apiVersionOf(samples),
    kind: samples.kind,
    metadata: {
      name,
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      resourceVersion: String(resourceVersion),
      generation: 1,
      creationTimestamp: at,
      labels: { 'app.kubernetes.io/part-of': 'bench', team: `team-${index % 10}` },
      annotations: {
        'crossplane.io/external-name': `id-${index}`,
        'crossplane.io/external-create-pending': at,
        'crossplane.io/external-create-succeeded': at,
      },
      finalizers: [managedFinalizer],
      managedFields: [{ manager: 'bench', operation: 'Apply', fieldsV1 }],
    },
    spec: {
      managementPolicies: ['*'],
      deletionPolicy: 'Delete',
      providerConfigRef: { name: 'default' },
      forProvider: { size: index % 7, zone: 'z1', parentRef: { name: `parent-${index % 100}` } },
    },
    status: {
      observedGeneration: 1,
      conditions: [
        condition('Synced', 'ReconcileSuccess'),
        condition('Ready', 'Available'),
        condition('UpToDate', 'ObserveMatched'),
      ],
      atProvider: found(index % 7, name),
    },
  };
}

const found = (size: number, name: string) => ({ id: name, size, endpoint: `https://${name}.example.org` });

/** The external resource as observed: up to date. */
function observeSample(sample: Sample): Observation {
  const { size } = sample.spec.forProvider;
  sample.status = { ...sample.status, atProvider: found(size, sample.metadata.name) };
  return { state: 'present', upToDate: true };
}

/** @param onObserve called for every Observe */
export function sampleKind(onObserve: () => void): ManagedKind<Sample> {
  const client: ExternalClient<Sample> = {
    observe: async (sample, { clock }) => {
      onObserve();
      const observation = observeSample(sample);
      setConditions(sample, clock, available());
      return observation;
    },
    create: async () => ({}),
    update: async () => ({}),
    delete: async () => ({}),
  };
  return {
    type: samples,
    connector: { connect: async () => client },
    deterministicExternalName: true,
    initializers: [],
  };
}

/**
 * The minimum of a reconciler as a loop: copy the object, observe the external resource, compare the status with the
 * stored one. Returns how many differed.
 */
export function reconcileByHand(objects: readonly Sample[]): number {
  let differing = 0;
  for (const object of objects) {
    const copy = structuredClone(object);
    const observation = observeSample(copy);
    if (observation.state !== 'present' || JSON.stringify(copy.status) !== JSON.stringify(object.status))
      differing++;
  }
  return differing;
}
