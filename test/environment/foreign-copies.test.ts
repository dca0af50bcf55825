import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../internal/framework/base/time/fake-clock.ts';
import { createMemoryClient } from '../../internal/framework/kube/fakes/memory-client.ts';
import {
  type ConfigMap,
  configMaps,
  type KubeClient,
  namespaces,
} from '../../internal/framework/kube/index.ts';
import { eventually } from './eventually.ts';
import { type CopiedKind, placeForeignCopies } from './foreign-copies.ts';
import { namespaceManifest } from './manifests.ts';

const NAMESPACE = 'shop';
const configMap = (name: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: NAMESPACE, name, labels: { owner: 'a' }, annotations: { record: 'b' } },
  data: { key: 'value' },
});

/** An object `own` of the program and one of others, and the copy. */
async function start(how: Pick<CopiedKind, 'maxName' | 'copiesIn'> = {}) {
  const memory = createMemoryClient({ clock: createFakeClock() });
  const client = memory.otherProgram();
  await client.create(namespaces, namespaceManifest(NAMESPACE));
  const kind = {
    type: configMaps,
    selection: { namespace: NAMESPACE },
    isOwn: ({ metadata }: ConfigMap) => metadata.name.startsWith('own'),
  };
  const copies = placeForeignCopies({ client, kinds: [{ ...kind, ...how }] });
  await client.create(configMaps, configMap('own'));
  await client.create(configMaps, configMap('other'));
  const found = await eventually(() => {
    const [copy, ...more] = memory.peekAll(configMaps).filter(({ metadata }) => copies.isCopy(metadata.name));
    expect([copy?.metadata.name, ...more]).toEqual([expect.any(String)]);
    return copy as ConfigMap;
  });
  return { client, copies, copy: found };
}

test('a copy has the labels, annotations and content, another name and another uid', async () => {
  const { client, copies, copy } = await start();
  const { metadata, data } = await client.get(configMaps, { namespace: NAMESPACE, name: 'own' });
  expect(copy).toMatchObject({
    metadata: { labels: metadata.labels, annotations: metadata.annotations },
    data,
  });
  expect([copy.metadata.name, copy.metadata.uid]).not.toEqual(
    expect.arrayContaining([metadata.name, metadata.uid]),
  );
  expect(copies.count()).toBe(1);
  await copies.stop();
});

test('the name of a copy is short enough', async () => {
  const { copies, copy } = await start({ maxName: 7 });
  expect(copy.metadata.name).toMatch(/^ow-[0-9a-f]{4}$/);
  await copies.stop();
});

test('a copy is in a namespace of others where one beside the object would be in its way', async () => {
  const { copies, copy } = await start({ copiesIn: 'others' });
  expect(copy.metadata.namespace).toBe('others');
  await copies.stop();
});

test.each<[string, (client: KubeClient, copy: ConfigMap) => Promise<unknown>]>([
  ['changed', (client, { metadata }) => client.mergePatch(configMaps, metadata, { data: { key: 'other' } })],
  ['deleted', (client, { metadata }) => client.delete(configMaps, metadata)],
])('a copy that was %s is a violation', async (what, change) => {
  const { client, copies, copy } = await start();
  await change(client, copy);
  await expect(copies.stop()).rejects.toThrow(
    `foreign-objects: ConfigMap ${NAMESPACE}/${copy.metadata.name}, a copy of another owner, was ${what}`,
  );
});

test('a copy goes with its namespace, which a test deletes', async () => {
  const { client, copies, copy } = await start();
  await client.delete(configMaps, copy.metadata);
  await client.delete(namespaces, { name: NAMESPACE });
  await copies.stop();
});
