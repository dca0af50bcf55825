/** Server-side apply. */
import { expect } from '@jest/globals';
import type { ApplyOptions } from '../../../../internal/framework/kube/client/client.ts';
import { keyOf, type ObjectMeta } from '../../../../internal/framework/kube/object/object.ts';
import {
  type ContractCase,
  type ContractServer,
  conflict,
  eachKind,
  eventsAfter,
  expectUnchanged,
  linesOf,
  object,
  refusalOf,
  replaced,
  type Subject,
  uniqueObjectName,
  widgetSubject,
  withContent,
} from '../contract-case.ts';
import type { Content } from '../kinds.ts';

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly apiVersion: string;
  readonly fieldsType: string;
  readonly fieldsV1: unknown;
  readonly time: string;
}

/** What the manager owns by apply. */
function ownedBy(manager: string, { metadata }: Content): unknown {
  const entries = (metadata.managedFields ?? []) as Entry[];
  return entries.find((entry) => entry.manager === manager && entry.operation === 'Apply')?.fieldsV1;
}

/** Applies to one object, by `manager: content`. */
function applier(server: ContractServer, subject: Subject) {
  const name = uniqueObjectName();
  return (
    fieldManager: string,
    content: Record<string, unknown>,
    { metadata = {}, ...options }: Partial<ApplyOptions> & { metadata?: Partial<ObjectMeta> } = {},
  ) =>
    server.client.apply(subject.type, object(server, subject, content, { name, ...metadata }), {
      fieldManager,
      ...options,
    });
}

export const applyCases: readonly ContractCase[] = [
  ...eachKind('an apply creates the object and owns its fields', async (server, subject) => {
    const apply = applier(server, subject);
    const created = await apply('one', { colour: 'red' }, { metadata: { labels: { a: '1' } } });
    expect(created.metadata.generation).toBe(subject.hasStatus ? 1 : undefined);
    expect(created.metadata.managedFields).toEqual([
      {
        manager: 'one',
        operation: 'Apply',
        apiVersion: created.apiVersion,
        time: expect.stringMatching(/Z$/),
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { 'f:a': {} } },
          [`f:${subject.field}`]: { 'f:colour': {} },
        },
      },
    ]);
    await expectUnchanged(server, subject, created);
  }),
  ...eachKind('an apply that changes nothing makes no version', async (server, subject) => {
    const apply = applier(server, subject);
    const created = await apply('one', { colour: 'red' });
    expect(await apply('one', { colour: 'red' })).toEqual(created);
    await apply('one', { colour: 'blue' });
    expect(linesOf(await eventsAfter(server, subject, created.metadata as never, 1))).toEqual([
      subject.hasStatus ? 'MODIFIED blue 2' : 'MODIFIED blue',
    ]);
  }),
  ...eachKind('a field that its only manager no longer applies is removed', async (server, subject) => {
    const apply = applier(server, subject);
    await apply('one', { colour: 'red', shape: 'round' }, { metadata: { labels: { a: '1' } } });
    const both = await apply('two', { shape: 'round' });
    expect(ownedBy('two', both)).toEqual({ [`f:${subject.field}`]: { 'f:shape': {} } });
    expect(both.metadata.generation).toBe(subject.hasStatus ? 1 : undefined);
    const less = await apply('one', {});
    expect(less[subject.field]).toEqual({ shape: 'round' });
    expect(less.metadata).not.toHaveProperty('labels');
    const none = await apply('two', {});
    expect(none).not.toHaveProperty(subject.field);
  }),
  ...eachKind('other fields stay, of updates and of other managers', async (server, subject) => {
    const created = await server.client.create(subject.type, object(server, subject));
    const apply = applier(server, subject);
    const name = created.metadata;
    const applied = await apply('one', { shape: 'round' }, { metadata: name && keyOf(created) });
    expect(applied[subject.field]).toEqual({ colour: 'red', shape: 'round' });
    const given = await apply('one', {}, { metadata: keyOf(created) });
    expect(given[subject.field]).toEqual({ colour: 'red' });
  }),
  ...eachKind(
    'a change of what another manager owns is a conflict, unless forced',
    async (server, subject) => {
      const apply = applier(server, subject);
      const created = await apply('one', { colour: 'red', shape: 'round' });
      expect(await refusalOf(apply('two', { colour: 'blue' }))).toEqual(conflict);
      expect(await refusalOf(apply('two', { colour: 'blue' }, { dryRun: true }))).toEqual(conflict);
      await expectUnchanged(server, subject, created);
      const forced = await apply('two', { colour: 'blue' }, { force: true });
      expect(forced[subject.field]).toEqual({ colour: 'blue', shape: 'round' });
      expect([ownedBy('one', forced), ownedBy('two', forced)]).toEqual([
        { [`f:${subject.field}`]: { 'f:shape': {} } },
        { [`f:${subject.field}`]: { 'f:colour': {} } },
      ]);
      const without = await apply('one', { shape: 'round' });
      expect(without).toEqual(forced);
    },
  ),
  ...eachKind('what an update has set is a conflict too', async (server, subject) => {
    const created = await server.client.create(subject.type, object(server, subject));
    const apply = applier(server, subject);
    const metadata = keyOf(created);
    expect(await refusalOf(apply('one', { colour: 'blue' }, { metadata }))).toEqual(conflict);
    const same = await apply('one', { colour: 'red' }, { metadata });
    expect(ownedBy('one', same)).toEqual({ [`f:${subject.field}`]: { 'f:colour': {} } });
    // Both own it: it stays until neither does.
    expect((await apply('one', {}, { metadata }))[subject.field]).toEqual({ colour: 'red' });
  }),
  ...eachKind('an update takes fields over from managers', async (server, subject) => {
    const apply = applier(server, subject);
    const created = await apply('one', { colour: 'red', shape: 'round' });
    const updated = await server.client.update(
      subject.type,
      withContent(created, subject, { colour: 'blue' }),
    );
    expect(ownedBy('one', updated)).toEqual({ [`f:${subject.field}`]: { 'f:shape': {} } });
    expect(await refusalOf(apply('one', { colour: 'red' }))).toEqual(conflict);
    const patched = await server.client.mergePatch(subject.type, keyOf(created), {
      [subject.field]: { shape: null },
    });
    expect(ownedBy('one', patched)).toBeUndefined();
  }),
  ...eachKind('a dry run of an apply stores nothing', async (server, subject) => {
    const apply = applier(server, subject);
    const tried = await apply('one', { colour: 'red' }, { dryRun: true });
    expect(tried[subject.field]).toEqual({ colour: 'red' });
    expect(await refusalOf(server.client.get(subject.type, keyOf(tried)))).toMatchObject({ status: 404 });
    const created = await apply('one', { colour: 'red' });
    expect((await apply('one', { colour: 'blue' }, { dryRun: true }))[subject.field]).toEqual({
      colour: 'blue',
    });
    await expectUnchanged(server, subject, created);
  }),
  ...eachKind('an apply may have preconditions', async (server, subject) => {
    const apply = applier(server, subject);
    const { metadata } = await apply('one', { colour: 'red' });
    const stale = { metadata: { resourceVersion: '1' } };
    expect(await refusalOf(apply('one', { colour: 'blue' }, stale))).toEqual(conflict);
    const foreign = { metadata: { uid: '00000000-0000-4000-8000-000000000000' } };
    expect(await refusalOf(apply('one', { colour: 'blue' }, foreign))).toEqual(replaced);
    const { resourceVersion = '' } = metadata;
    const applied = await apply('one', { colour: 'blue' }, { metadata: { resourceVersion } });
    expect(applied[subject.field]).toEqual({ colour: 'blue' });
  }),
  ...eachKind('an apply cannot have managedFields', async (server, subject) => {
    const apply = applier(server, subject);
    const { metadata } = await apply('one', { colour: 'red' });
    const { managedFields = [] } = metadata;
    expect(await refusalOf(apply('one', { colour: 'red' }, { metadata: { managedFields } }))).toEqual({
      status: 400,
      reason: 'BadRequest',
      kind: 'transient',
      is: [],
    });
  }),
  ...eachKind('finalizers are a set, owner references have the key uid', async (server, subject) => {
    const apply = applier(server, subject);
    // The garbage collector deletes objects whose owners do not exist.
    const owner = async () => {
      const { apiVersion, kind, metadata } = await server.client.create(
        subject.type,
        object(server, subject),
      );
      return { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' };
    };
    const [a, b] = [await owner(), await owner()];
    await apply('one', {}, { metadata: { finalizers: ['example.org/a'], ownerReferences: [a] } });
    const metadata = { finalizers: ['example.org/b'], ownerReferences: [b] };
    const both = await apply('two', {}, { metadata });
    expect(both.metadata.finalizers).toEqual(['example.org/a', 'example.org/b']);
    expect(both.metadata.ownerReferences).toEqual([a, b]);
    expect(ownedBy('two', both)).toEqual({
      'f:metadata': {
        'f:finalizers': { 'v:"example.org/b"': {} },
        'f:ownerReferences': { [`k:{"uid":"${b.uid}"}`]: {} },
      },
    });
    const one = await apply('one', {}, { metadata: {} });
    expect(one.metadata).toMatchObject(metadata);
  }),
  {
    title: 'nested maps are granular, other lists are atomic',
    run: async (server) => {
      const apply = applier(server, widgetSubject);
      await apply('one', { tags: ['a'], parts: { door: 'red' } });
      const two = await apply('two', { parts: { wheel: 'blue' } });
      expect(two.spec).toEqual({ tags: ['a'], parts: { door: 'red', wheel: 'blue' } });
      expect(ownedBy('one', two)).toEqual({ 'f:spec': { 'f:parts': { 'f:door': {} }, 'f:tags': {} } });
      expect(await refusalOf(apply('two', { tags: ['a', 'b'] }))).toEqual(conflict);
      const forced = await apply('two', { tags: ['b'] }, { force: true });
      expect(forced.spec).toEqual({ tags: ['b'], parts: { door: 'red' } });
      const less = await apply('one', {});
      expect(less.spec).toEqual({ tags: ['b'] });
    },
  },
  {
    title: 'the status is applied apart from the rest',
    run: async (server) => {
      const { client } = server;
      const { type } = widgetSubject;
      const created = await client.create(type, object(server, widgetSubject));
      const { spec: _, ...bare } = object(server, widgetSubject, {}, keyOf(created));
      const apply = (manager: string, status: Record<string, unknown>, more: object = {}) =>
        client.apply(
          type,
          { ...bare, ...more, ...(Object.keys(status).length > 0 ? { status } : {}) },
          { fieldManager: manager, subresource: 'status' },
        );
      const one = await apply(
        'one',
        { phase: 'ready', conditions: [{ type: 'A', status: 'True' }] },
        { spec: { colour: 'blue' } },
      );
      expect(one).toMatchObject({ spec: { colour: 'red' }, metadata: { generation: 1 } });
      expect(one.metadata.managedFields).toContainEqual(
        expect.objectContaining({
          manager: 'one',
          subresource: 'status',
          fieldsV1: {
            'f:status': {
              'f:phase': {},
              'f:conditions': { 'k:{"type":"A"}': { '.': {}, 'f:status': {}, 'f:type': {} } },
            },
          },
        }),
      );
      const two = await apply('two', { conditions: [{ type: 'B', status: 'True' }] });
      expect(two.status).toEqual({
        phase: 'ready',
        conditions: [
          { type: 'A', status: 'True' },
          { type: 'B', status: 'True' },
        ],
      });
      expect(await refusalOf(apply('two', { conditions: [{ type: 'A', status: 'False' }] }))).toEqual(
        conflict,
      );
      const less = await apply('one', {});
      expect(less.status).toEqual({ conditions: [{ type: 'B', status: 'True' }] });
      expect(await apply('two', { conditions: [{ type: 'B', status: 'True' }] })).toEqual(less);
      const stale = { metadata: { ...keyOf(created), resourceVersion: '1' } };
      expect(await refusalOf(apply('two', { phase: 'stale' }, stale))).toEqual(conflict);
      // An apply of the object ignores the status.
      const main = await client.apply(
        type,
        { ...bare, spec: { shape: 'round' }, status: { phase: 'broken' } },
        { fieldManager: 'one' },
      );
      expect(main).toMatchObject({ spec: { colour: 'red', shape: 'round' }, status: less.status });
      expect(main.status).not.toHaveProperty('phase');
    },
  },
];
