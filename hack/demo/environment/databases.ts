import { configMaps, namespaces, secrets } from '../../../internal/kube/object/resource-type.ts';
import { configMapManifest, namespaceManifest, secretManifest } from '../../../test/environment/manifests.ts';
import type { Objects } from '../../../test/environment/objects.ts';
import { provisionBinding, provisionInstance } from '../../../test/environment/provision.ts';
import type { CredentialForms } from '../../../test/simulators/hana-cloud/oauth/credentials.ts';

/*
 * What others own on the Kyma cluster: two databases with their admin bindings, and the cluster's ID. One binding
 * proves itself with a client secret, the other with a certificate.
 */

export interface Database {
  readonly instanceID: string;
  readonly namespace: string;
  /** Of the ServiceInstance. */
  readonly name: string;
  /** Of the ServiceBinding and its Secret. */
  readonly binding: string;
  readonly credentials: keyof CredentialForms;
}

export const databases = {
  orders: {
    instanceID: 'i-orders',
    namespace: 'shop',
    name: 'orders-db',
    binding: 'orders-db-admin',
    credentials: 'fields',
  },
  warehouse: {
    instanceID: 'i-warehouse',
    namespace: 'analytics',
    name: 'warehouse-db',
    binding: 'warehouse-db-admin',
    credentials: 'x509',
  },
} as const satisfies Record<string, Database>;

/** The source that is taken away and brought back. */
export const warehouseKey = { namespace: databases.warehouse.namespace, name: databases.warehouse.name };

export const clusterID = 'c-7f3d9a';
const clusterIdConfigMap = { namespace: 'kyma-system', name: 'sap-btp-operator-config' } as const;

export async function putClusterID(kyma: Objects): Promise<void> {
  await kyma.apply(namespaces, namespaceManifest(clusterIdConfigMap.namespace));
  await kyma.apply(configMaps, configMapManifest(clusterIdConfigMap, { CLUSTER_ID: clusterID }));
}

export async function putInstance(kyma: Objects, { namespace, name, instanceID }: Database): Promise<void> {
  await kyma.apply(namespaces, namespaceManifest(namespace));
  await provisionInstance(kyma, { namespace, name }, instanceID);
}

export async function putBinding(
  kyma: Objects,
  database: Database,
  credentials: CredentialForms,
): Promise<void> {
  await kyma.apply(namespaces, namespaceManifest(database.namespace));
  await provisionBinding(kyma, { namespace: database.namespace, name: database.binding });
  await putCredentials(kyma, database, credentials);
}

export async function putCredentials(
  kyma: Objects,
  { namespace, binding, credentials: form }: Database,
  credentials: CredentialForms,
): Promise<void> {
  await kyma.apply(secrets, secretManifest({ namespace, name: binding }, credentials[form]));
}
