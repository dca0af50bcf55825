import {
  type KymaInstanceMapping,
  kymaInstanceMapping,
} from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import {
  serviceBindings,
  serviceInstances,
} from '../../../internal/controllers/inventory/kymainstancemapping/inputs/btp-operator-types.ts';
import { collectionPath, objectPath } from '../../../internal/kube/client/resource-path.ts';
import type { KubeObject } from '../../../internal/kube/object/object.ts';
import { configMaps, type ResourceType, secrets } from '../../../internal/kube/object/resource-type.ts';
import {
  configMapManifest,
  type Name,
  provisioned,
  secretManifest,
  serviceBindingManifest,
  serviceInstanceManifest,
} from '../../../test/environment/manifests.ts';
import type { PlainClient } from '../plain/plain-client.ts';
import type { BenchEnvironment } from './environment.ts';

/** Identifies the mappings of one population. */
export const POPULATION_LABEL = 'bench.example.org/population';
/** Identifies the mappings that one provider reconciles. */
export const SHARD_LABEL = 'bench.example.org/shard';

/** A database on the kyma cluster; its ServiceInstance, ServiceBinding and Secret bear one name. */
export interface Source {
  readonly name: Name;
  readonly instanceID: string;
  /** Of the binding's Secret, not encoded. */
  readonly credentials: Readonly<Record<string, string>>;
}

/** A source whose instance HANA Cloud knows. Nothing is created on the cluster. */
export async function sourceOf(
  { simulator }: BenchEnvironment,
  name: Name,
  instanceID: string,
): Promise<Source> {
  simulator.store.addInstance(instanceID);
  const { fields } = await simulator.credentials(instanceID);
  return { name, instanceID, credentials: fields };
}

export const putInstance = (kyma: PlainClient, { name }: Source): Promise<unknown> =>
  put(kyma, serviceInstances, serviceInstanceManifest(name));

export const setInstanceReady = (kyma: PlainClient, { name, instanceID }: Source): Promise<unknown> =>
  kyma.send({
    method: 'PATCH',
    path: objectPath(serviceInstances, name, 'status'),
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { status: { ...provisioned, instanceID } },
  });

export const putBinding = (kyma: PlainClient, { name }: Source): Promise<unknown> =>
  put(kyma, serviceBindings, serviceBindingManifest(name, { spec: { secretName: name.name } }));

export const putSecret = (kyma: PlainClient, { name, credentials }: Source): Promise<unknown> =>
  put(kyma, secrets, secretManifest(name, credentials));

export const putClusterID = (kyma: PlainClient, name: Name, clusterID: string): Promise<unknown> =>
  put(kyma, configMaps, configMapManifest(name, { CLUSTER_ID: clusterID }));

/** Where kubeconfig Secrets lie on management. */
const KUBECONFIGS = 'default';

/** A kubeconfig Secret on management: to the provider, a Kyma cluster. */
export async function putKubeconfig({ management, planes }: BenchEnvironment, name: string): Promise<void> {
  // Each has a certificate of its own, so that no two count as the same cluster; in audit events all are one user.
  const kubeconfig = await planes.kyma.addUser({ name: 'provider', groups: ['system:masters'] });
  await put(management, secrets, secretManifest({ namespace: KUBECONFIGS, name }, { kubeconfig }));
}

/** Mappings with labels of their own. */
export interface Labelled {
  readonly label: string;
  /** The same for populations that one provider reconciles together. */
  readonly shard: string;
}

export interface MappingParts {
  readonly name: string;
  readonly population: Labelled;
  /** The database's name. */
  readonly source: Name;
  /** Of the kubeconfig Secret. */
  readonly kubeconfig: string;
  readonly clusterID: Name;
}

/** A mapping of the database to a namespace of the mapping's own name. */
export function mappingOf(parts: MappingParts): KymaInstanceMapping {
  const { name, population, source, kubeconfig, clusterID } = parts;
  return kymaInstanceMapping({
    name,
    labels: { [POPULATION_LABEL]: population.label, [SHARD_LABEL]: population.shard },
    spec: {
      forProvider: {
        kymaConnectionRef: { secretRef: { namespace: KUBECONFIGS, name: kubeconfig } },
        serviceInstanceRef: source,
        adminBindingRef: source,
        clusterIdConfigMapRef: clusterID,
        targetNamespace: name,
      },
    },
  });
}

/** Creates an object. */
export function put(client: PlainClient, type: ResourceType, object: KubeObject): Promise<unknown> {
  const path = collectionPath(type, object.metadata.namespace);
  return client.send({ method: 'POST', path, body: object });
}
