/** Objects that Crossplane's init container and its package manager would make. */
import type { KubeObject } from '../../../../internal/framework/kube/object/object.ts';
import type { ResourceType } from '../../../../internal/framework/kube/object/resource-type.ts';

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
