/** In place of cert-manager, which the cluster does not have: its kinds, and what its controllers do with these. */
import { tool } from '../../../environment/tool.ts';
import { applyManifests } from '../apply-manifests.ts';
import { certificateFor } from './user-environment.ts';

const GROUP = 'cert-manager.io';
const INJECT = `${GROUP}/inject-ca-from`;
const kubectl = (...args: string[]) => tool('kubectl', args);

export async function installKinds(): Promise<void> {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const definitions = ['Issuer', 'Certificate'].map((kind) => {
    const plural = `${kind.toLowerCase()}s`;
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${GROUP}` },
      spec: {
        group: GROUP,
        names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: open } }],
      },
    };
  });
  await applyManifests(definitions);
  await kubectl('wait', 'crd', `issuers.${GROUP}`, `certificates.${GROUP}`, '--for=condition=Established');
}

/** Issues what a Certificate asks for, for the Service that its first name has. */
export async function issue(namespace: string, name: string): Promise<void> {
  const text = await kubectl(
    'get',
    `certificates.${GROUP}`,
    name,
    `--namespace=${namespace}`,
    '--output=json',
  );
  const { spec } = JSON.parse(text) as { spec: { dnsNames: readonly string[]; secretName: string } };
  const [service = ''] = (spec.dnsNames[0] ?? '').split('.');
  const { caBundle, crt, key } = await certificateFor(service, namespace);
  await applyManifests([
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: spec.secretName, namespace },
      type: 'kubernetes.io/tls',
      data: { 'ca.crt': caBundle, 'tls.crt': crt, 'tls.key': key },
    },
  ]);
}

/** Gives the webhooks that are annotated the authority of their certificate. */
export async function inject(): Promise<void> {
  for (const kind of ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations']) {
    const { items } = JSON.parse(await kubectl('get', kind, '--output=json')) as {
      items: readonly Webhooks[];
    };
    for (const { metadata, webhooks } of items) {
      const [namespace, certificate] = (metadata.annotations?.[INJECT] ?? '').split('/');
      if (namespace === undefined || certificate === undefined) continue;
      const path = '--output=jsonpath={.data.ca\\.crt}';
      const secret = await kubectl(
        'get',
        `certificates.${GROUP}`,
        certificate,
        `--namespace=${namespace}`,
        '--output=jsonpath={.spec.secretName}',
      );
      const value = await kubectl('get', 'secret', secret, `--namespace=${namespace}`, path);
      const patch = webhooks.map((_, i) => ({
        op: 'add',
        path: `/webhooks/${i}/clientConfig/caBundle`,
        value,
      }));
      await kubectl('patch', kind, metadata.name, '--type=json', '-p', JSON.stringify(patch));
    }
  }
}

interface Webhooks {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly webhooks: readonly unknown[];
}
