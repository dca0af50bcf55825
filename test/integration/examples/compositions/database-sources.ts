/** The objects on the Kyma cluster, and its Secret, with the names that examples/composition uses. */

import { configMaps, namespaces, secrets } from '../../../../internal/framework/kube/object/resource-type.ts';
import {
  serviceBindings,
  serviceInstances,
} from '../../../../internal/systems/inventory/kymainstancemapping/inputs/inputs.ts';
import { configMapManifest, namespaceManifest, secretManifest } from '../../../environment/manifests.ts';
import { provisionBinding, provisionInstance } from '../../../environment/provision.ts';
import type { TestEnvironment } from '../../harness/test-environment.ts';

const instance = { namespace: 'databases', name: 'orders' };
const binding = { namespace: 'databases', name: 'hana-admin' };
const clusterID = { namespace: 'kyma-system', name: 'sap-btp-operator-config' };

export const INSTANCE_ID = '2f4b7a3e-7c1d-4b52-9c57-5f0f3c1f6d10';

export interface DatabaseSources {
  /** The team's namespace with its kubeconfig. */
  openTo(namespace: string): Promise<void>;
  /** The database, its binding and the cluster's ID appear. */
  give(): Promise<void>;
  take(): Promise<void>;
}

export async function databaseSources({
  planes,
  management,
  kyma,
  simulator,
}: TestEnvironment): Promise<DatabaseSources> {
  simulator.store.addInstance(INSTANCE_ID);
  for (const { namespace } of [instance, clusterID]) {
    await kyma.apply(namespaces, namespaceManifest(namespace));
  }
  return {
    openTo: async (namespace) => {
      await management.apply(namespaces, namespaceManifest(namespace));
      const { kubeconfig } = planes.kyma;
      await management.apply(secrets, secretManifest({ namespace, name: 'kyma-production' }, { kubeconfig }));
    },
    give: async () => {
      const { fields } = await simulator.credentials(INSTANCE_ID);
      await kyma.apply(secrets, secretManifest(binding, fields));
      await kyma.apply(configMaps, configMapManifest(clusterID, { CLUSTER_ID: 'c-1a2b3c4d' }));
      await provisionBinding(kyma, binding);
      await provisionInstance(kyma, instance, INSTANCE_ID);
    },
    take: async () => {
      for (const [type, key] of [
        [serviceInstances, instance],
        [serviceBindings, binding],
        [secrets, binding],
        [configMaps, clusterID],
      ] as const) {
        if ((await kyma.find(type, key)) !== undefined) await kyma.delete(type, key);
      }
    },
  };
}
