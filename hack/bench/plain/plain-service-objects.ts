/** The objects that the plain program writes for ServiceInstances and ServiceBindings: as large as those of the provider. */
import type { ServiceBinding } from '../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import type { ServiceInstance } from '../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { now } from './plain-objects.ts';

export type PlainService = ServiceInstance | ServiceBinding;

export const FINALIZER = 'services.cloud.sap.com/sap-btp-finalizer';

export const withFinalizer = <T extends PlainService>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, finalizers: [FINALIZER] },
});

export const withoutFinalizer = <T extends PlainService>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, finalizers: [] },
});

/** The object with conditions and these fields of its status. */
export function readyService<T extends PlainService>(object: T, status: object): T {
  const { generation: observedGeneration = 1 } = object.metadata;
  const common = { status: 'True' as const, lastTransitionTime: now(), observedGeneration };
  const message = `${object.kind} provisioned successfully`;
  const conditions = [
    { type: 'Succeeded', reason: 'Created', message, ...common },
    { type: 'Ready', reason: 'Provisioned', message, ...common },
  ];
  return { ...object, status: { conditions, ready: 'True', observedGeneration, ...status } };
}

/** @param credentials of Service Manager, each an entry */
export function boundSecret(
  { apiVersion, kind, metadata: { name, namespace, uid = '' } }: ServiceBinding,
  credentials: Readonly<Record<string, unknown>>,
) {
  const entries = Object.entries(credentials).map(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [key, Buffer.from(text).toString('base64')];
  });
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace,
      labels: { 'services.cloud.sap.com/managed-by-sap-btp-operator': 'true' },
      annotations: { binding: name },
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }],
    },
    type: 'Opaque',
    data: Object.fromEntries(entries),
  };
}
