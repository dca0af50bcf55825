/** Objects that Crossplane's init container and its package manager would make. */
import type { KubeObject } from '../../../../internal/framework/kube/object/object.ts';
import { type ResourceType, secrets } from '../../../../internal/framework/kube/object/resource-type.ts';
import type { Objects } from '../../../environment/objects.ts';

export const functionRevisions: ResourceType<KubeObject> = {
  group: 'pkg.crossplane.io',
  version: 'v1',
  kind: 'FunctionRevision',
  plural: 'functionrevisions',
  namespaced: false,
};

export const validatingWebhooks: ResourceType<KubeObject> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  namespaced: false,
};

export const providers: ResourceType<KubeObject> = {
  ...functionRevisions,
  kind: 'Provider',
  plural: 'providers',
};

export const providerRevisions: ResourceType<KubeObject> = {
  ...functionRevisions,
  kind: 'ProviderRevision',
  plural: 'providerrevisions',
};

/** What a package runtime outside of core reports of a revision: that its program runs, and the Secret of its certificates. */
export async function reportRuntime(objects: Objects, revision: string, namespace: string): Promise<void> {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: `${revision}-tls` } };
  const data = Object.fromEntries(
    ['tls.crt', 'tls.key', 'ca.crt'].map((name) => [name, Buffer.from(name).toString('base64')]),
  );
  await objects.apply(secrets, { ...secret, data } as KubeObject);
  const running = {
    type: 'RuntimeHealthy',
    status: 'True',
    reason: 'HealthyPackageRevision',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  await objects.applyStatus(providerRevisions, {
    ...{ apiVersion: 'pkg.crossplane.io/v1', kind: 'ProviderRevision', metadata: { name: revision } },
    status: { tlsServerSecretName: secret.metadata.name, conditions: [running] },
  } as KubeObject);
}

const locks: ResourceType<KubeObject> = {
  ...functionRevisions,
  version: 'v1beta1',
  kind: 'Lock',
  plural: 'locks',
};

const activationPolicies: ResourceType<KubeObject> = {
  group: 'apiextensions.crossplane.io',
  version: 'v1alpha1',
  kind: 'ManagedResourceActivationPolicy',
  plural: 'managedresourceactivationpolicies',
  namespaced: false,
};

/** What Crossplane's init container and its chart make for packages: the lock of all, and the policy that activates every kind. */
export async function applyPackageManager(objects: Objects): Promise<void> {
  await objects.apply(locks, {
    apiVersion: 'pkg.crossplane.io/v1beta1',
    kind: 'Lock',
    metadata: { name: 'lock' },
  });
  await objects.apply(activationPolicies, {
    apiVersion: 'apiextensions.crossplane.io/v1alpha1',
    kind: 'ManagedResourceActivationPolicy',
    metadata: { name: 'default' },
    spec: { activate: ['*'] },
  } as KubeObject);
}

/** Paused: its package is not fetched. */
export const functionRevision = (name: string): KubeObject & { readonly spec: object } => ({
  apiVersion: 'pkg.crossplane.io/v1',
  kind: 'FunctionRevision',
  metadata: {
    name: `${name}-1`,
    labels: { 'pkg.crossplane.io/package': name },
    annotations: { 'crossplane.io/paused': 'true' },
  },
  spec: { desiredState: 'Active', image: `xpkg.example.org/functions/${name}:v1`, revision: 1 },
});

/** The webhook that refuses the deletion of what is used, at the address of the process. */
export const usageWebhook = (
  port: number,
  authority: string,
): KubeObject & { readonly webhooks: object } => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'crossplane-no-usages' },
  webhooks: [
    {
      name: 'nousages.protection.crossplane.io',
      admissionReviewVersions: ['v1'],
      clientConfig: {
        url: `https://127.0.0.1:${port}/validate-no-usages`,
        caBundle: Buffer.from(authority).toString('base64'),
      },
      failurePolicy: 'Fail',
      objectSelector: { matchLabels: { 'crossplane.io/in-use': 'true' } },
      rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['DELETE'], resources: ['*'] }],
      sideEffects: 'None',
    },
  ],
});
