/** Create and PUT. */
import { expect } from '@jest/globals';
import { keyOf, type ObjectMeta } from '../../../../internal/framework/kube/object/object.ts';
import { leases } from '../../../../internal/framework/kube/object/resource-type.ts';
import {
  alreadyExists,
  type ContractCase,
  conflict,
  eachKind,
  eventsAfter,
  expectUnchanged,
  invalid,
  linesOf,
  notFound,
  object,
  refusalOf,
  widgetSubject,
  withContent,
  withMetadata,
} from '../contract-case.ts';

const other = '00000000-0000-4000-8000-000000000000';
const longAgo = '2001-01-01T00:00:00Z';

export const writeCases: readonly ContractCase[] = [
  ...eachKind('a create sets what belongs to the server', async (server, subject) => {
    const { client } = server;
    const given = object(server, subject, undefined, {
      uid: other,
      ...(subject.hasStatus ? { generation: 7 } : {}),
      creationTimestamp: longAgo,
      deletionTimestamp: longAgo,
    });
    const created = await client.create(subject.type, given);
    const { metadata } = created;
    expect(metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(metadata.uid).not.toBe(other);
    expect(metadata.resourceVersion).toMatch(/^[1-9][0-9]*$/);
    expect(metadata.creationTimestamp).toMatch(/^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(metadata.creationTimestamp).not.toBe(longAgo);
    expect(metadata.generation).toBe(subject.hasStatus ? 1 : undefined);
    expect(metadata).not.toHaveProperty('deletionTimestamp');
    expect(created[subject.field]).toEqual({ colour: 'red' });
    await expectUnchanged(server, subject, created);
  }),
  {
    title: 'a create ignores the status',
    run: async (server) => {
      const given = { ...object(server, widgetSubject), status: { phase: 'x' } };
      expect(await server.client.create(widgetSubject.type, given)).not.toHaveProperty('status');
    },
  },
  ...eachKind('a second create is AlreadyExists', async (server, { type, ...subject }) => {
    const given = object(server, { type, ...subject });
    await server.client.create(type, given);
    expect(await refusalOf(server.client.create(type, given))).toEqual(alreadyExists);
    expect(await refusalOf(server.client.create(type, given, { dryRun: true }))).toEqual(alreadyExists);
  }),
  ...eachKind('generateName makes different names', async (server, subject) => {
    const { name: _, ...metadata } = object(server, subject).metadata;
    const given = { ...object(server, subject), metadata: { ...metadata, generateName: 'made-' } };
    const create = () =>
      server.client.create(subject.type, given as typeof given & ReturnType<typeof object>);
    const [first, second] = [await create(), await create()];
    expect(first.metadata.name).toMatch(/^made-[a-z0-9]{5}$/);
    expect(second.metadata.name).toMatch(/^made-/);
    expect(second.metadata.name).not.toBe(first.metadata.name);
    expect(first.metadata.generateName).toBe('made-');
  }),
  ...eachKind('a create with a resourceVersion is refused', async (server, subject) => {
    const given = object(server, subject, undefined, { resourceVersion: '1' });
    expect(await refusalOf(server.client.create(subject.type, given))).toEqual({
      status: 500,
      reason: '',
      kind: 'transient',
      is: [],
    });
  }),
  ...eachKind('a dry run of a create stores nothing', async (server, subject) => {
    const { client } = server;
    const given = object(server, subject);
    const tried = await client.create(subject.type, given, { dryRun: true });
    expect(tried.metadata).toMatchObject({ uid: expect.any(String), creationTimestamp: expect.any(String) });
    expect(tried.metadata).not.toHaveProperty('resourceVersion');
    expect(tried.metadata.generation).toBe(subject.hasStatus ? 1 : undefined);
    expect(await refusalOf(client.get(subject.type, keyOf(given)))).toEqual(notFound);
  }),

  ...eachKind('a PUT with the current version replaces the content', async (server, subject) => {
    const { client } = server;
    const created = await client.create(
      subject.type,
      object(server, subject, { colour: 'red', shape: 'round' }, { labels: { a: '1', b: '2' } }),
    );
    const updated = await client.update(subject.type, {
      ...withMetadata(created, { labels: { a: '3' } }),
      [subject.field]: { colour: 'blue' },
    });
    expect(updated[subject.field]).toEqual({ colour: 'blue' });
    expect(updated.metadata.labels).toEqual({ a: '3' });
    expect(updated.metadata.uid).toBe(created.metadata.uid);
    expect(updated.metadata.generation).toBe(subject.hasStatus ? 2 : undefined);
    expect(Number(updated.metadata.resourceVersion)).toBeGreaterThan(
      Number(created.metadata.resourceVersion),
    );
    await expectUnchanged(server, subject, updated);
    const [event] = await eventsAfter(server, subject, created.metadata as never, 1);
    expect(event).toEqual({ type: 'MODIFIED', object: updated });
  }),
  ...eachKind('a PUT with a stale version is a conflict', async (server, subject) => {
    const { client } = server;
    const created = await client.create(subject.type, object(server, subject));
    const updated = await client.update(subject.type, withContent(created, subject, { colour: 'blue' }));
    const stale = withContent(created, subject, { colour: 'green' });
    expect(await refusalOf(client.update(subject.type, stale))).toEqual(conflict);
    expect(await refusalOf(client.update(subject.type, stale, { dryRun: true }))).toEqual(conflict);
    // Also if it would change nothing.
    expect(
      await refusalOf(client.update(subject.type, withMetadata(updated, { resourceVersion: '1' }))),
    ).toEqual(conflict);
    await expectUnchanged(server, subject, updated);
  }),
  ...eachKind('a PUT without a version', async (server, subject) => {
    const { client } = server;
    const created = await client.create(subject.type, object(server, subject));
    const { resourceVersion: _, ...metadata } = created.metadata;
    const given = { ...withContent(created, subject, { colour: 'blue' }), metadata };
    // Custom resources need one, kinds of the core group do not.
    if (subject.hasStatus) expect(await refusalOf(client.update(subject.type, given))).toEqual(invalid);
    else expect((await client.update(subject.type, given)).data).toEqual({ colour: 'blue' });
  }),
  ...eachKind('a PUT with another UID is a conflict, one without a UID is not', async (server, subject) => {
    const { client } = server;
    const created = await client.create(subject.type, object(server, subject));
    expect(await refusalOf(client.update(subject.type, withMetadata(created, { uid: other })))).toEqual(
      conflict,
    );
    const { uid, ...metadata } = created.metadata;
    const updated = await client.update(subject.type, {
      ...withContent(created, subject, { colour: 'blue' }),
      metadata,
    });
    expect(updated.metadata.uid).toBe(uid);
  }),
  ...eachKind('a PUT of a missing object is NotFound', async (server, subject) => {
    const { client } = server;
    const created = await client.create(subject.type, object(server, subject));
    await client.delete(subject.type, keyOf(created));
    expect(await refusalOf(client.update(subject.type, created))).toEqual(notFound);
    const { uid: _u, ...metadata } = created.metadata;
    expect(await refusalOf(client.update(subject.type, { ...created, metadata }))).toEqual(notFound);
  }),
  {
    title: 'a PUT of a missing Lease creates it, unless it has a UID',
    run: async ({ client, namespace }) => {
      const put = (name: string, metadata: Partial<ObjectMeta>) =>
        client.update(leases, {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { namespace, name, ...metadata },
          spec: { holderIdentity: 'a' },
        });
      const created = await put('new', {});
      expect(created).toMatchObject({ spec: { holderIdentity: 'a' }, metadata: { uid: expect.any(String) } });
      expect(created.metadata).not.toHaveProperty('generation');
      expect(await client.get(leases, keyOf(created))).toEqual(created);
      expect((await put('versioned', { resourceVersion: '1' })).metadata.resourceVersion).not.toBe('1');
      expect(await refusalOf(put('replaced', { uid: other }))).toEqual(conflict);
      expect(await refusalOf(put('new', { labels: { a: 'b' } }))).toEqual(invalid);
    },
  },
  ...eachKind('a PUT that changes nothing makes no version and no event', async (server, subject) => {
    const { client } = server;
    const created = await client.create(subject.type, object(server, subject));
    expect(await client.update(subject.type, created)).toEqual(created);
    await client.update(subject.type, withContent(created, subject, { colour: 'blue' }));
    expect(linesOf(await eventsAfter(server, subject, created.metadata as never, 1))).toEqual([
      subject.hasStatus ? 'MODIFIED blue 2' : 'MODIFIED blue',
    ]);
  }),
  ...eachKind('a PUT of labels alone keeps the generation', async (server, subject) => {
    const { client } = server;
    const created = await client.create(subject.type, object(server, subject));
    const labelled = await client.update(subject.type, withMetadata(created, { labels: { a: 'b' } }));
    expect(labelled.metadata.labels).toEqual({ a: 'b' });
    expect(labelled.metadata.generation).toBe(created.metadata.generation);
    expect(labelled.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
  }),
  ...eachKind('a PUT cannot set fields of the server', async (server, subject) => {
    const { client } = server;
    const created = await client.create(subject.type, object(server, subject));
    for (const moved of [{ deletionTimestamp: longAgo }, { deletionGracePeriodSeconds: 3 }])
      expect(await refusalOf(client.update(subject.type, withMetadata(created, moved)))).toEqual(invalid);
    const { creationTimestamp: _c, generation: _g, ...metadata } = created.metadata;
    expect(await client.update(subject.type, { ...created, metadata })).toEqual(created);
    const given = withMetadata(created, { generation: 77, creationTimestamp: longAgo });
    expect(await client.update(subject.type, given)).toEqual(created);
  }),
  ...eachKind('empty maps and lists of metadata are not stored', async (server, subject) => {
    const { client } = server;
    const empty = { labels: {}, annotations: {}, finalizers: [], ownerReferences: [] };
    const created = await client.create(subject.type, object(server, subject, undefined, empty));
    for (const name of Object.keys(empty)) expect(created.metadata).not.toHaveProperty(name);
    const bare = await client.create(subject.type, { ...object(server, subject), [subject.field]: {} });
    // Custom resources keep an empty map.
    expect(bare[subject.field]).toEqual(subject.hasStatus ? {} : undefined);
    expect(await client.update(subject.type, withMetadata(created, empty))).toEqual(created);
  }),
  ...eachKind('a dry run of a PUT stores nothing', async (server, subject) => {
    const { client } = server;
    const created = await client.create(subject.type, object(server, subject));
    const blue = withContent(created, subject, { colour: 'blue' });
    const tried = await client.update(subject.type, blue, { dryRun: true });
    expect(tried[subject.field]).toEqual({ colour: 'blue' });
    expect(tried.metadata.generation).toBe(subject.hasStatus ? 2 : undefined);
    expect(tried.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
    await expectUnchanged(server, subject, created);
  }),
];
