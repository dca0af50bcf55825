/** Watches. */
import { expect } from '@jest/globals';
import type { WatchOptions } from '../../../../internal/framework/kube/client/client.ts';
import { keyOf } from '../../../../internal/framework/kube/object/object.ts';
import {
  type ContractCase,
  eachKind,
  firstOf,
  linesOf,
  object,
  refusalOf,
  widgetSubject,
  withContent,
} from '../contract-case.ts';

export const watchCases: readonly ContractCase[] = [
  ...eachKind('a watch from a version has all later events, and follows', async (server, subject) => {
    const { client, namespace } = server;
    const { resourceVersion } = await client.list(subject.type, { namespace });
    const created = await client.create(subject.type, object(server, subject));
    const { name } = created.metadata;
    const blue = await client.update(subject.type, withContent(created, subject, { colour: 'blue' }));
    const lines: string[] = [];
    const options = { namespace, resourceVersion, fieldSelector: `metadata.name=${name}` };
    for await (const event of client.watch(subject.type, options)) {
      lines.push(`${event.type} ${event.object[subject.field]?.colour}`);
      if (lines.length === 2)
        await client.mergePatch(subject.type, keyOf(blue), { metadata: { labels: { a: 'b' } } });
      if (lines.length === 3) await client.delete(subject.type, keyOf(blue));
      if (lines.length === 4) break;
    }
    expect(lines).toEqual(['ADDED red', 'MODIFIED blue', 'MODIFIED blue', 'DELETED blue']);
    const later = client.watch(subject.type, {
      ...options,
      resourceVersion: blue.metadata.resourceVersion ?? '',
    });
    expect((await firstOf(later, 1))[0]?.object.metadata.labels).toEqual({ a: 'b' });
  }),
  ...eachKind('a watch without a version begins with what is there', async (server, subject) => {
    const { client } = server;
    const namespace = await server.newNamespace();
    const labels = { case: 'own' };
    const create = (name: string) =>
      client.create(subject.type, object({ namespace }, subject, undefined, { name, labels }));
    const [a, b] = [await create('a'), await create('b')];
    for (const resourceVersion of [undefined, '0']) {
      const options: WatchOptions = { namespace, labelSelector: 'case=own' };
      const watch = client.watch(subject.type, {
        ...options,
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      });
      const events = await firstOf(watch, 2);
      events.sort((one, other) => one.object.metadata.name.localeCompare(other.object.metadata.name));
      expect(events).toEqual([
        { type: 'ADDED', object: a },
        { type: 'ADDED', object: b },
      ]);
    }
  }),
  ...eachKind('an object that begins or ceases to match is added or deleted', async (server, subject) => {
    const { client, namespace } = server;
    const created = await client.create(subject.type, object(server, subject));
    const key = keyOf(created);
    const label = (labels: object) => client.mergePatch(subject.type, key, { metadata: { labels } });
    await label({ selected: 'yes' });
    await label({ more: 'x' });
    const ceased = await label({ selected: 'no' });
    await label({ more: 'y' });
    await label({ selected: 'yes' });
    await client.delete(subject.type, key);
    const events = await firstOf(
      client.watch(subject.type, {
        namespace,
        resourceVersion: created.metadata.resourceVersion ?? '',
        labelSelector: 'selected=yes',
        fieldSelector: `metadata.name=${key.name}`,
      }),
      5,
    );
    expect(events.map(({ type, object: { metadata } }) => `${type} ${metadata.labels?.more}`)).toEqual([
      'ADDED undefined',
      'MODIFIED x',
      // The last object that matched, with the version at which it ceased to.
      'DELETED x',
      'ADDED y',
      'DELETED y',
    ]);
    const { selected } = events[2]?.object.metadata.labels ?? {};
    expect(selected).toBe('yes');
    expect(events[2]?.object.metadata.resourceVersion).toBe(ceased.metadata.resourceVersion);
  }),
  ...eachKind('a watch of metadata has nothing else', async (server, subject) => {
    const { client, namespace } = server;
    const { apiVersion, kind, metadata } = await client.create(subject.type, object(server, subject));
    const watch = client.watchMetadata(subject.type, {
      namespace,
      fieldSelector: `metadata.name=${metadata.name}`,
    });
    expect(await firstOf(watch, 1)).toEqual([{ type: 'ADDED', object: { apiVersion, kind, metadata } }]);
  }),
  {
    title: 'a version that is too old is Gone, in a watch that was opened',
    run: async (server) => {
      const { client, namespace } = server;
      const resourceVersion = await server.expiredVersion();
      let opened = false;
      const onOpen = () => {
        opened = true;
      };
      const watch = client.watch(widgetSubject.type, { namespace, resourceVersion, onOpen });
      expect(await refusalOf(firstOf(watch, 1))).toEqual({
        status: 410,
        reason: 'Expired',
        kind: 'transient',
        is: ['isGone'],
      });
      expect(opened).toBe(true);
    },
  },
  {
    title: 'a watch ends after its time; its bookmarks have a version that is not older than its last event',
    run: async (server) => {
      const { client, namespace } = server;
      const { type } = widgetSubject;
      const created = await client.create(type, object(server, widgetSubject));
      const { name, resourceVersion = '' } = created.metadata;
      const watch = (async () => {
        const all = [];
        const fieldSelector = `metadata.name=${name}`;
        const options = { namespace, resourceVersion, fieldSelector, timeoutSeconds: 3 };
        for await (const event of client.watch(type, options)) all.push(event);
        return all;
      })();
      await client.update(type, withContent(created, widgetSubject, { colour: 'blue' }));
      // Of another object: the selected one has no events for this.
      const later = await client.create(type, object(server, widgetSubject));
      await server.pass(4000);
      const [first, ...bookmarks] = await watch;
      expect(linesOf(first ? [first] : [])).toEqual(['MODIFIED blue 2']);
      // Clients may not assume that there is one, and now and then a watch of a real API server has none.
      for (const bookmark of bookmarks) {
        const expected = { apiVersion: `${type.group}/v1`, kind: type.kind };
        expect(bookmark).toMatchObject({ type: 'BOOKMARK', object: expected });
        // A real API server has objects of other kinds, which may be changed meanwhile.
        const version = Number(bookmark.object.metadata.resourceVersion);
        expect(version).toBeGreaterThanOrEqual(Number(later.metadata.resourceVersion));
      }
    },
  },
  {
    title: 'an aborted watch throws the reason of its signal',
    run: async ({ client, namespace }) => {
      const aborting = new AbortController();
      const watch = firstOf(
        client.watch(widgetSubject.type, { namespace: `${namespace}-none`, signal: aborting.signal }),
        1,
      );
      aborting.abort(new Error('enough'));
      await expect(watch).rejects.toThrow('enough');
    },
  },
];
