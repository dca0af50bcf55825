/** What the second act creates on the management cluster: a database with everything that its mapping reads. */
import { kymaInstanceMapping } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import {
  serviceBinding,
  serviceBindings,
} from '../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import {
  serviceInstance,
  serviceInstances,
} from '../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { configMaps, namespaces, secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import { configMapManifest, namespaceManifest, secretManifest } from '../../../test/environment/manifests.ts';
import type { Objects } from '../../../test/environment/objects.ts';

const namespace = 'billing';
const offering = 'hana-cloud';

export const database = serviceInstance({
  name: 'billing-db',
  namespace,
  spec: { serviceOfferingName: offering, servicePlanName: 'hana' },
});

/** Gives access to HANA Cloud's administration API. */
export const access = serviceInstance({
  name: 'hana-admin',
  namespace,
  spec: { serviceOfferingName: offering, servicePlanName: 'admin-api-access' },
});

export const accessBinding = serviceBinding({
  name: 'hana-admin',
  namespace,
  spec: {
    serviceInstanceName: access.metadata.name,
    secretName: 'hana-admin-credentials',
    credentialsRotationPolicy: { enabled: true, rotationFrequency: '72h', rotatedBindingTTL: '5s' },
  },
});

export const accessSecret = { namespace, name: 'hana-admin-credentials' };

/** Reads its objects from the management cluster. */
export const billing = kymaInstanceMapping({
  name: 'billing',
  spec: {
    forProvider: {
      serviceInstanceRef: { namespace, name: database.metadata.name },
      adminBindingRef: { namespace, name: accessBinding.metadata.name },
    },
  },
});

export const managementClusterID = 'c-2b81e4';
const releaseNamespace = 'kyma-system';

/** Settings of the module btp. */
export const btpEnvironment = {
  CLUSTER_ID: managementClusterID,
  RELEASE_NAMESPACE: releaseNamespace,
  ENABLE_WEBHOOKS: 'false',
  POLL_INTERVAL: '1s',
} as const;

/** The installation of the module btp: credentials for Service Manager, and the cluster ID where mappings read it. */
export async function installBtp(
  management: Objects,
  credentials: Readonly<Record<string, string>>,
): Promise<void> {
  await management.apply(namespaces, namespaceManifest(releaseNamespace));
  await management.apply(namespaces, namespaceManifest(namespace));
  const place = (name: string) => ({ namespace: releaseNamespace, name });
  await management.apply(secrets, secretManifest(place('sap-btp-service-operator'), credentials));
  const data = { CLUSTER_ID: managementClusterID };
  await management.apply(configMaps, configMapManifest(place('sap-btp-operator-config'), data));
}

export async function createAccess(management: Objects): Promise<void> {
  await management.apply(serviceInstances, database);
  await management.apply(serviceInstances, access);
  await management.apply(serviceBindings, accessBinding);
}
