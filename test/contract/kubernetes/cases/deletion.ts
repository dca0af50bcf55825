/** Deletion, finalizers, preconditions and propagation policies. */
import { expect } from '@jest/globals';
import type { DeleteOptions, WatchEvent } from '../../../../internal/framework/kube/client/client.ts';
import { keyOf } from '../../../../internal/framework/kube/object/object.ts';
import {
  type ContractCase,
  type ContractServer,
  conflict,
  eachKind,
  eventsAfter,
  expectUnchanged,
  invalid,
  missing,
  notFound,
  object,
  refusalOf,
  type Subject,
  withContent,
  withMetadata,
} from '../contract-case.ts';
import type { Content } from '../kinds.ts';

const finalizer = 'example.org/a';
const other = '00000000-0000-4000-8000-000000000000';

const held = ({ client, namespace }: ContractServer, subject: Subject) =>
  client.create(subject.type, object({ namespace }, subject, undefined, { finalizers: [finalizer] }));

async function terminating(server: ContractServer, subject: Subject): Promise<Content> {
  const created = await held(server, subject);
  await server.client.delete(subject.type, keyOf(created));
  return server.client.get(subject.type, keyOf(created));
}

/** The first event of a deletion with the policy: controllers may change the finalizers after it. */
async function firstEvent(
  server: ContractServer,
  subject: Subject,
  propagationPolicy: NonNullable<DeleteOptions['propagationPolicy']>,
  finalizers: string[],
): Promise<WatchEvent<Content> | undefined> {
  const created = await server.client.create(
    subject.type,
    object(server, subject, undefined, { finalizers }),
  );
  await server.client.delete(subject.type, keyOf(created), { propagationPolicy });
  return (await eventsAfter(server, subject, created.metadata as never, 1))[0];
}

export const deletionCases: readonly ContractCase[] = [
  ...eachKind(
    'without finalizers the object goes at once; the event has the last version',
    async (server, subject) => {
      const { client } = server;
      const created = await client.create(subject.type, object(server, subject));
      await client.delete(subject.type, keyOf(created));
      expect(await refusalOf(client.get(subject.type, keyOf(created)))).toEqual(notFound);
      expect(await refusalOf(client.delete(subject.type, keyOf(created)))).toEqual(notFound);
      const [event] = await eventsAfter(server, subject, created.metadata as never, 1);
      const { resourceVersion } = event?.object.metadata ?? {};
      expect(Number(resourceVersion)).toBeGreaterThan(Number(created.metadata.resourceVersion));
      expect(event).toEqual({
        type: 'DELETED',
        object: withMetadata(created, resourceVersion === undefined ? {} : { resourceVersion }),
      });
    },
  ),
  ...eachKind(
    'with finalizers it is marked, and a second deletion changes nothing',
    async (server, subject) => {
      const { client } = server;
      const created = await held(server, subject);
      await client.delete(subject.type, keyOf(created));
      const marked = await client.get(subject.type, keyOf(created));
      expect(marked.metadata).toMatchObject({
        uid: created.metadata.uid,
        deletionTimestamp: expect.stringMatching(/Z$/),
        deletionGracePeriodSeconds: 0,
        finalizers: [finalizer],
      });
      expect(marked.metadata.generation).toBe(subject.hasStatus ? 2 : undefined);
      expect(marked[subject.field]).toEqual(created[subject.field]);
      const [event] = await eventsAfter(server, subject, created.metadata as never, 1);
      expect(event).toEqual({ type: 'MODIFIED', object: marked });
      await client.delete(subject.type, keyOf(created));
      await expectUnchanged(server, subject, marked);
    },
  ),
  ...eachKind('the last finalizer removed by PUT deletes the object', async (server, subject) => {
    const { client } = server;
    const marked = await terminating(server, subject);
    const last = await client.update(subject.type, withMetadata(marked, { finalizers: [] }));
    expect(last.metadata).not.toHaveProperty('finalizers');
    expect(last.metadata.resourceVersion).toBe(marked.metadata.resourceVersion);
    expect(await refusalOf(client.get(subject.type, keyOf(marked)))).toEqual(notFound);
    const [event] = await eventsAfter(server, subject, marked.metadata as never, 1);
    const { resourceVersion = '' } = event?.object.metadata ?? {};
    // As it was stored last: with the finalizer.
    expect(event).toEqual({ type: 'DELETED', object: withMetadata(marked, { resourceVersion }) });
    expect(Number(resourceVersion)).toBeGreaterThan(Number(marked.metadata.resourceVersion));
  }),
  ...eachKind('the last finalizer removed by a patch deletes the object', async (server, subject) => {
    const { client } = server;
    for (const patch of ['merge', 'json']) {
      const key = keyOf(await terminating(server, subject));
      if (patch === 'merge') await client.mergePatch(subject.type, key, { metadata: { finalizers: null } });
      else await client.jsonPatch(subject.type, key, [{ op: 'remove', path: '/metadata/finalizers/0' }]);
      expect(await refusalOf(client.get(subject.type, key))).toEqual(notFound);
    }
  }),
  ...eachKind('a terminating object takes writes, but no new finalizers', async (server, subject) => {
    const { client } = server;
    const marked = await terminating(server, subject);
    const more = withMetadata(marked, { finalizers: [finalizer, 'example.org/b'] });
    expect(await refusalOf(client.update(subject.type, more))).toEqual(invalid);
    expect(await refusalOf(client.update(subject.type, more, { dryRun: true }))).toEqual(invalid);
    const patch = { metadata: { finalizers: ['example.org/b'] } };
    expect(await refusalOf(client.mergePatch(subject.type, keyOf(marked), patch))).toEqual(invalid);
    await expectUnchanged(server, subject, marked);
    const blue = await client.update(subject.type, withContent(marked, subject, { colour: 'blue' }));
    expect(blue.metadata.generation).toBe(subject.hasStatus ? 3 : undefined);
    const { deletionTimestamp: _, ...metadata } = blue.metadata;
    const kept = await client.update(subject.type, { ...blue, metadata });
    expect(kept.metadata.deletionTimestamp).toBe(marked.metadata.deletionTimestamp);
    expect(
      await refusalOf(client.create(subject.type, object(server, subject, {}, keyOf(marked)))),
    ).toMatchObject({
      is: ['isAlreadyExists'],
    });
  }),
  ...eachKind('preconditions that do not hold are conflicts', async (server, subject) => {
    const { client } = server;
    const created = await client.create(subject.type, object(server, subject));
    const remove = (preconditions: DeleteOptions['preconditions'] & object) =>
      client.delete(subject.type, keyOf(created), { preconditions });
    const { uid = '', resourceVersion = '' } = created.metadata;
    expect(await refusalOf(remove({ uid: other }))).toEqual(conflict);
    expect(await refusalOf(remove({ uid, resourceVersion: '1' }))).toEqual(conflict);
    await expectUnchanged(server, subject, created);
    await remove({ uid, resourceVersion });
    expect(await refusalOf(client.get(subject.type, keyOf(created)))).toEqual(notFound);
  }),
  ...eachKind(
    'preconditions hold also for an object that is terminating, or missing',
    async (server, subject) => {
      const { client } = server;
      const marked = await terminating(server, subject);
      const options = { preconditions: { uid: other } };
      expect(await refusalOf(client.delete(subject.type, keyOf(marked), options))).toEqual(conflict);
      expect(await refusalOf(client.delete(subject.type, missing(server), options))).toEqual(notFound);
    },
  ),
  ...eachKind('propagation policies make finalizers of the garbage collector', async (server, subject) => {
    const first = async (policy: NonNullable<DeleteOptions['propagationPolicy']>, finalizers: string[]) => {
      const event = await firstEvent(server, subject, policy, finalizers);
      const { finalizers: left, deletionTimestamp } = event?.object.metadata ?? {};
      return [event?.type, left, deletionTimestamp !== undefined];
    };
    const both = expect.arrayContaining([finalizer]);
    expect(await first('Background', [])).toEqual(['DELETED', undefined, false]);
    expect(await first('Background', [finalizer])).toEqual(['MODIFIED', [finalizer], true]);
    expect(await first('Foreground', [])).toEqual(['MODIFIED', ['foregroundDeletion'], true]);
    expect(await first('Foreground', [finalizer])).toEqual(['MODIFIED', both, true]);
    expect(await first('Orphan', [])).toEqual(['MODIFIED', ['orphan'], true]);
    expect(await first('Orphan', ['foregroundDeletion'])).toEqual(['MODIFIED', ['orphan'], true]);
    expect(await first('Background', ['foregroundDeletion'])).toEqual([
      'DELETED',
      ['foregroundDeletion'],
      false,
    ]);
  }),
];
