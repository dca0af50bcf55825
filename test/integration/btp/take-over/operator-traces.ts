/** What SAP's operator leaves besides ServiceInstances and ServiceBindings. */
import { expect } from '@jest/globals';
import type { Lease } from '../../../../internal/framework/kube/object/object.ts';
import { leases, secrets } from '../../../../internal/framework/kube/object/resource-type.ts';
import { secretManifest } from '../../../environment/manifests.ts';
import type { BtpEnvironment } from '../btp-environment.ts';

const LEASE = 'aa689ecc.cloud.sap.com';
const CLUSTER_ID = 'sap-btp-operator-clusterid';

export interface OperatorTraces {
  /** The Secret with the cluster ID is as it was, and this program has acquired the Lease that had expired. */
  expectUsed(): Promise<void>;
}

/** SAP's operator does not release its Lease, and its label `cluster-secret` is missing on the Secret. */
export async function leaveTraces({ objects, releaseNamespace }: BtpEnvironment): Promise<OperatorTraces> {
  const at = (name: string) => ({ namespace: releaseNamespace, name });
  const secret = secretManifest(at(CLUSTER_ID), { INITIAL_CLUSTER_ID: 'cluster-1' });
  const labels = { 'services.cloud.sap.com/managed-by-sap-btp-operator': 'true' };
  const before = await objects.apply(secrets, { ...secret, metadata: { ...secret.metadata, labels } });
  const time = new Date(Date.now() - 60_000).toISOString().replace('Z', '000Z');
  await objects.apply<Lease>(leases, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: at(LEASE),
    spec: {
      holderIdentity: 'sap-btp-operator-controller-manager-5c7f_0d4b',
      leaseDurationSeconds: 15,
      acquireTime: time,
      renewTime: time,
      leaseTransitions: 1,
    },
  });
  return {
    expectUsed: async () => {
      expect(await objects.get(secrets, at(CLUSTER_ID))).toEqual(before);
      const lease = await objects.get<Lease>(leases, at(LEASE));
      expect(lease.spec?.leaseTransitions).toBeGreaterThan(1);
    },
  };
}
