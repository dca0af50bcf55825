import { expect, test } from '@jest/globals';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import { condition, rendered } from './rendered.ts';
import { hanaDatabase } from './stages.ts';

const { name } = hanaDatabase;
const nameOf = ({ metadata }: KubeObject) =>
  metadata.annotations?.['crossplane.io/composition-resource-name'];
/** By their names in the Composition. */
async function composedOf(): Promise<Record<string, KubeObject & { readonly spec: object }>> {
  const { composed } = await rendered(name, 'composed');
  return Object.fromEntries(composed.map((object) => [nameOf(object), object]));
}

test('a database is composed with everything that its mapping reads, all in its namespace', async () => {
  const { composite } = await rendered(name, 'composed');
  const composed = await composedOf();
  const { namespace } = composite.metadata;
  const named = Object.entries(composed).map(([key, { kind, metadata }]) => [key, kind, metadata.name]);
  expect(named.sort()).toEqual([
    ['access', 'ServiceInstance', 'orders-admin'],
    ['binding', 'ServiceBinding', 'orders-admin'],
    ['binding-of-access', 'Usage', expect.stringMatching(/^orders-[0-9a-f]+$/)],
    ['database', 'ServiceInstance', 'orders'],
    ['mapping', 'KymaInstanceMapping', 'orders'],
    ['mapping-of-binding', 'Usage', expect.stringMatching(/^orders-[0-9a-f]+$/)],
    ['mapping-of-database', 'Usage', expect.stringMatching(/^orders-[0-9a-f]+$/)],
  ]);
  for (const { metadata } of Object.values(composed)) expect(metadata.namespace).toBe(namespace);
  expect(composed.database).toMatchObject({
    spec: {
      serviceOfferingName: 'hana-cloud',
      servicePlanName: 'hana',
      externalName: 'team-shop-orders',
      parameters: { memory: 32 },
      parametersFrom: [{ secretKeyRef: { name: 'orders-parameters', key: 'parameters' } }],
    },
  });
  expect(composed.binding).toMatchObject({
    spec: { serviceInstanceName: 'orders-admin', secretName: 'orders-admin' },
  });
  expect(composed.mapping).toMatchObject({
    spec: {
      forProvider: { serviceInstanceRef: { name: 'orders' }, adminBindingRef: { name: 'orders-admin' } },
    },
  });
});

test('what is used is deleted after its user', async () => {
  const composed = await composedOf();
  // By name: a selector would be one more change of each Usage.
  const named = (part: string) => {
    const { apiVersion, kind, metadata } = composed[part] ?? {};
    return { apiVersion, kind, resourceRef: { name: metadata?.name } };
  };
  for (const [user, used] of [
    ['mapping', 'database'],
    ['mapping', 'binding'],
    ['binding', 'access'],
  ] as const) {
    const usage = composed[`${user}-of-${used}`];
    expect(usage?.spec).toEqual({
      reason: expect.any(String),
      replayDeletion: true,
      of: named(used),
      by: named(user),
    });
    // Otherwise Crossplane adds it, by one more change of each Usage, and takes turns with the composition if it differs.
    const reason = (usage?.spec as { reason?: string } | undefined)?.reason;
    expect(usage?.metadata.annotations?.['crossplane.io/usage-details']).toBe(reason);
  }
});

test('it reports what its mapping waits for, until the mapping is Ready', async () => {
  expect((await rendered(name, 'composed')).composite.status).not.toHaveProperty('message');
  const { composite } = await rendered(name, 'waiting');
  expect(condition(composite, 'Ready')?.status).toBe('False');
  expect(composite.status.message).toContain('ServiceInstance team-shop/orders');
  expect((await rendered(name, 'ready')).composite.status).not.toHaveProperty('message');
});

test('it is Ready when all of its resources are, with the ID of the database', async () => {
  const { composite } = await rendered(name, 'ready');
  expect(condition(composite, 'Ready')?.status).toBe('True');
  expect(composite.status.instanceID).toBe('2f4b7a3e-7c1d-4b52-9c57-5f0f3c1f6d10');
});
