/** Get and list, and what is refused at the door. */
import { expect } from '@jest/globals';
import type { ListOptions } from '../../../../internal/framework/kube/client/client.ts';
import { isServed } from '../../../../internal/framework/kube/client/discovery.ts';
import { keyOf } from '../../../../internal/framework/kube/object/object.ts';
import { configMaps } from '../../../../internal/framework/kube/object/resource-type.ts';
import {
  type ContractCase,
  type ContractServer,
  eachKind,
  firstOf,
  missing,
  notFound,
  object,
  refusalOf,
  type Subject,
  widgetSubject,
} from '../contract-case.ts';
import { clusterWidgets, unservedWidgets } from '../kinds.ts';

/** The response is no Status. */
const unknownKind = { ...notFound, reason: '', is: ['isNotFound', 'isUnknownKind'] };

/** Objects in a namespace of the case's own, by name and labels. */
async function filled(
  server: ContractServer,
  subject: Subject,
  labels: Readonly<Record<string, Record<string, string>>>,
) {
  const namespace = await server.newNamespace();
  for (const [name, own] of Object.entries(labels))
    await server.client.create(
      subject.type,
      object({ namespace }, subject, undefined, { name, labels: own }),
    );
  const names = async (options: ListOptions) => {
    const { items } = await server.client.list(subject.type, { namespace, ...options });
    return items.map(({ metadata }) => metadata.name).join(' ');
  };
  return { namespace, names };
}

/** Core kinds have objects of the server in new namespaces. */
const own = 'case=own';

export const readCases: readonly ContractCase[] = [
  ...eachKind('a missing object is NotFound', async (server, { type }) => {
    const { client } = server;
    expect(await refusalOf(client.get(type, missing(server)))).toEqual(notFound);
    expect(await refusalOf(client.getMetadata(type, missing(server)))).toEqual(notFound);
    expect(await refusalOf(client.delete(type, missing(server)))).toEqual(notFound);
  }),
  {
    title: 'discovery tells served kinds from others, of known and unknown groups',
    run: async ({ client }) => {
      const unknownGroup = { ...unservedWidgets, group: 'unknown.example.org' };
      const types = [widgetSubject.type, clusterWidgets, configMaps, unservedWidgets, unknownGroup];
      const served = await Promise.all(types.map((type) => isServed(client, type)));
      expect(served).toEqual([true, true, true, false, false]);
    },
  },
  {
    title: 'a kind that is not served is NotFound, for each verb',
    run: async (server) => {
      const { client, namespace } = server;
      const type = unservedWidgets;
      const given = object(server, { ...widgetSubject, type });
      const key = keyOf(given);
      for (const call of [
        () => client.get(type, key),
        () => client.getMetadata(type, key),
        () => client.list(type, { namespace }),
        () => client.listMetadata(type),
        () => client.create(type, given),
        () => client.create(type, given, { dryRun: true }),
        () => client.update(type, given),
        () => client.updateStatus(type, given),
        () => client.mergePatch(type, key, {}),
        () => client.jsonPatch(type, key, []),
        () => client.apply(type, given, { fieldManager: 'a' }),
        () => client.delete(type, key),
        () => firstOf(client.watch(type), 1),
      ])
        expect(await refusalOf(call())).toEqual(unknownKind);
    },
  },
  {
    title: 'a namespaced kind needs a namespace',
    run: async ({ client }) => {
      const { namespace: _, ...metadata } = object({ namespace: '' }, widgetSubject).metadata;
      const given = { ...object({ namespace: '' }, widgetSubject), metadata };
      const { type } = widgetSubject;
      const terminal = {
        kind: 'terminal',
        message: expect.stringContaining('ContractWidget needs a namespace'),
      };
      for (const call of [
        () => client.get(type, { name: 'a' }),
        () => client.create(type, given),
        () => client.update(type, given),
        () => client.apply(type, given, { fieldManager: 'a' }),
        () => client.delete(type, { name: 'a' }),
      ])
        await expect(call()).rejects.toMatchObject(terminal);
    },
  },
  {
    title: 'an object of a cluster-scoped kind has no namespace',
    run: async (server) => {
      const subject: Subject = { ...widgetSubject, type: clusterWidgets };
      const created = await server.client.create(clusterWidgets, object(server, subject));
      expect(created.metadata).not.toHaveProperty('namespace');
      const key = keyOf(created);
      expect(await server.client.get(clusterWidgets, key)).toEqual(created);
      const { items } = await server.client.list(clusterWidgets, {
        fieldSelector: `metadata.name=${key.name}`,
      });
      expect(items).toEqual([created]);
      await server.client.delete(clusterWidgets, key);
    },
  },
  ...eachKind('lists are in the order of keys, with apiVersion and kind', async (server, subject) => {
    const { namespace, names } = await filled(server, subject, {
      b: { case: 'own' },
      'a-1': { case: 'own' },
      a: { case: 'own' },
    });
    expect(await names({ labelSelector: own })).toBe('a a-1 b');
    const { items } = await server.client.list(subject.type, { namespace, labelSelector: own });
    expect(items[0]).toEqual(await server.client.get(subject.type, { namespace, name: 'a' }));
    expect(await server.client.list(subject.type, { namespace: 'none' })).toMatchObject({ items: [] });
  }),
  ...eachKind('lists are selected by labels and fields', async (server, subject) => {
    const { names } = await filled(server, subject, {
      a: { case: 'own', tier: 'front', 'example.org/zone': '1' },
      b: { case: 'own', tier: 'back' },
      c: { case: 'own', tier: '' },
      d: { case: 'own' },
    });
    const by = (selector: string) => names({ labelSelector: `${own},${selector}` });
    expect(await by('tier=front')).toBe('a');
    expect(await by('tier==front')).toBe('a');
    expect(await by('tier!=front')).toBe('b c d');
    expect(await by('tier=')).toBe('c');
    expect(await by('tier')).toBe('a b c');
    expect(await by('!tier')).toBe('d');
    expect(await by('tier in (front,back)')).toBe('a b');
    expect(await by('tier in (front, none)')).toBe('a');
    expect(await by('tier notin (front,back)')).toBe('c d');
    expect(await by('tier, example.org/zone=1')).toBe('a');
    expect(await by(' tier = front ')).toBe('a');
    const fields = (fieldSelector: string) => names({ labelSelector: own, fieldSelector });
    expect(await fields('metadata.name=b')).toBe('b');
    expect(await fields('metadata.name!=b')).toBe('a c d');
    expect(await fields('metadata.namespace=none')).toBe('');
    const bad = { status: 400, reason: 'BadRequest', kind: 'transient', is: [] };
    expect(await refusalOf(fields('metadata.uid=b'))).toEqual(bad);
    expect(await refusalOf(by('tier in front'))).toEqual(bad);
  }),
  ...eachKind('pages of a list show one version', async (server, subject) => {
    const labels = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, { case: 'own' }]));
    const { namespace } = await filled(server, subject, labels);
    const page = (more: ListOptions) =>
      server.client.list(subject.type, { namespace, labelSelector: own, limit: 2, ...more });
    const first = await page({});
    await server.client.delete(subject.type, { namespace, name: 'c' });
    await server.client.create(
      subject.type,
      object({ namespace }, subject, undefined, { name: 'cc', labels: { case: 'own' } }),
    );
    const second = await page({ continue: first.continue ?? '' });
    const third = await page({ continue: second.continue ?? '' });
    const names = [first, second, third].map(({ items }) =>
      items.map(({ metadata }) => metadata.name).join(' '),
    );
    expect(names).toEqual(['a b', 'c d', 'e']);
    expect(second.resourceVersion).toBe(first.resourceVersion);
    expect(third.resourceVersion).toBe(first.resourceVersion);
    expect(third).not.toHaveProperty('continue');
    // No limit.
    const all = await page({ limit: 0 });
    expect(all.items.map(({ metadata }) => metadata.name).join(' ')).toBe('a b cc d e');
    expect(all).not.toHaveProperty('continue');
    const exact = await page({ limit: 5 });
    expect(exact).not.toHaveProperty('continue');
    expect(await refusalOf(page({ continue: 'x' }))).toMatchObject({ status: 400, reason: 'BadRequest' });
  }),
  ...eachKind('a list has a version that is not older than any write before it', async (server, subject) => {
    const { client, namespace } = server;
    const created = await client.create(subject.type, object(server, subject));
    const { resourceVersion } = await client.list(subject.type, { namespace });
    expect(Number(resourceVersion)).toBeGreaterThanOrEqual(Number(created.metadata.resourceVersion));
    const since = await client.list(subject.type, {
      namespace,
      resourceVersion: created.metadata.resourceVersion ?? '',
      fieldSelector: `metadata.name=${created.metadata.name}`,
    });
    expect(since.items).toEqual([created]);
  }),
  ...eachKind('metadata has nothing else', async (server, subject) => {
    const { client } = server;
    const { namespace } = await filled(server, subject, { a: { case: 'own' } });
    const { apiVersion, kind, metadata } = await client.get(subject.type, { namespace, name: 'a' });
    expect(await client.getMetadata(subject.type, { namespace, name: 'a' })).toEqual({
      apiVersion,
      kind,
      metadata,
    });
    const { items } = await client.listMetadata(subject.type, { namespace, labelSelector: own });
    expect(items).toEqual([{ apiVersion, kind, metadata }]);
  }),
];
