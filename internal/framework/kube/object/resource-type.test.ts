import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createMemoryClient } from '../fakes/memory-client.ts';
import type { CustomResourceDefinition, KubeObject } from './object.ts';
import { configMaps, customResourceDefinitions, type ResourceType } from './resource-type.ts';

test('a type says what its objects are, for reads and for writes', async () => {
  const client = createMemoryClient({ clock: createFakeClock() });
  const metadata = { namespace: 'shop', name: 'a' };
  await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { size: '1' } });
  const found = await client.get(configMaps, metadata);
  expect(found.data?.size).toBe('1');
  // @ts-expect-error a ConfigMap has no type
  expect(found.type).toBeUndefined();
  // @ts-expect-error values of a ConfigMap are texts
  await client.update(configMaps, { ...found, data: { size: 2 } });
});

test('a type of more general objects cannot stand in for one of special objects', () => {
  const general: ResourceType<KubeObject> = customResourceDefinitions;
  // @ts-expect-error not every object is a CustomResourceDefinition
  const special: ResourceType<CustomResourceDefinition> = general;
  expect(special).toBe(customResourceDefinitions);
});
