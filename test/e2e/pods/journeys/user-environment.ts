/** What a user of these pages has besides the clone, and the test makes. */
import { join } from 'node:path';
import { stringify } from 'yaml';
import { createAuthority } from '../../../../hack/control-planes/access/authority.ts';
import { configMaps, namespaces, secrets } from '../../../../internal/framework/kube/object/resource-type.ts';
import { configMapManifest, namespaceManifest, secretManifest } from '../../../environment/manifests.ts';
import { provisionBinding, provisionInstance } from '../../../environment/provision.ts';
import { tool } from '../../../environment/tool.ts';
import type { CredentialForms } from '../../../simulators/hana-cloud/oauth/credentials.ts';
import { source } from '../../steps/sources.ts';
import { authorities } from '../chain/module-btp.ts';
import { podsContext } from '../pods-context.ts';
import { type PodsOptions, ROOT } from '../pods-options.ts';
import { type PodChanges, providerRuntimeConfig, trustManifest } from '../provider-manifests.ts';
import type { Clone } from './clone.ts';

const kubectl = (...args: string[]) => tool('kubectl', args);

/** PEM of all simulators: their authorities are not those of SAP. */
export async function allAuthorities(options: PodsOptions): Promise<string> {
  const { simulator } = await podsContext(options);
  const { pem } = (await simulator('/ca')) as { pem: string };
  return `${pem}\n${await authorities(options)}`;
}

/** The pod trusts the simulators, at private addresses: the user edits examples/provider/runtime-config.yaml. */
export async function editRuntimeConfig(
  options: PodsOptions,
  clone: Clone,
  changes: PodChanges = {},
): Promise<void> {
  const { management } = await podsContext(options);
  await management.objects.apply(configMaps, trustManifest(await allAuthorities(options)));
  const config = await providerRuntimeConfig(changes);
  await clone.edit('examples/provider/runtime-config.yaml', () => stringify(config));
}

/** A database of HANA Cloud with its binding, as the operator leaves them, in namespace shop. */
export async function putDatabase(options: PodsOptions, instance: string, binding: string): Promise<void> {
  const { management, simulator } = await podsContext(options);
  const { objects } = management;
  for (const name of ['shop', source.config.namespace])
    await objects.apply(namespaces, namespaceManifest(name));
  await provisionInstance(objects, { namespace: 'shop', name: instance }, source.instanceID);
  await provisionBinding(objects, { namespace: 'shop', name: binding });
  const { fields } = (await simulator(`/instances/${source.instanceID}/credentials`)) as CredentialForms;
  await objects.apply(secrets, secretManifest({ namespace: 'shop', name: binding }, fields));
  await objects.apply(configMaps, configMapManifest(source.config, { CLUSTER_ID: source.clusterID }));
}

/** A certificate for a Service, in base64. */
export async function certificateFor(service: string, namespace: string) {
  const authority = await createAuthority('webhooks');
  const pair = await authority.issueServer([`${service}.${namespace}.svc`]);
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return {
    caBundle: base64(authority.certificate),
    crt: base64(pair.certificate),
    key: base64(pair.key),
  };
}

/** Removes what is left of the steps before: the pages start with a cluster that has Crossplane only. */
export async function cleanCluster(): Promise<void> {
  const all = ['--ignore-not-found', '--timeout=5m'];
  const kinds = ['mutatingwebhookconfiguration', 'validatingwebhookconfiguration'];
  for (const kind of kinds) await kubectl('delete', kind, 'sap-btp-service-operator', ...all);
  for (const kind of ['composition', 'xrd']) await kubectl('delete', kind, '--all', ...all);
  await kubectl('delete', 'deploymentruntimeconfig', 'provider-kyma', ...all);
  const place = '--namespace=crossplane-system';
  await kubectl('delete', 'secret', source.kubeconfig, place, ...all);
  await kubectl('delete', 'lease', 'crossplane-leader-election-provider-kyma', place, ...all);
  for (const name of ['serviceinstances', 'servicebindings']) {
    await kubectl('delete', 'crd', `${name}.services.cloud.sap.com`, ...all);
  }
  for (const name of ['team-shop', 'kyma-system', 'databases', 'shop']) {
    await kubectl('delete', 'namespace', name, ...all);
  }
  const files = ['examples/provider/rbac.yaml', 'examples/composition/hana-database/rbac.yaml'];
  for (const file of files) await kubectl('delete', '--filename', join(ROOT, file), ...all);
}
