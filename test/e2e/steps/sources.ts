import { renderKubeconfig } from '../../../hack/control-planes/access/kubeconfig.ts';
import { configMaps, namespaces, secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import { installBtpKinds } from '../../environment/btp-kinds.ts';
import { configMapManifest, namespaceManifest, secretManifest } from '../../environment/manifests.ts';
import { provisionBinding, provisionInstance } from '../../environment/provision.ts';
import { createServiceAccount, grantRights, sourceRules } from '../../environment/rights.ts';
import type { CredentialForms } from '../../simulators/hana-cloud/oauth/credentials.ts';
import type { E2eContext } from '../e2e-context.ts';

/**
 * Objects of other owners on the Kyma cluster, with the names that examples/composition uses. The simulator has the
 * instance from its start.
 */
export const source = {
  instanceID: 'i-e2e',
  clusterID: 'c-e2e',
  namespace: 'databases',
  instance: 'orders',
  binding: 'hana-admin',
  config: { namespace: 'kyma-system', name: 'sap-btp-operator-config' },
  /** The Secret that leads to the Kyma cluster, in each namespace whose mappings use it. */
  kubeconfig: 'kyma-production',
} as const;

const account = { namespace: 'kube-system', name: 'provider-kyma-reader' } as const;

/** The kinds of the SAP BTP service operator, and a service account that may read what the provider reads. */
export async function prepareKyma({ kyma }: E2eContext): Promise<void> {
  await installBtpKinds(kyma);
  const { objects } = kyma;
  for (const name of [source.namespace, source.config.namespace]) {
    await objects.apply(namespaces, namespaceManifest(name));
  }
  const rules = sourceRules(['get', 'watch']);
  const subject = { kind: 'ServiceAccount', ...account } as const;
  await grantRights(objects, { name: account.name }, { rules, subject });
}

/** The Secret with a kubeconfig of that service account, in a namespace of the management cluster. */
export async function putKubeconfig(context: E2eContext, namespace: string): Promise<void> {
  const { objects } = context.management;
  await objects.apply(namespaces, namespaceManifest(namespace));
  const data = { kubeconfig: await kymaKubeconfig(context) };
  await objects.apply(secrets, secretManifest({ namespace, name: source.kubeconfig }, data));
}

async function kymaKubeconfig({ kyma, kymaAddress }: E2eContext): Promise<string> {
  const { token } = await createServiceAccount(kyma, account);
  const { server, ca: authority } = kymaAddress;
  return renderKubeconfig({ cluster: 'kyma', server, authority, user: 'kyma', client: { token } });
}

/** The four sources appear, as the operator would leave them. */
export async function putSources({ kyma, simulator }: E2eContext): Promise<void> {
  const { namespace, instance, binding, instanceID } = source;
  const { objects } = kyma;
  await provisionInstance(objects, { namespace, name: instance }, instanceID);
  const bindingKey = { namespace, name: binding };
  await provisionBinding(objects, bindingKey);
  const { fields } = (await simulator(`/instances/${instanceID}/credentials`)) as CredentialForms;
  await objects.apply(secrets, secretManifest(bindingKey, fields));
  await objects.apply(configMaps, configMapManifest(source.config, { CLUSTER_ID: source.clusterID }));
}
