import { describe, expect, test } from '@jest/globals';
import { kymaInstanceMapping } from '../../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { kindOf } from '../../../../framework/base/errors/errors.ts';
import { bindingLocation } from '../kyma-instance-mapping.ts';
import type { KymaInstanceMapping } from '../resource.ts';
import { clusterRefOf, describedIdentity, namedInputs, readableInputs } from './input-refs.ts';

type Namespaced = KymaInstanceMapping['spec']['forProvider'];

const own = { serviceInstanceRef: { name: 'db' }, adminBindingRef: { name: 'admin' } };
const remote = { kymaConnectionRef: { secretRef: { name: 'kyma' } } };
const mapping = (over: Partial<Namespaced> = {}) =>
  kymaInstanceMapping({ name: 'a', namespace: 'shop', spec: { forProvider: { ...own, ...over } } });
const far = { name: 'x', namespace: 'elsewhere' };

/** Not valid by the schema: a secretRef with a namespace. */
const smuggled = mapping({ kymaConnectionRef: { secretRef: far } });

describe('a namespaced mapping', () => {
  test('has its input objects in its own namespace by default', () => {
    expect(readableInputs(mapping())).toEqual({
      serviceInstanceRef: { name: 'db', namespace: 'shop' },
      adminBindingRef: { name: 'admin', namespace: 'shop' },
    });
    expect(readableInputs(mapping({ ...remote, clusterIdConfigMapRef: far }))).toMatchObject({
      clusterIdConfigMapRef: far,
    });
  });

  test.each(['serviceInstanceRef', 'adminBindingRef', 'clusterIdConfigMapRef'] as const)(
    'reads none by %s from another namespace of the provider’s own cluster',
    (field) => {
      let problem: unknown;
      try {
        readableInputs(mapping({ [field]: far }));
      } catch (error) {
        problem = error;
      }
      expect(kindOf(problem)).toBe('terminal');
      expect(String(problem)).toContain(
        `${field} names the namespace "elsewhere": a resource of the namespace "shop"`,
      );
    },
  );

  test('gets one error for all fields', () => {
    expect(() => readableInputs(mapping({ serviceInstanceRef: far, adminBindingRef: far }))).toThrow(
      'serviceInstanceRef names the namespace "elsewhere", adminBindingRef names the namespace "elsewhere"',
    );
  });

  test('has its kubeconfig in its own namespace, whatever the reference says', () => {
    const expected = { secret: { name: 'kyma', namespace: 'shop' }, kubeconfigKey: 'kubeconfig' };
    expect(clusterRefOf(mapping(remote))).toEqual(expected);
    expect(clusterRefOf(smuggled)?.secret).toEqual({ name: 'x', namespace: 'shop' });
  });

  test('has other limit keys than a mapping of another namespace with the same names', () => {
    const other: KymaInstanceMapping = { ...mapping(), metadata: { name: 'a', namespace: 'other' } };
    expect(bindingLocation(other)).not.toBe(bindingLocation(mapping()));
    // So has one whose input objects of the same names are on another cluster.
    const locations = ['kyma', 'kyma-2'].map((name) =>
      bindingLocation(mapping({ kymaConnectionRef: { secretRef: { name } } })),
    );
    expect(new Set([...locations, bindingLocation(mapping())]).size).toBe(3);
  });

  test('maps its own namespace by default', () => {
    const inputs = { findings: [], instance: { id: 'i', name: 'db', ready: true }, clusterID: 'c' };
    expect(describedIdentity(mapping(), inputs)?.secondaryID).toBe('shop');
  });
});

test('a cluster-scoped mapping may refer to any namespace', () => {
  const refs = { serviceInstanceRef: far, adminBindingRef: { name: 'admin', namespace: 'shop' } };
  const cluster = kymaInstanceMapping({
    name: 'a',
    spec: { forProvider: { ...refs, kymaConnectionRef: { secretRef: far, kubeconfigKey: 'config' } } },
  });
  expect(namedInputs(cluster)).toEqual(refs);
  expect(clusterRefOf(cluster)).toEqual({ secret: far, kubeconfigKey: 'config' });
  expect(readableInputs(kymaInstanceMapping({ name: 'a', spec: { forProvider: refs } }))).toEqual(refs);
});
