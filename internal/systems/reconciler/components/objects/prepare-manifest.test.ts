import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import type { ResourceType } from '../../../../framework/kube/object/resource-type.ts';
import type { Manifest } from '../model/component.ts';
import { KindsUnknownError } from '../model/kinds-unknown-error.ts';
import { prepareManifest, resolveManifest, withNamespace } from './prepare-manifest.ts';

const { signal } = new AbortController();
const configMaps: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

/** Serves ConfigMaps, and all else after some discoveries. */
function start(servedAfter = Number.POSITIVE_INFINITY) {
  const clock = createFakeClock();
  let discoveries = 1;
  const kinds = {
    find: async (apiVersion: string, kind: string) => {
      if (apiVersion === 'v1' && kind === 'ConfigMap') return configMaps;
      return discoveries >= servedAfter ? { ...configMaps, kind } : undefined;
    },
    forget: () => {
      discoveries++;
    },
  };
  const prepare = (manifest: Manifest) =>
    prepareManifest(manifest, { kinds, namespace: 'shop', clock, signal });
  return { clock, prepare, discoveries: () => discoveries };
}

const each = (object: object) => ({ object, source: 'chart/templates/a.yaml' }) as Manifest[number];
const configMap = (metadata: object, more: object = {}) =>
  each({ apiVersion: 'v1', kind: 'ConfigMap', metadata, ...more });

test('[R72] the last of several objects with one name counts; one without a namespace is the component’s', async () => {
  const { prepare } = start();
  const prepared = await prepare([
    configMap({ name: 'a' }, { data: { a: '0' } }),
    configMap({ name: 'a', namespace: '' }, { data: { a: '1' } }),
    configMap({ name: 'a', namespace: 'shop' }, { data: { a: '2' } }),
    configMap({ name: 'a', namespace: 'other' }),
  ]);
  expect(prepared.map(({ object }) => object)).toEqual([
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' }, data: { a: '2' } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'other' } },
  ]);
});

test('a kind whose API server does not answer is asked for again, and never counts as one that is not served', async () => {
  const clock = createFakeClock();
  let failures = 2;
  const kinds = {
    find: async () => {
      if (failures-- > 0) throw new KindsUnknownError(['down.org/v1']);
      return configMaps;
    },
    forget: () => undefined,
  };
  const manifest = [each({ apiVersion: 'down.org/v1', kind: 'X', metadata: { name: 'x' } })];
  const options = { kinds, namespace: 'shop', clock, signal };
  const preparing = prepareManifest(manifest, options);
  await clock.advance(3000);
  expect(await preparing).toHaveLength(1);

  failures = 1;
  await expect(resolveManifest(manifest, options)).rejects.toThrow('the kinds of down.org/v1 are unknown');
});

test('[R73] an object of the cluster has no namespace, whatever its chart says', async () => {
  const kinds = {
    find: async (_: string, kind: string) => ({ ...configMaps, kind, namespaced: kind === 'Role' }),
    forget: () => undefined,
  };
  const objects = [
    ['rbac.authorization.k8s.io/v1', 'ClusterRole'],
    ['rbac.authorization.k8s.io/v1beta1', 'ClusterRoleBinding'],
    ['admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration'],
    ['policy/v1beta1', 'PodSecurityPolicy'],
    ['example.org/v1', 'ClusterIssuer'],
    ['rbac.authorization.k8s.io/v1', 'Role'],
  ].map(([apiVersion, kind]) => each({ apiVersion, kind, metadata: { name: 'a', namespace: 'b' } }));
  const prepared = await prepareManifest(objects, {
    kinds,
    namespace: 'shop',
    clock: createFakeClock(),
    signal,
  });
  expect(prepared.map(({ object }) => object.metadata.namespace)).toEqual([
    ...Array.from({ length: 5 }),
    'b',
  ]);
});

test('fields of the server, the status and nulls are left out', async () => {
  const { prepare } = start();
  const metadata = { name: 'a', namespace: 'b', creationTimestamp: null, uid: 'x', labels: null };
  const [prepared] = await prepare([configMap(metadata, { data: { a: null, b: '' }, status: {} })]);
  expect(prepared?.object).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'b' },
    data: { b: '' },
  });
});

test('an unknown kind is looked for again, five times in all', async () => {
  const thing = each({ apiVersion: 'example.org/v1', kind: 'Thing', metadata: { name: 'a' } });
  const late = start(4);
  const preparing = late.prepare([thing]);
  await late.clock.advance(15_000);
  expect(await preparing).toHaveLength(1);
  const never = start();
  const failing = expect(never.prepare([thing])).rejects.toMatchObject({
    name: 'UnknownKindError',
    kind: 'transient',
  });
  await never.clock.advance(15_000);
  await failing;
  expect(never.discoveries()).toBe(5);
});

test.each([
  ['apiVersion', { kind: 'A', metadata: { name: 'a' } }],
  ['kind', { apiVersion: 'v1', metadata: { name: 'a' } }],
  ['metadata.name', { apiVersion: 'v1', kind: 'A', metadata: { generateName: 'a-' } }],
])('an object without %s is refused with its template', async (field, object) => {
  await expect(start().prepare([each(object)])).rejects.toThrow(
    `chart/templates/a.yaml: an object has no ${field}`,
  );
});

test('the namespace of a component comes first, unless the manifest has it', () => {
  const namespace = each({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  const names = (manifest: Manifest) => manifest.map(({ object }) => object.metadata.name);
  expect(names(withNamespace([configMap({ name: 'a' })], 'shop'))).toEqual(['shop', 'a']);
  expect(names(withNamespace([configMap({ name: 'a' }), namespace], 'shop'))).toEqual(['a', 'shop']);
  expect(names(withNamespace([configMap({ name: 'a' })], ''))).toEqual(['a']);
});
