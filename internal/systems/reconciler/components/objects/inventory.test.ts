import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { nopLogger } from '../../../../framework/base/telemetry/telemetry.ts';
import { systemClock } from '../../../../framework/base/time/clock.ts';
import { createMemoryClient } from '../../../../framework/kube/fakes/memory-client.ts';
import { secrets } from '../../../../framework/kube/index.ts';
import {
  formatInventory,
  type InventoryEntry,
  identityOfEntry,
  inventoryName,
  openInventory,
  parseInventory,
  writeInventoryObject,
} from './inventory.ts';

const packed = (value: unknown) => gzipSync(JSON.stringify(value)).toString('base64');

test('an inventory is read as it was written', () => {
  const entries: InventoryEntry[] = [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      key: { name: 'a', namespace: 'b' },
      applied: { sent: 'x', owned: 'y' },
    },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', key: { name: 'c' } },
  ];
  const inventory = new Map(entries.map((entry) => [identityOfEntry(entry), entry]));
  expect(parseInventory(formatInventory(inventory))).toEqual(inventory);
});

test.each([
  ['no gzip', 'AAAA'],
  ['no JSON', gzipSync('{').toString('base64')],
  ['no list', packed({ a: 1 })],
  ['a row too short', packed([['v1', 'Secret']])],
  ['a row without a name', packed([['v1', 'Secret', '', '', '', '']])],
  ['a row that is no text', packed([['v1', 'Secret', '', {}, '', '']])],
  ['a bomb', gzipSync(Buffer.alloc(16 * 1024 * 1024, ' ')).toString('base64')],
])('an inventory that is %s is refused', (_title, text) => {
  expect(() => parseInventory(text)).toThrow();
});

test('objects that cannot exist, which earlier versions stored, are left out: nothing can delete them', () => {
  const rows = [
    ['v1', 'ConfigMap', 'shop', 'a', '', ''],
    ['v1', 'ConfigMap', 'shop', 'a/../b', '', ''],
    ['v1', 'ConfigMap', '../shop', 'a', '', ''],
    ['v1', 'ConfigMap', 'shop', 'n'.repeat(300), '', ''],
  ];
  expect([...parseInventory(packed(rows)).values()]).toEqual([
    { apiVersion: 'v1', kind: 'ConfigMap', key: { name: 'a', namespace: 'shop' } },
  ]);
});

test('components have Secrets of their own, whatever their names', () => {
  expect(inventoryName('serverless')).toBe('component-serverless');
  const names = ['CRDs', 'crds', 'a.b', 'a_b', 'x'.repeat(100), `${'x'.repeat(99)}y`].map(inventoryName);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z0-9-]{1,63}$/);
});

test('what random functions made stays when the objects are stored, and others are not kept', async () => {
  const client = createMemoryClient({ clock: systemClock });
  const { signal } = new AbortController();
  const options = {
    cluster: { client, name: 'c', keep: () => undefined },
    component: 'istio',
    log: nopLogger,
    signal,
  };
  await writeInventoryObject(options, undefined, { random: 'cGFzc3dvcmQ=' }, signal);
  const key = { namespace: 'kube-system', name: inventoryName('istio') };
  await client.otherProgram().mergePatch(secrets, key, { data: { other: 'eA==' } });
  const entry: InventoryEntry = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    key: { name: 'a', namespace: 'shop' },
  };
  const inventory = new Map([[identityOfEntry(entry), entry]]);
  await (await openInventory(options)).write(inventory, signal);
  expect(client.peek(secrets, key)?.data).toEqual({
    random: 'cGFzc3dvcmQ=',
    objects: formatInventory(inventory),
  });
});

test('an inventory that is as it was written costs no request', async () => {
  const client = createMemoryClient({ clock: systemClock });
  const { signal } = new AbortController();
  const cluster = { client, name: 'c', keep: () => undefined };
  const stored = await openInventory({ cluster, component: 'istio', log: nopLogger, signal });
  const entryOf = (name: string): [string, InventoryEntry] => {
    const entry = { apiVersion: 'v1', kind: 'ConfigMap', key: { name, namespace: 'shop' } };
    return [identityOfEntry(entry), entry];
  };
  await stored.write(new Map([entryOf('a')]), signal);
  const before = client.requests.length;
  await stored.write(new Map([entryOf('a')]), signal);
  expect(client.requests.length).toBe(before);
  await stored.write(new Map([entryOf('b')]), signal);
  expect(client.requests.length).toBe(before + 1);
});
