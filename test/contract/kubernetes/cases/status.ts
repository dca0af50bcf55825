/** The status subresource. */
import { expect } from '@jest/globals';
import { keyOf } from '../../../../internal/framework/kube/object/object.ts';
import {
  type ContractCase,
  type ContractServer,
  conflict,
  eventsAfter,
  expectUnchanged,
  invalid,
  missing,
  notFound,
  object,
  refusalOf,
  widgetSubject,
  withContent,
  withMetadata,
} from '../contract-case.ts';
import { contractConfigMaps } from '../kinds.ts';

const { type } = widgetSubject;

async function ready(server: ContractServer) {
  const created = await server.client.create(type, object(server, widgetSubject));
  return server.client.updateStatus(type, { ...created, status: { phase: 'ready' } });
}

export const statusCases: readonly ContractCase[] = [
  {
    title: 'a PUT of the status stores nothing else, and keeps the generation',
    run: async (server) => {
      const created = await server.client.create(type, object(server, widgetSubject));
      const updated = await server.client.updateStatus(type, {
        ...withContent(
          withMetadata(created, { labels: { a: 'b' }, finalizers: ['example.org/a'] }),
          widgetSubject,
          {
            colour: 'blue',
          },
        ),
        status: { phase: 'ready' },
      });
      expect(updated).toMatchObject({ spec: { colour: 'red' }, status: { phase: 'ready' } });
      expect(updated.metadata).not.toHaveProperty('labels');
      expect(updated.metadata).not.toHaveProperty('finalizers');
      expect(updated.metadata.generation).toBe(1);
      expect(updated.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
      const [event] = await eventsAfter(server, widgetSubject, created.metadata as never, 1);
      expect(event).toEqual({ type: 'MODIFIED', object: updated });
    },
  },
  {
    title: 'a PUT of the object ignores the status',
    run: async (server) => {
      const found = await ready(server);
      const { status: _, ...without } = found;
      for (const given of [{ ...found, status: { phase: 'broken' } }, without])
        expect(await server.client.update(type, given)).toEqual(found);
      const blue = await server.client.update(type, withContent(without, widgetSubject, { colour: 'blue' }));
      expect(blue).toMatchObject({ spec: { colour: 'blue' }, status: { phase: 'ready' } });
      expect(blue.metadata.generation).toBe(2);
    },
  },
  {
    title: 'a PUT of the status that changes nothing makes no version',
    run: async (server) => {
      const found = await ready(server);
      expect(await server.client.updateStatus(type, found)).toEqual(found);
    },
  },
  {
    title: 'a PUT of the status without a status removes it',
    run: async (server) => {
      const { status: _, ...without } = await ready(server);
      expect(await server.client.updateStatus(type, without)).not.toHaveProperty('status');
    },
  },
  {
    title: 'a PUT of the status with a stale version, another UID, or without a version',
    run: async (server) => {
      const { client } = server;
      const found = await ready(server);
      const changed = { ...found, status: { phase: 'broken' } };
      const uid = '00000000-0000-4000-8000-000000000000';
      const put = (given: typeof found) => refusalOf(client.updateStatus(type, given));
      expect(await put(withMetadata(changed, { resourceVersion: '1' }))).toEqual(conflict);
      expect(await put(withMetadata(changed, { uid }))).toEqual(conflict);
      const { resourceVersion: _, ...metadata } = found.metadata;
      expect(await put({ ...changed, metadata })).toEqual(invalid);
      await expectUnchanged(server, widgetSubject, found);
    },
  },
  {
    title: 'a merge patch of the status, and one of the object with a status',
    run: async (server) => {
      const { client } = server;
      const found = await ready(server);
      const key = keyOf(found);
      const everything = {
        status: { note: 'x', phase: null },
        spec: { colour: 'blue' },
        metadata: { labels: { a: 'b' } },
      };
      const patched = await client.mergePatch(type, key, everything, { subresource: 'status' });
      expect(patched).toMatchObject({ spec: { colour: 'red' }, status: { note: 'x' } });
      expect(patched.status).not.toHaveProperty('phase');
      expect(patched.metadata).not.toHaveProperty('labels');
      expect(patched.metadata.generation).toBe(1);
      const main = await client.mergePatch(type, key, { status: { note: 'y' }, spec: { colour: 'blue' } });
      expect(main).toMatchObject({
        spec: { colour: 'blue' },
        status: { note: 'x' },
        metadata: { generation: 2 },
      });
      const stale = { status: { note: 'z' }, metadata: { resourceVersion: found.metadata.resourceVersion } };
      expect(await refusalOf(client.mergePatch(type, key, stale, { subresource: 'status' }))).toEqual(
        conflict,
      );
    },
  },
  {
    title: 'the status of a missing object is NotFound',
    run: async (server) => {
      const { client } = server;
      const patch = client.mergePatch(type, missing(server), { status: {} }, { subresource: 'status' });
      expect(await refusalOf(patch)).toEqual(notFound);
      const { spec: _, ...given } = object(server, widgetSubject);
      const apply = { fieldManager: 'a', subresource: 'status' } as const;
      expect(await refusalOf(client.apply(type, { ...given, status: { phase: 'ready' } }, apply))).toEqual(
        notFound,
      );
    },
  },
  {
    title: 'a kind without a status subresource does not serve it',
    run: async (server) => {
      const { client, namespace } = server;
      const created = await client.create(contractConfigMaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace, name: 'without-status' },
      });
      const refused = { ...notFound, is: ['isNotFound', 'isUnknownKind'] };
      expect(await refusalOf(client.updateStatus(contractConfigMaps, created))).toEqual(refused);
      const patch = client.mergePatch(contractConfigMaps, keyOf(created), {}, { subresource: 'status' });
      expect(await refusalOf(patch)).toEqual(refused);
    },
  },
];
