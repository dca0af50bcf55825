/** What the demo creates: on the Kyma cluster what others own there, on management a kubeconfig and the mappings. */
import {
  type KymaInstanceMapping,
  type KymaInstanceMappingParameters,
  kymaInstanceMapping,
} from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { configMaps, namespaces, secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import { configMapManifest, namespaceManifest, secretManifest } from '../../../test/environment/manifests.ts';
import type { Objects } from '../../../test/environment/objects.ts';
import { provisionBinding, provisionInstance } from '../../../test/environment/provision.ts';
import { grantRights, sourceRules } from '../../../test/environment/rights.ts';
import type { CredentialForms } from '../../../test/simulators/hana-cloud/oauth/credentials.ts';
import type { ControlPlaneAccess } from '../../control-planes/access/access.ts';

export interface Database {
  readonly instanceID: string;
  readonly namespace: string;
  /** Of the ServiceInstance. */
  readonly name: string;
  /** Of the ServiceBinding and its Secret. */
  readonly binding: string;
  readonly credentials: keyof CredentialForms;
}

/** One binding authenticates with a client secret, the other with a certificate. */
export const orders: Database = {
  instanceID: 'i-orders',
  namespace: 'shop',
  name: 'orders-db',
  binding: 'orders-db-admin',
  credentials: 'fields',
};
export const warehouse: Database = {
  instanceID: 'i-warehouse',
  namespace: 'analytics',
  name: 'warehouse-db',
  binding: 'warehouse-db-admin',
  credentials: 'x509',
};

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

export async function putBinding(kyma: Objects, database: Database, forms: CredentialForms): Promise<void> {
  const { namespace, binding } = database;
  await kyma.apply(namespaces, namespaceManifest(namespace));
  await provisionBinding(kyma, { namespace, name: binding });
  await putCredentials(kyma, database, forms);
}

export async function putCredentials(
  kyma: Objects,
  { namespace, binding, credentials }: Database,
  forms: CredentialForms,
): Promise<void> {
  await kyma.apply(secrets, secretManifest({ namespace, name: binding }, forms[credentials]));
}

/** The Secret on the management cluster that leads to the Kyma cluster. */
const kubeconfigSecret = { namespace: 'crossplane-system', name: 'kyma' } as const;
const USER = 'provider-kyma';

/** A user of the Kyma cluster with the rights that docs/configuration.md names, and its kubeconfig on management. */
export async function grantAccess(
  plane: ControlPlaneAccess,
  { kyma, management }: { readonly kyma: Objects; readonly management: Objects },
): Promise<void> {
  const rules = sourceRules(['get', 'list', 'watch']);
  await grantRights(kyma, { name: USER }, { rules, subject: { kind: 'User', name: USER } });
  await management.apply(namespaces, namespaceManifest(kubeconfigSecret.namespace));
  const kubeconfig = await plane.addUser({ name: USER });
  await management.apply(secrets, secretManifest(kubeconfigSecret, { kubeconfig }));
}

/** The resources of the demo. All read their sources from the Kyma cluster. */
export const mappings = {
  /** Maps to the namespace of its ServiceInstance. */
  orders: mappingOf('orders', orders),
  /** The same database for a second namespace. */
  checkout: mappingOf('checkout', orders, { targetNamespace: 'checkout' }),
  /** The default of the cluster. */
  warehouse: mappingOf('warehouse', warehouse, { isDefault: true }),
} as const;

export type MappingName = keyof typeof mappings;

function mappingOf(
  name: string,
  { namespace, name: instance, binding }: Database,
  more: Partial<KymaInstanceMappingParameters> = {},
): KymaInstanceMapping {
  const forProvider = {
    kymaConnectionRef: { secretRef: kubeconfigSecret },
    serviceInstanceRef: { namespace, name: instance },
    adminBindingRef: { namespace, name: binding },
    ...more,
  };
  return kymaInstanceMapping({ name, spec: { forProvider } });
}
