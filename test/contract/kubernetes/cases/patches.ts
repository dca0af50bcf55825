/** Merge patches and JSON patches. */
import { expect } from '@jest/globals';
import { keyOf } from '../../../../internal/framework/kube/object/object.ts';
import {
  type ContractCase,
  conflict,
  eachKind,
  expectUnchanged,
  invalid,
  missing,
  notFound,
  object,
  refusalOf,
  replaced,
} from '../contract-case.ts';

export const patchCases: readonly ContractCase[] = [
  ...eachKind('a merge patch sets and removes fields', async (server, subject) => {
    const { client } = server;
    const given = object(server, subject, { colour: 'red', shape: 'round' }, { labels: { a: '1' } });
    const created = await client.create(subject.type, given);
    const patched = await client.mergePatch(subject.type, keyOf(given), {
      metadata: { labels: { b: '2' }, annotations: { c: '3' } },
      [subject.field]: { colour: null, shape: 'square' },
    });
    expect(patched[subject.field]).toEqual({ shape: 'square' });
    expect(patched.metadata).toMatchObject({ labels: { a: '1', b: '2' }, annotations: { c: '3' } });
    expect(patched.metadata.generation).toBe(subject.hasStatus ? 2 : undefined);
    expect(patched.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
    await expectUnchanged(server, subject, patched);
    const emptied = await client.mergePatch(subject.type, keyOf(given), { metadata: { labels: null } });
    expect(emptied.metadata).not.toHaveProperty('labels');
    const bare = await client.mergePatch(subject.type, keyOf(given), {
      metadata: { annotations: { c: null } },
    });
    expect(bare.metadata).not.toHaveProperty('annotations');
    // Custom resources keep an empty map.
    const last = await client.mergePatch(subject.type, keyOf(given), { [subject.field]: { shape: null } });
    expect(last[subject.field]).toEqual(subject.hasStatus ? {} : undefined);
  }),
  ...eachKind('a merge patch that changes nothing makes no version', async (server, subject) => {
    const created = await server.client.create(subject.type, object(server, subject));
    for (const patch of [{}, { [subject.field]: { colour: 'red' } }, { metadata: { labels: { a: null } } }])
      expect(await server.client.mergePatch(subject.type, keyOf(created), patch)).toEqual(created);
  }),
  ...eachKind('a merge patch may have preconditions', async (server, subject) => {
    const { client } = server;
    const created = await client.create(subject.type, object(server, subject));
    const patch = (metadata: object, colour: string) =>
      client.mergePatch(subject.type, keyOf(created), { metadata, [subject.field]: { colour } });
    const { resourceVersion } = created.metadata;
    const patched = await patch({ resourceVersion }, 'blue');
    expect(await refusalOf(patch({ resourceVersion }, 'green'))).toEqual(conflict);
    const other = patch({ uid: '00000000-0000-4000-8000-000000000000' }, 'green');
    expect(await refusalOf(other)).toEqual(replaced);
    await expectUnchanged(server, subject, patched);
  }),
  ...eachKind('a patch cannot rename the object', async (server, subject) => {
    const { client } = server;
    const created = await client.create(subject.type, object(server, subject));
    const badRequest = { status: 400, reason: 'BadRequest', kind: 'transient', is: [] };
    for (const metadata of [{ name: 'other' }, { namespace: 'other' }]) {
      const patch = client.mergePatch(subject.type, keyOf(created), { metadata });
      expect(await refusalOf(patch)).toEqual(badRequest);
    }
    await expectUnchanged(server, subject, created);
  }),
  ...eachKind('patches of a missing object are NotFound', async (server, { type }) => {
    const { client } = server;
    expect(await refusalOf(client.mergePatch(type, missing(server), {}))).toEqual(notFound);
    expect(await refusalOf(client.jsonPatch(type, missing(server), []))).toEqual(notFound);
  }),
  ...eachKind('dry runs of patches store nothing', async (server, subject) => {
    const { client } = server;
    const created = await client.create(subject.type, object(server, subject));
    const key = keyOf(created);
    const content = { [subject.field]: { colour: 'blue' } };
    const merged = await client.mergePatch(subject.type, key, content, { dryRun: true });
    expect(merged).toMatchObject(content);
    const patch = [{ op: 'replace', path: `/${subject.field}/colour`, value: 'blue' }] as const;
    expect(await client.jsonPatch(subject.type, key, patch, { dryRun: true })).toMatchObject(content);
    await expectUnchanged(server, subject, created);
  }),
  ...eachKind('a JSON patch is applied as a whole, to the newest version', async (server, subject) => {
    const { client } = server;
    const created = await client.create(subject.type, object(server, subject));
    const key = keyOf(created);
    const path = `/${subject.field}`;
    await client.mergePatch(subject.type, key, { metadata: { labels: { 'a/b': '1' } } });
    const patched = await client.jsonPatch(subject.type, key, [
      { op: 'test', path: `${path}/colour`, value: 'red' },
      { op: 'test', path: '/metadata/labels/a~1b', value: '1' },
      { op: 'replace', path: `${path}/colour`, value: 'blue' },
      { op: 'add', path: `${path}/shape`, value: 'round' },
      { op: 'remove', path: '/metadata/labels' },
    ]);
    expect(patched[subject.field]).toEqual({ colour: 'blue', shape: 'round' });
    expect(patched.metadata).not.toHaveProperty('labels');
    expect(patched.metadata.generation).toBe(subject.hasStatus ? 2 : undefined);
    await expectUnchanged(server, subject, patched);
    expect(await client.jsonPatch(subject.type, key, [])).toEqual(patched);
  }),
  ...eachKind('a JSON patch that does not fit is refused as a whole', async (server, subject) => {
    const { client } = server;
    const created = await client.create(subject.type, object(server, subject));
    const path = `/${subject.field}`;
    const { resourceVersion, uid } = created.metadata;
    const change = { op: 'replace', path: `${path}/colour`, value: 'blue' } as const;
    for (const misfit of [
      { op: 'test', path: `${path}/colour`, value: 'green' },
      { op: 'test', path: `${path}/shape`, value: 'round' },
      { op: 'test', path: '/metadata/labels/a', value: 'b' },
      { op: 'test', path: '/metadata/resourceVersion', value: `${resourceVersion}0` },
      { op: 'test', path: '/metadata/uid', value: `${uid}0` },
      { op: 'remove', path: `${path}/shape` },
      { op: 'add', path: '/metadata/labels/a', value: 'b' },
      { op: 'replace', path: '/metadata/labels/a', value: 'b' },
      { op: 'replace', path: '/metadata/finalizers/0', value: 'b' },
    ] as const) {
      const refused = await refusalOf(client.jsonPatch(subject.type, keyOf(created), [change, misfit]));
      expect([misfit, refused]).toEqual([misfit, invalid]);
    }
    await expectUnchanged(server, subject, created);
  }),
  ...eachKind('a JSON patch replaces also what is not there', async (server, subject) => {
    const created = await server.client.create(subject.type, object(server, subject));
    const patched = await server.client.jsonPatch(subject.type, keyOf(created), [
      { op: 'replace', path: `/${subject.field}/shape`, value: 'round' },
    ]);
    expect(patched[subject.field]).toEqual({ colour: 'red', shape: 'round' });
  }),
  ...eachKind('a JSON patch of finalizers', async (server, subject) => {
    const { client } = server;
    const finalizers = ['example.org/a', 'example.org/b'];
    const created = await client.create(subject.type, object(server, subject, undefined, { finalizers }));
    const patch = (operations: Parameters<typeof client.jsonPatch>[2]) =>
      client.jsonPatch(subject.type, keyOf(created), operations);
    const one = await patch([
      { op: 'test', path: '/metadata/finalizers/0', value: 'example.org/a' },
      { op: 'remove', path: '/metadata/finalizers/0' },
    ]);
    expect(one.metadata.finalizers).toEqual(['example.org/b']);
    const more = await patch([{ op: 'add', path: '/metadata/finalizers/-', value: 'example.org/c' }]);
    expect(more.metadata.finalizers).toEqual(['example.org/b', 'example.org/c']);
    expect(await refusalOf(patch([{ op: 'remove', path: '/metadata/finalizers/2' }]))).toEqual(invalid);
    expect((await patch([{ op: 'remove', path: '/metadata/finalizers' }])).metadata).not.toHaveProperty(
      'finalizers',
    );
  }),
];
