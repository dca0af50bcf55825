/** The sources of an author: a managed kind of both scopes, a plain kind with a webhook, and provider configurations. */
export const authorApis: Readonly<Record<string, string>> = {
  'apis/storage.example.org/group.yaml': 'providerConfigs: { version: v1 }\n',
  'apis/storage.example.org/v1/bucket.yaml': `kind: Bucket
plural: buckets
managed: true
description: A bucket of the storage.
scopes:
  - { scope: Cluster, group: storage.example.org }
  - { scope: Namespaced, group: storage.m.example.org }
forProvider:
  description: The desired bucket.
  type: object
  required: [size, keyRef]
  properties:
    size: { description: Size in bytes., type: integer, minimum: 1 }
    keyRef:
      description: The Secret with the key.
      type: object
      required: [name, namespace]
      properties:
        name: { description: Name of the Secret., type: string }
        namespace: { description: Namespace of the Secret., type: string, $namespaced: absent }
atProvider:
  description: The observed bucket.
  type: object
  properties:
    used: { description: Bytes in use., type: integer }
`,
  'apis/storage.example.org/v1/report.yaml': `kind: Report
plural: reports
managed: false
description: A report on buckets.
scopes:
  - { scope: Namespaced, group: storage.example.org }
schema:
  type: object
  required: [spec]
  properties:
    spec:
      description: The desired report.
      type: object
      properties:
        days: { description: Its period., type: integer, default: 7 }
    status:
      description: The observed state.
      type: object
      properties:
        conditions: { $standard: conditions }
`,
  'apis/storage.example.org/webhooks.yaml': `name: storage
output: package/webhooks.yaml
validating:
  - { name: vreport.storage.example.org, kind: Report, operations: [CREATE] }
`,
};

/** What is generated from the sources, sorted. */
export const authorOutputs: readonly string[] = [
  'apis/storage.example.org/v1/bucket.gen.ts',
  'apis/storage.example.org/v1/providerconfigs.gen.ts',
  'apis/storage.example.org/v1/report.gen.ts',
  'package/crds/storage.example.org_buckets.yaml',
  'package/crds/storage.example.org_providerconfigs.yaml',
  'package/crds/storage.example.org_providerconfigusages.yaml',
  'package/crds/storage.example.org_reports.yaml',
  'package/crds/storage.m.example.org_buckets.yaml',
  'package/crds/storage.m.example.org_clusterproviderconfigs.yaml',
  'package/crds/storage.m.example.org_providerconfigs.yaml',
  'package/crds/storage.m.example.org_providerconfigusages.yaml',
  'package/webhooks.yaml',
];

/** A provider on the generated types. */
export const authorProvider = `
import { extractCredentials, type ConfigKinds, type CredentialAccess } from 'provider-kyma/managed';
import { usedConfigOf, type ManagedKind, type Provider } from 'provider-kyma/managed';
import type { ReconciledKind } from 'provider-kyma/controller';
import type { ResourceType } from 'provider-kyma/kube';
import { type Bucket, bucket, bucketTypes, isBucket } from './apis/storage.example.org/v1/bucket.gen.ts';
import { configKinds, type ProviderConfig } from './apis/storage.example.org/v1/providerconfigs.gen.ts';
import { type Report, report, reports } from './apis/storage.example.org/v1/report.gen.ts';

declare const access: CredentialAccess;
declare const bucketKind: (type: ResourceType<Bucket>, kinds: ConfigKinds<ProviderConfig>) => ManagedKind<Bucket>;

export function register(provider: Provider, reconcile: ReconciledKind<Report>['reconcile']) {
  for (const scope of ['cluster', 'namespaced'] as const) {
    const configs = provider.addConfigs(configKinds[scope]);
    provider.addKind(bucketKind(bucketTypes[scope], configKinds[scope]), { configs, readsConfig: true });
  }
  provider.addReconciled({ type: reports, reconcile });
}

export async function credentialsOf(resource: Bucket) {
  const used = usedConfigOf(resource, configKinds.namespaced);
  const config = await access.client.get(used.type, used.key, { signal: access.signal });
  return extractCredentials(config.spec.credentials, access);
}

export const made: Bucket[] = [
  bucket({ name: 'a', spec: { forProvider: { size: 1, keyRef: { name: 'key', namespace: 'shop' } } } }),
  bucket({ name: 'a', namespace: 'shop', spec: { forProvider: { size: 1, keyRef: { name: 'key' } } } }),
];
export const sizes: number[] = made.filter(isBucket).map(({ spec }) => spec.forProvider.size);
// @ts-expect-error: the size is required
bucket({ name: 'a', spec: { forProvider: { keyRef: { name: 'key' } } } });
// @ts-expect-error: a report has a namespace
report({ name: 'a', spec: {} });
`;
