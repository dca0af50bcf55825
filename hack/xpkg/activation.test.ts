import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readDocuments } from './kubernetes-documents.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Of these CRDs Crossplane makes no ManagedResourceDefinition, so that they are always active. */
const NOT_MANAGED = /^(Cluster)?ProviderConfig(Usage)?$/;

interface Crd {
  readonly spec: { readonly names: { readonly kind: string } };
}

test('examples/provider/activation.yaml activates each managed kind of the package, and nothing of other providers', async () => {
  const [policy, ...others] = await readDocuments(ROOT, 'examples/provider/activation.yaml');
  const crds = await readDocuments(ROOT, 'package/crds/*.yaml');
  const managed = crds.filter(({ content }) => !NOT_MANAGED.test((content as Crd).spec.names.kind));

  expect(others).toEqual([]);
  expect(managed).not.toEqual([]);
  expect(policy?.content).toMatchObject({
    apiVersion: 'apiextensions.crossplane.io/v1alpha1',
    kind: 'ManagedResourceActivationPolicy',
    spec: { activate: managed.map(({ name }) => name) },
  });
});
