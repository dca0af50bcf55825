import { describe, expect, test } from '@jest/globals';
import type { CredentialsLocation } from './credentials-location.ts';
import type { FoundMapping } from './discover.ts';
import { importOf, type ManifestOptions } from './manifest.ts';

const binding: CredentialsLocation = { form: 'binding', binding: { namespace: 'shop', name: 'hana-admin' } };
const remote: CredentialsLocation = {
  ...binding,
  cluster: { secret: { namespace: 'kyma', name: 'prod' }, kubeconfigKey: 'config' },
  clusterIdConfigMap: { namespace: 'platform', name: 'id' },
};
const secret: CredentialsLocation = {
  form: 'secret',
  secret: { namespace: 'shop', name: 'hana', key: 'json' },
};
const found = (more: Partial<FoundMapping> = {}): FoundMapping => ({
  serviceInstanceID: 'i-1',
  mapping: { platform: 'kubernetes', primaryID: 'c-1', secondaryID: 'shop', isDefault: true },
  location: binding,
  serviceInstance: { namespace: 'shop', name: 'hana' },
  ofOwnCluster: true,
  ...more,
});
const observing: ManifestOptions = { managementPolicies: ['Observe'] };

describe('the manifest of a mapping', () => {
  const table: { title: string; found: FoundMapping; options?: Partial<ManifestOptions>; want: object }[] = [
    {
      title: 'to a namespace of the cluster that describes it',
      found: found(),
      want: {
        manifest: {
          apiVersion: 'inventory.hana.orchestrate.cloud.sap/v1alpha1',
          kind: 'KymaInstanceMapping',
          metadata: {
            name: 'shop-2d744df4',
            annotations: { 'crossplane.io/external-name': 'i-1/c-1/shop' },
          },
          spec: {
            managementPolicies: ['Observe'],
            forProvider: {
              serviceInstanceRef: { namespace: 'shop', name: 'hana' },
              adminBindingRef: { namespace: 'shop', name: 'hana-admin' },
              targetNamespace: 'shop',
              isDefault: true,
            },
          },
        },
      },
    },
    {
      title: 'on a remote cluster, for a namespace and a configuration',
      found: found({ location: remote }),
      options: { namespace: 'kyma', providerConfig: 'mine' },
      want: {
        manifest: {
          apiVersion: 'inventory.hana.m.orchestrate.cloud.sap/v1alpha1',
          metadata: { namespace: 'kyma' },
          spec: {
            forProvider: {
              kymaConnectionRef: { secretRef: { name: 'prod' }, kubeconfigKey: 'config' },
              clusterIdConfigMapRef: { namespace: 'platform', name: 'id' },
            },
            providerConfigRef: { kind: 'ClusterProviderConfig', name: 'mine' },
          },
        },
      },
    },
    {
      title: 'to another cluster, by a Secret',
      found: found({ location: secret, ofOwnCluster: false }),
      want: {
        manifest: {
          kind: 'InstanceMapping',
          metadata: { annotations: { 'crossplane.io/external-name': 'i-1/kubernetes/c-1/shop' } },
          spec: {
            forProvider: {
              serviceInstanceID: 'i-1',
              platform: 'kubernetes',
              primaryID: 'c-1',
              secondaryID: 'shop',
              isDefault: true,
              adminCredentialsSecretRef: { namespace: 'shop', name: 'hana', key: 'json' },
            },
          },
        },
      },
    },
    {
      title: 'for all of a cluster, which a KymaInstanceMapping cannot describe',
      found: found({ mapping: { platform: 'kubernetes', primaryID: 'c-1', isDefault: false } }),
      options: { credentialsSecret: { namespace: 'a', name: 'b', key: 'c' } },
      want: { manifest: { kind: 'InstanceMapping' } },
    },
  ];
  test.each(table)('$title', ({ found: each, options, want }) => {
    expect(importOf(each, { ...observing, ...options })).toMatchObject(want);
  });

  const without: { title: string; found: FoundMapping; options?: Partial<ManifestOptions>; why: RegExp }[] = [
    {
      title: 'of an unknown platform',
      found: found({ mapping: { platform: 'moon', primaryID: 'x', isDefault: false } }),
      why: /platform moon is not known/,
    },
    {
      title: 'whose credentials an InstanceMapping cannot refer to',
      found: found({ ofOwnCluster: false }),
      why: /--credentials-secret/,
    },
    {
      title: 'whose input objects are in another namespace of the management cluster',
      found: found(),
      options: { namespace: 'other' },
      why: /a resource of namespace other cannot read shop\/hana-admin/,
    },
    {
      title: 'whose kubeconfig is in another namespace',
      found: found({ location: remote }),
      options: { namespace: 'shop' },
      why: /cannot read kyma\/prod/,
    },
    {
      title: 'whose Secret is in another namespace',
      found: found({ location: secret, ofOwnCluster: false }),
      options: { namespace: 'other' },
      why: /cannot read Secret shop\/hana/,
    },
  ];
  test.each(without)('there is none of one $title', ({ found: each, options, why }) => {
    expect(importOf(each, { ...observing, ...options })).toEqual({ why: expect.stringMatching(why) });
  });
});

describe('its name', () => {
  const nameOf = (secondaryID: string, serviceInstanceID = 'i-1') => {
    const made = importOf(
      found({
        serviceInstanceID,
        mapping: { platform: 'kubernetes', primaryID: 'c-1', secondaryID, isDefault: false },
      }),
      observing,
    );
    return 'manifest' in made ? made.manifest.metadata.name : made.why;
  };

  test('is valid in Kubernetes for any ID of the environment', () => {
    for (const id of ['shop', 'A B/ç', '-x-', '', 'x'.repeat(100), 'org_1.space']) {
      expect(nameOf(id)).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
    }
  });

  test('is deterministic and unique', () => {
    expect(nameOf('shop')).toBe(nameOf('shop'));
    expect(nameOf('shop')).not.toBe(nameOf('shop', 'i-2'));
    expect(nameOf('a.b')).not.toBe(nameOf('a-b'));
  });
});
