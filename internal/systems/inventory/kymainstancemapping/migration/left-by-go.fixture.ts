import {
  type InstanceMapping,
  instanceMapping,
} from '../../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import {
  type KymaInstanceMapping,
  kymaInstanceMappings,
} from '../../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import type { OwnerReference, Secret } from '../../../../framework/kube/object/object.ts';

export interface GoMapping {
  readonly serviceInstanceID: string;
  readonly primaryID: string;
  /** Absent in the Go provider if `targetNamespace` is not set. */
  readonly secondaryID?: string;
  readonly isDefault?: boolean;
}

const finalizers = ['finalizer.managedresource.crossplane.io'];
/** The annotations of crossplane-runtime's managed reconciler. */
const annotationsOf = (name: string) => ({
  'crossplane.io/external-name': name,
  'crossplane.io/external-create-pending': '2024-01-01T00:00:00Z',
  'crossplane.io/external-create-succeeded': '2024-01-01T00:00:01Z',
});
const conditions: NonNullable<NonNullable<KymaInstanceMapping['status']>['conditions']> = [
  { type: 'Ready', status: 'True', reason: 'Available', lastTransitionTime: '2024-01-01T00:00:02Z' },
  { type: 'Synced', status: 'True', reason: 'ReconcileSuccess', lastTransitionTime: '2024-01-01T00:00:02Z' },
];

/** Metadata and status of a KymaInstanceMapping as SAP's Go provider leaves them. */
export function parentLeftByGo(
  name: string,
  mappingId: GoMapping,
  namespace: string,
): {
  metadata: Pick<KymaInstanceMapping['metadata'], 'annotations' | 'finalizers'>;
  status: KymaInstanceMapping['status'];
} {
  const { serviceInstanceID, primaryID, secondaryID } = mappingId;
  return {
    metadata: { annotations: annotationsOf(name), finalizers },
    status: {
      conditions,
      atProvider: {
        kyma: {
          serviceInstanceID,
          clusterID: primaryID,
          serviceInstanceName: 'hana',
          serviceInstanceReady: true,
        },
        hana: {
          mappingId: { serviceInstanceID, primaryID, ...(secondaryID === undefined ? {} : { secondaryID }) },
          ready: true,
        },
        childResources: {
          instanceMappingName: `${name}-mapping`,
          credentialsSecretName: `${name}-admin-creds`,
          credentialsSecretNamespace: namespace,
          instanceMappingReady: true,
          instanceMappingSynced: true,
        },
      },
    },
  };
}

/** The two objects that SAP's Go provider creates for a KymaInstanceMapping. */
export function childrenLeftByGo(
  owner: { readonly name: string; readonly uid: string },
  mapping: GoMapping,
  namespace: string,
): { child: InstanceMapping; secret: Secret } {
  const { apiVersion, kind } = kymaInstanceMappings;
  const { name, uid } = owner;
  const ownerReferences: OwnerReference[] = [
    { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true },
  ];
  const childName = `${name}-mapping`;
  const secretName = `${name}-admin-creds`;
  return {
    child: instanceMapping({
      name: childName,
      annotations: annotationsOf(childName),
      finalizers,
      ownerReferences,
      spec: {
        forProvider: {
          platform: 'kubernetes',
          isDefault: false,
          ...mapping,
          adminCredentialsSecretRef: { name: secretName, namespace, key: 'credentials' },
        },
      },
      status: { conditions, atProvider: { mappingExists: true, lastSyncTime: '2024-01-01T00:00:02Z' } },
    }),
    secret: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: secretName, namespace, ownerReferences },
      data: { credentials: Buffer.from('{}').toString('base64') },
    },
  };
}
