import { describe, expect, test } from '@jest/globals';
import { noFence } from '../../base/concurrency/fence.ts';
import { reserveNothing } from '../../base/concurrency/limit-key.ts';
import { kindOf, messageOf, ProviderError } from '../../base/errors/errors.ts';
import { nopLogger } from '../../base/telemetry/telemetry.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createFakeCache } from '../../kube/fakes/fake-cache.ts';
import type { ResourceType } from '../../kube/object/resource-type.ts';
import type { ExternalClient } from '../kind/external-client.ts';
import { getCondition } from '../resource/conditions.ts';
import type { Managed } from '../resource/managed.ts';
import { createExternalClaims } from './external-claims.ts';

const folders: ResourceType<Managed> = {
  ...{ group: 'notes.example.org', version: 'v1', kind: 'Folder', plural: 'folders', namespaced: true },
};
const kind = { type: folders, noun: 'folder', apiName: 'Notes' };
const scope = ['https://notes.example.org', 'account-1'];

interface Given {
  readonly annotations?: Record<string, string>;
  readonly spec?: Managed['spec'];
  readonly deleted?: boolean;
}
/** First in the alphabet is oldest. All have the external name 42. */
function folder(
  name: 'anna' | 'bert',
  { annotations = {}, spec = {}, deleted = false }: Given = {},
): Managed {
  return {
    apiVersion: 'notes.example.org/v1',
    kind: 'Folder',
    metadata: {
      name,
      uid: `uid-${name}`,
      creationTimestamp: `2024-01-0${name === 'anna' ? 1 : 2}T00:00:00Z`,
      annotations: { 'crossplane.io/external-name': '42', ...annotations },
      ...(deleted ? { deletionTimestamp: '2024-02-01T00:00:00Z' } : {}),
    },
    spec,
  };
}

/** A started source of resources, and an external API with the folder 42. */
function setup(resources: readonly Managed[], { isStarted = true } = {}) {
  const clock = createFakeClock();
  const ctx = {
    ...{ signal: new AbortController().signal, log: nopLogger, clock, isLowPriority: true },
    ...{ reserve: reserveNothing, assertMayWrite: noFence },
  };
  const all = createExternalClaims({ clock });
  const claims = all.of<Managed>(kind);
  const cache = createFakeCache(resources);
  const requeued: string[] = [];
  if (isStarted) claims.source(cache).start((key) => requeued.push(key));
  const writes: string[] = [];
  const answer = { present: true, isPending: false, refused: new Set<string>() };
  const inner: ExternalClient<Managed> = {
    observe: async ({ metadata: { name } }) => {
      if (answer.refused.has(name)) throw new ProviderError('auth', 'answered 401');
      if (answer.isPending) return { state: 'pending', operation: 'creation', checkAfterMs: 1000 };
      return answer.present ? { state: 'present', upToDate: false } : { state: 'absent' };
    },
    create: async () => ({}),
    update: async ({ metadata: { name } }) => {
      writes.push(`update by ${name}`);
      return {};
    },
    delete: async ({ metadata: { name } }) => {
      writes.push(`delete by ${name}`);
      return {};
    },
  };
  const clientIn = (at: readonly string[]) => claims.client(inner, at);
  const client = clientIn(scope);
  const observe = (resource: Managed, at = client) =>
    at.observe(resource, ctx).then(
      (observation) => observation.state,
      (error: unknown) => error,
    );
  const failure = (work: () => Promise<unknown>) =>
    Promise.resolve()
      .then(work)
      .then(
        () => 'done',
        (error: unknown) => messageOf(error),
      );
  return {
    ...{ clock, ctx, all, cache, requeued, writes, answer, client, clientIn, observe },
    update: (resource: Managed) => failure(() => client.update(resource, ctx)),
    remove: (resource: Managed) => failure(() => client.delete(resource, ctx)),
  };
}

const anna = folder('anna');
const bert = folder('bert');
const byAnna =
  'the folder "42" is owned by Folder anna: delete one of the two, or give them different external names; the folder stays';

describe('of two resources with one external resource', () => {
  test('the older one holds it: the other has a conflict, is not Ready, and writes nothing', async () => {
    const { observe, update, remove, writes } = setup([anna, bert]);
    expect(await observe(anna)).toBe('present');
    const younger = folder('bert');
    const error = await observe(younger);
    expect([kindOf(error), messageOf(error)]).toEqual(['contested', byAnna]);
    expect(getCondition(younger, 'Ready')).toMatchObject({ status: 'False', message: byAnna });
    expect([await update(bert), await remove(bert)]).toEqual([byAnna, byAnna]);
    expect([await update(anna), await remove(anna)]).toEqual(['done', 'done']);
    expect(writes).toEqual(['update by anna', 'delete by anna']);
  });

  test('the older one still holds it after an edit', async () => {
    const { cache, observe, update, requeued } = setup([anna, bert]);
    await observe(bert);
    await observe(anna);
    requeued.length = 0;
    cache.put(folder('anna', { annotations: { team: 'a' } }));
    expect(await update(bert)).toBe(byAnna);
    expect(requeued).toEqual([]);
  });

  test('the older one takes it from a younger one between its Observe and its write', async () => {
    const { observe, update, requeued } = setup([anna, bert]);
    expect(await observe(bert)).toBe('present');
    requeued.length = 0;
    expect(await observe(anna)).toBe('present');
    expect(requeued).toEqual(['bert']);
    expect(await update(bert)).toBe(byAnna);
  });

  test('the deletion of the younger one leaves it to the older one', async () => {
    const { observe, remove, writes } = setup([anna, bert]);
    await observe(anna);
    const deleted = folder('bert', { deleted: true });
    expect(await observe(deleted)).toBe('absent');
    expect(await remove(deleted)).toBe(byAnna);
    expect(writes).toEqual([]);
  });

  test.each<{ readonly title: string; readonly change: (s: ReturnType<typeof setup>) => void }>([
    { title: 'is gone', change: ({ cache }) => cache.remove(anna) },
    {
      title: 'only observes',
      change: ({ cache }) => cache.put(folder('anna', { spec: { managementPolicies: ['Observe'] } })),
    },
    {
      title: 'is paused',
      change: ({ cache }) => cache.put(folder('anna', { annotations: { 'crossplane.io/paused': 'true' } })),
    },
  ])('the younger one is reconciled at once, and holds it, when the older one $title', async ({ change }) => {
    const s = setup([anna, bert]);
    await s.observe(anna);
    await s.observe(bert);
    s.requeued.length = 0;
    change(s);
    expect(s.requeued).toEqual(['bert']);
    expect(await s.observe(bert)).toBe('present');
    expect(await s.update(bert)).toBe('done');
  });

  test.each<{ readonly title: string; readonly change: (s: ReturnType<typeof setup>) => void }>([
    { title: 'are refused', change: ({ answer }) => void answer.refused.add('anna') },
    {
      title: 'do not show it',
      change: ({ answer }) => {
        answer.present = false;
      },
    },
  ])('the younger one holds it while the credentials of the older one $title', async ({ change }) => {
    const s = setup([anna, bert]);
    await s.observe(anna);
    change(s);
    await s.observe(anna);
    s.answer.present = true;
    expect(await s.observe(bert)).toBe('present');
    expect(await s.update(bert)).toBe('done');
  });

  test('an older one that only observes may read it, also while a younger one holds it', async () => {
    const reader = folder('anna', { spec: { managementPolicies: ['Observe'] } });
    const { observe, update } = setup([reader, bert]);
    expect([await observe(bert), await observe(reader), await update(bert)]).toEqual([
      'present',
      'present',
      'done',
    ]);
  });

  test('other accounts and other APIs are others, and both types of a kind are one', async () => {
    const { all, ctx, observe, clientIn } = setup([anna, bert]);
    expect(await observe(anna)).toBe('present');
    expect(await observe(bert, clientIn(['https://notes.example.org', 'account-2']))).toBe('present');
    expect(await observe(bert, clientIn(['https://other.example.org', 'account-1']))).toBe('present');
    const cluster = all.of<Managed>({ ...kind, type: { ...folders, group: 'notes.m.example.org' } });
    const carl: Managed = { ...folder('bert'), metadata: { ...folder('bert').metadata, uid: 'uid-carl' } };
    cluster.source(createFakeCache([carl])).start(() => undefined);
    const inner = {
      ...clientIn(scope),
      observe: async () => ({ state: 'present', upToDate: true }) as const,
    };
    await expect(cluster.client(inner, scope).observe(carl, ctx)).rejects.toThrow(byAnna);
  });

  test('nothing is claimed without the source', async () => {
    const { observe, update } = setup([anna, bert], { isStarted: false });
    expect([await observe(anna), await observe(bert), await update(bert)]).toEqual([
      'present',
      'present',
      'done',
    ]);
  });
});

describe('after a start', () => {
  const undecided =
    'the folder "42": Folder anna is older and on record with it, and since the provider started Notes has not yet answered its credentials; it goes on when that is decided, within two minutes';

  test('a younger resource writes nothing before the API has answered the older one, for two minutes', async () => {
    const { clock, observe, update, remove } = setup([anna, bert]);
    expect(await observe(bert)).toBe('present');
    expect(await update(bert)).toBe(`cannot update ${undecided}`);
    expect(await remove(bert)).toBe(`cannot delete ${undecided}`);
    await clock.advance(120_000);
    expect(await update(bert)).toBe('done');
  });

  test('it goes on waiting while the API has not shown the older one either', async () => {
    const { observe, update, answer } = setup([anna, bert]);
    await observe(bert);
    answer.isPending = true;
    expect(await observe(anna)).toBe('pending');
    expect(await update(bert)).toBe(`cannot update ${undecided}`);
  });

  test('it goes on when the older one was refused', async () => {
    const { observe, update, answer } = setup([anna, bert]);
    await observe(bert);
    answer.refused.add('anna');
    await observe(anna);
    expect(await update(bert)).toBe('done');
  });

  test.each<{ readonly title: string; readonly older: Given }>([
    { title: 'with another name', older: { annotations: { 'crossplane.io/external-name': '43' } } },
    { title: 'that only observes', older: { spec: { managementPolicies: ['Observe'] } } },
    { title: 'that is paused', older: { annotations: { 'crossplane.io/paused': 'true' } } },
  ])('it does not wait for an older one $title', async ({ older }) => {
    const { observe, update } = setup([folder('anna', older), bert]);
    await observe(bert);
    expect(await update(bert)).toBe('done');
  });

  test('it does not wait for an older one of another noun with the same name', async () => {
    const { all, observe, update } = setup([bert]);
    const notes = all.of<Managed>({ ...kind, noun: 'note', type: { ...folders, plural: 'notes' } });
    notes.source(createFakeCache([anna])).start(() => undefined);
    await observe(bert);
    expect(await update(bert)).toBe('done');
  });

  test('a paused one waits for none', async () => {
    const paused = folder('bert', { annotations: { 'crossplane.io/paused': 'true' } });
    const { observe, update } = setup([anna, paused]);
    await observe(paused);
    expect(await update(paused)).toBe('done');
  });

  test('it does not wait for a younger one', async () => {
    const { observe, update } = setup([anna, bert]);
    await observe(anna);
    expect(await update(anna)).toBe('done');
  });

  test.each<{ readonly title: string; readonly change: (s: ReturnType<typeof setup>) => void }>([
    {
      title: 'was answered before, and is edited',
      change: ({ cache }) => cache.put(folder('anna', { annotations: { team: 'a' } })),
    },
    {
      title: 'is taken out of its pause',
      change: ({ cache }) => {
        cache.put(folder('anna', { annotations: { 'crossplane.io/paused': 'true' } }));
        cache.put(anna);
      },
    },
  ])('it does not wait for an older one that $title', async ({ change }) => {
    const s = setup([anna, bert]);
    s.answer.present = false;
    await s.observe(anna);
    s.answer.present = true;
    change(s);
    await s.observe(bert);
    expect(await s.update(bert)).toBe('done');
  });

  test.each([
    ['is paused meanwhile', { annotations: { 'crossplane.io/paused': 'true' } }, 'done'],
    [
      'may only update',
      { spec: { managementPolicies: ['Observe', 'Update'] } },
      `cannot update ${undecided}`,
    ],
  ] satisfies [string, Given, string][])('an older one that was waited for %s', async (_, change, result) => {
    const { cache, observe, update } = setup([anna, bert]);
    await observe(bert);
    expect(await update(bert)).toBe(`cannot update ${undecided}`);
    cache.put(folder('anna', change));
    expect(await update(bert)).toBe(result);
  });

  test('it does not wait for an older one whose name was written after the first reconcile', async () => {
    const { 'crossplane.io/external-name': _, ...annotations } = anna.metadata.annotations ?? {};
    const unnamed = { ...anna, metadata: { ...anna.metadata, annotations } };
    const { cache, observe, update } = setup([unnamed, bert]);
    await observe(bert);
    cache.put(anna);
    expect(await update(bert)).toBe('done');
  });

  test('it waits for an older one of a list that comes after the first reconcile, and not once more for that', async () => {
    const { all, ctx, client, observe, update } = setup([bert]);
    await observe(bert);
    const cluster = all.of<Managed>({ ...kind, type: { ...folders, group: 'notes.m.example.org' } });
    const source = cluster.source(createFakeCache([anna]));
    source.start(() => undefined);
    expect(await update(bert)).toBe(`cannot update ${undecided}`);
    await cluster.client({ ...client, observe: async () => ({ state: 'absent' }) }, scope).observe(anna, ctx);
    expect(await update(bert)).toBe('done');
    source.start(() => undefined);
    expect(await update(bert)).toBe('done');
  });

  test('it waits for lists of other kinds', async () => {
    const { all, observe, update } = setup([bert]);
    const cache = createFakeCache<Managed>();
    cache.setSynced(false);
    const type = { ...folders, plural: 'boxes' };
    all
      .of({ ...kind, type })
      .source(cache)
      .start(() => undefined);
    await observe(bert);
    expect(await update(bert)).toContain(
      'cannot update the folder "42": the list of boxes.notes.example.org is not complete, and an older resource',
    );
  });
});
