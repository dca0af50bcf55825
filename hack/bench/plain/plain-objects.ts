/** The objects that the plain program writes to the management cluster: as large as those of the provider. */
import type { KymaInstanceMapping } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';

/** What a mapping maps to what. */
export interface Identity {
  readonly instanceID: string;
  readonly clusterID: string;
  readonly namespace: string;
}

/** In the form of the API server. */
export const now = () => new Date().toISOString().replace(/\.\d+/, '');

/** Record of what is about to be done. */
export function withIntent(mapping: KymaInstanceMapping, identity: Identity): KymaInstanceMapping {
  const { metadata } = mapping;
  const externalName = `${identity.instanceID}/${identity.clusterID}/${identity.namespace}`;
  const intent = {
    'crossplane.io/external-name': externalName,
    'crossplane.io/external-create-intent': `${metadata.uid} ${externalName}`,
  };
  return {
    ...mapping,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, ...intent },
      finalizers: ['finalizer.managedresource.crossplane.io'],
    },
  };
}

export function readyStatus({ instanceID, clusterID, namespace }: Identity, observedGeneration: number) {
  const condition = (type: string, reason: string) => ({
    type,
    status: 'True' as const,
    reason,
    lastTransitionTime: now(),
    observedGeneration,
  });
  const mappingId = { serviceInstanceID: instanceID, primaryID: clusterID, secondaryID: namespace };
  return {
    conditions: [condition('Synced', 'ReconcileSuccess'), condition('Ready', 'Available')],
    atProvider: {
      kyma: { serviceInstanceID: instanceID, serviceInstanceReady: true, clusterID },
      hana: { mappingId, ready: true },
    },
  };
}

/** @param reason with a message of usual length */
export function eventOf(
  { apiVersion, kind, metadata: { name, namespace, uid } }: KubeObject,
  reason = 'CreatedExternalResource',
) {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { generateName: `${name}.`, namespace: namespace ?? 'default' },
    involvedObject: { apiVersion, kind, name, namespace, uid },
    type: 'Normal',
    reason,
    message: 'Successfully requested creation of external resource',
    source: { component: 'plain' },
    count: 1,
    firstTimestamp: now(),
    lastTimestamp: now(),
  };
}

/** That the mapping uses the default configuration. */
export function usageOf({ apiVersion, kind, metadata: { name, uid = '' } }: KymaInstanceMapping) {
  return {
    apiVersion: 'hana.sap.crossplane.io/v1alpha1',
    kind: 'ProviderConfigUsage',
    metadata: {
      name: uid,
      labels: { 'crossplane.io/provider-config': 'default' },
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }],
      finalizers: ['finalizer.providerconfigusage.crossplane.io'],
    },
    providerConfigRef: { name: 'default' },
    resourceRef: { apiVersion, kind, name },
  };
}
