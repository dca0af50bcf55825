import { expect, test } from '@jest/globals';
import type { KubeObject } from '../../internal/kube/object/object.ts';
import { databaseExample, renderDatabase, resourceNameAnnotation } from './hana-database.ts';

const nameOf = ({ metadata }: KubeObject) => metadata.annotations?.[resourceNameAnnotation];

test('a database is composed with everything that its mapping reads, all in its namespace', async () => {
  const { composed } = await renderDatabase(await databaseExample());
  expect(composed.map((object) => [nameOf(object), object.kind, object.metadata.name])).toEqual([
    ['database', 'ServiceInstance', 'orders'],
    ['access', 'ServiceInstance', 'orders-admin'],
    ['binding', 'ServiceBinding', 'orders-admin'],
    ['mapping', 'KymaInstanceMapping', 'orders'],
    ['mapping-of-database', 'Usage', undefined],
    ['mapping-of-binding', 'Usage', undefined],
    ['binding-of-access', 'Usage', undefined],
  ]);
  expect(composed[0]).toMatchObject({
    spec: {
      serviceOfferingName: 'hana-cloud',
      servicePlanName: 'hana',
      externalName: 'team-shop-orders',
      parameters: { memory: 32 },
      parametersFrom: [{ secretKeyRef: { name: 'orders-parameters', key: 'parameters' } }],
    },
  });
  expect(composed[2]).toMatchObject({
    spec: { serviceInstanceName: 'orders-admin', secretName: 'orders-admin' },
  });
  expect(composed[3]).toMatchObject({
    spec: {
      forProvider: { serviceInstanceRef: { name: 'orders' }, adminBindingRef: { name: 'orders-admin' } },
    },
  });
});

test('what is used is deleted after its user', async () => {
  const { composed } = await renderDatabase(await databaseExample());
  const usages = composed.filter(({ kind }) => kind === 'Usage');
  const selected = (part: string, kind: string) => ({
    kind,
    resourceSelector: { matchControllerRef: true, matchLabels: { 'platform.example.org/part': part } },
  });
  expect(usages).toMatchObject([
    {
      spec: {
        replayDeletion: true,
        of: selected('database', 'ServiceInstance'),
        by: selected('mapping', 'KymaInstanceMapping'),
      },
    },
    {
      spec: {
        replayDeletion: true,
        of: selected('binding', 'ServiceBinding'),
        by: selected('mapping', 'KymaInstanceMapping'),
      },
    },
    {
      spec: {
        replayDeletion: true,
        of: selected('access', 'ServiceInstance'),
        by: selected('binding', 'ServiceBinding'),
      },
    },
  ]);
});

test('the status has the ID of the database and what the mapping waits for', async () => {
  const composite = await databaseExample();
  expect((await renderDatabase(composite)).status).toEqual({});
  const mapping = {
    apiVersion: 'inventory.hana.m.orchestrate.cloud.sap/v1alpha1',
    kind: 'KymaInstanceMapping',
    metadata: { name: 'orders' },
    status: {
      atProvider: { kyma: { serviceInstanceID: 'i-1' } },
      conditions: [{ type: 'Synced', status: 'False', message: 'Secret: "x" not found' }],
    },
  };
  const { status } = await renderDatabase(composite, { mapping });
  expect(status).toEqual({ instanceID: 'i-1', message: 'Secret: "x" not found' });
});
