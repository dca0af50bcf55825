import { describe, expect, test } from '@jest/globals';
import { noFence } from '../../../base/concurrency/fence.ts';
import { reserveNothing } from '../../../base/concurrency/limit-key.ts';
import { kindOf, messageOf, ProviderError, type WatchedObject } from '../../../base/errors/errors.ts';
import { nopLogger } from '../../../base/telemetry/logger.ts';
import { createFakeClock } from '../../../base/time/fake-clock.ts';
import type { HanaCloudClient, InstanceMapping } from '../../../clients/hana-cloud/client.ts';
import { createFakeCache } from '../../../kube/fakes/fake-cache.ts';
import { annotationExternalName, available, getCondition, setConditions } from '../../../runtime/index.ts';
import { annotationSeenBy, createVisibilityRecords } from './access/visibility-records.ts';
import { createMappingClaims } from './claims/mapping-claims.ts';
import type { MappingIdentity } from './identity/mapping-identity.ts';
import {
  fakeHana,
  listed,
  mappingOf,
  shownAnswer,
  type TestMapping,
  testAccess,
  testKind,
  testNames,
} from './mapping.fixture.ts';
import { createMappingClient, type MappingClientOptions } from './mapping-client.ts';

const described = mappingOf('i-1');
const old = mappingOf('i-0');
const ctx = {
  signal: new AbortController().signal,
  log: nopLogger,
  isLowPriority: true,
  reserve: reserveNothing,
  clock: createFakeClock(),
  assertMayWrite: noFence,
};

const secret: WatchedObject = { description: 'Secret shop/admin', watch: () => () => undefined };

const clientOf = (
  hana: HanaCloudClient,
  identity: MappingIdentity = described,
  over: Partial<MappingClientOptions<TestMapping>> = {},
) =>
  createMappingClient<TestMapping>({
    kind: testKind,
    claims: createMappingClaims(ctx).of(testKind),
    visibility: createVisibilityRecords(),
    hana,
    described: identity,
    access: [secret],
    ...over,
  });

interface Given {
  readonly externalName?: string;
  readonly known?: MappingIdentity;
  readonly isDefault?: boolean;
  readonly deleted?: boolean;
}

function resourceWith({ externalName, known, isDefault, deleted }: Given = {}): TestMapping {
  return {
    apiVersion: 'example.org/v1',
    kind: 'Mapping',
    metadata: {
      name: 'shop',
      uid: 'uid-shop',
      creationTimestamp: '2024-01-02T00:00:00Z',
      ...(externalName === undefined ? {} : { annotations: { [annotationExternalName]: externalName } }),
      ...(deleted ? { deletionTimestamp: '2024-01-01T00:00:00Z' } : {}),
    },
    spec: isDefault === undefined ? {} : { isDefault },
    ...(known === undefined ? {} : { status: { known, present: true } }),
  };
}
const moved: Given = { externalName: testNames.format(old), known: old };

describe('observe', () => {
  test('an existing mapping is available and up to date', async () => {
    const resource = resourceWith();
    const { client } = fakeHana({ 'i-1': [listed(described)] });
    const observed = await clientOf(client).observe(resource, ctx);
    expect(observed).toMatchObject({ state: 'present', upToDate: true, externalName: 'i-1/c-1/shop' });
    expect(getCondition(resource, 'Ready')?.status).toBe('True');
    expect(resource.status).toMatchObject({ known: described, present: true });
  });

  test('mappings of another platform, cluster or namespace are not ours', async () => {
    const others: InstanceMapping[] = [
      { ...listed(described), platform: 'cloudfoundry' },
      listed({ ...described, primaryID: 'c-2' }),
      listed({ ...described, secondaryID: 'other' }),
      { platform: 'kubernetes', primaryID: 'c-1', isDefault: false },
    ];
    const { client } = fakeHana({ 'i-1': others });
    const observed = await clientOf(client).observe(resourceWith(), ctx);
    expect(observed).toMatchObject({ state: 'absent', externalName: 'i-1/c-1/shop' });
  });

  test('a mapping for all of a cluster is not that of one of its namespaces', async () => {
    const { secondaryID: _, ...whole } = described;
    const { client } = fakeHana({ 'i-1': [listed(described)] });
    expect(await clientOf(client, whole).observe(resourceWith(), ctx)).toMatchObject({ state: 'absent' });
  });

  test('a mapping that another client removed is unavailable, and its identity stays recorded', async () => {
    const resource = resourceWith({ externalName: testNames.format(described), known: described });
    const { client } = fakeHana({ 'i-1': [] });
    await clientOf(client).observe(resource, ctx);
    expect(getCondition(resource, 'Ready')).toMatchObject({ status: 'False', reason: 'Unavailable' });
    expect(resource.status).toMatchObject({ known: described, present: false });
  });

  test('another isDefault is drift that requires a replacement', async () => {
    const { client } = fakeHana({ 'i-1': [listed(described, false)] });
    const observed = await clientOf(client).observe(resourceWith({ isDefault: true }), ctx);
    expect(observed).toMatchObject({ state: 'present', upToDate: false, replace: 'drift' });
  });

  test('after an identity change the old mapping is replaced if it exists', async () => {
    const { client } = fakeHana({ 'i-0': [listed(old)] });
    const observed = await clientOf(client).observe(resourceWith(moved), ctx);
    expect(observed).toMatchObject({ upToDate: false, replace: 'identity', externalName: 'i-1/c-1/shop' });
  });

  test('after an identity change the new mapping is observed if the old one does not exist', async () => {
    const { client, calls } = fakeHana({ 'i-0': [], 'i-1': [listed(described)] });
    const observed = await clientOf(client).observe(resourceWith(moved), ctx);
    expect(observed).toMatchObject({ state: 'present', upToDate: true, externalName: 'i-1/c-1/shop' });
    expect(calls).toEqual(['list i-1', 'list i-0']);
  });

  test('after an identity change to an instance that refuses the credentials the old mapping stays', async () => {
    const refusing = fakeHana({ 'i-0': [listed(old)] });
    const { client, calls } = fakeHana(
      {},
      {
        listMappings: (id, options) =>
          id === 'i-1'
            ? Promise.reject(new ProviderError('auth', 'answered 403'))
            : refusing.client.listMappings(id, options),
      },
    );
    await expect(clientOf(client).observe(resourceWith(moved), ctx)).rejects.toThrow('answered 403');
    expect([...calls, ...refusing.calls]).toEqual([]);
  });

  test('an import mismatch sends no request, and Ready has the error', async () => {
    const resource = resourceWith({ externalName: testNames.format(old) });
    const { client, calls } = fakeHana({ 'i-0': [listed(old)] });
    await expect(clientOf(client).observe(resource, ctx)).rejects.toThrow(/i-0.*i-1/);
    expect(calls).toEqual([]);
    expect(getCondition(resource, 'Ready')).toMatchObject({ status: 'False', reason: 'Unavailable' });
  });

  test('a later failure leaves Ready as last observed', async () => {
    const resource = resourceWith();
    const { client } = fakeHana({ 'i-1': [listed(described)] });
    await clientOf(client).observe(resource, ctx);
    const failing = { ...client, listMappings: () => Promise.reject(new Error('boom')) };
    await expect(clientOf(failing).observe(resource, ctx)).rejects.toThrow('boom');
    expect(getCondition(resource, 'Ready')?.status).toBe('True');
  });
});

describe('create', () => {
  test('sends platform, cluster, namespace and isDefault only', async () => {
    const { client, calls } = fakeHana({});
    const result = await clientOf(client).create(resourceWith({ isDefault: true }), ctx);
    expect(calls).toEqual([`create i-1 ${JSON.stringify(listed(described, true))}`]);
    expect(result.externalName).toBe('i-1/c-1/shop');
  });

  test('omits an absent secondaryID, since the API refuses an empty one', async () => {
    const { client, calls } = fakeHana({});
    const { secondaryID: _, ...whole } = described;
    await clientOf(client, whole).create(resourceWith(), ctx);
    expect(calls).toEqual(['create i-1 {"platform":"kubernetes","primaryID":"c-1","isDefault":false}']);
  });

  test('the requested identity is recorded whatever the result, and Ready follows later errors', async () => {
    const resource = resourceWith(moved);
    const failing = (message: string) =>
      fakeHana(
        {},
        {
          createMapping: () => Promise.reject(new Error('lost')),
          listMappings: () => Promise.reject(new Error(message)),
        },
      ).client;
    await expect(clientOf(failing('down')).create(resource, ctx)).rejects.toThrow('lost');
    expect(resource.status).toMatchObject({ known: described, present: false });
    expect(getCondition(resource, 'Ready')?.reason).toBe('Creating');
    resource.metadata.annotations = { [annotationExternalName]: testNames.format(described) };
    await expect(clientOf(failing('down')).observe(resource, ctx)).rejects.toThrow('down');
    expect(getCondition(resource, 'Ready')?.message).toBe('observe failed: down');
    await expect(clientOf(failing('gone')).observe(resource, ctx)).rejects.toThrow('gone');
    expect(getCondition(resource, 'Ready')?.message).toBe('observe failed: gone');
  });

  const exists: Partial<HanaCloudClient> = { createMapping: async () => 'exists' };
  test('a conflict adopts the mapping if it is the same one', async () => {
    const { client } = fakeHana({ 'i-1': [listed(described)] }, exists);
    await expect(clientOf(client).create(resourceWith(), ctx)).resolves.toBeDefined();
  });

  test('a conflict without the mapping is an error, never a success', async () => {
    const { client } = fakeHana({ 'i-1': [] }, exists);
    await expect(clientOf(client).create(resourceWith(), ctx)).rejects.toThrow(/does not list it/);
  });
});

describe('delete', () => {
  test('deletes the recorded mapping, whatever is described now', async () => {
    const { client, calls } = fakeHana({});
    await clientOf(client).delete(resourceWith(moved), ctx);
    expect(calls).toEqual(['delete i-0 c-1 shop']);
  });

  test('during a deletion isDefault and identity are not compared any more', async () => {
    const { client } = fakeHana({ 'i-0': [listed(old, false)] });
    const resource = resourceWith({ ...moved, deleted: true, isDefault: true });
    expect(await clientOf(client, old).observe(resource, ctx)).toMatchObject({
      state: 'present',
      upToDate: true,
    });
  });
});

describe('a mapping that another resource holds', () => {
  /** The older resource with the mapping as recorded by an earlier process. */
  const olderWith = (identity: MappingIdentity): TestMapping => ({
    ...resourceWith({ known: identity }),
    metadata: {
      name: 'older',
      uid: 'uid-older',
      creationTimestamp: '2024-01-01T00:00:00Z',
      annotations: { [annotationSeenBy]: `${identity.serviceInstanceID}/viewer.api` },
    },
  });
  const older = olderWith(described);
  /** Both resources in the cache. */
  function contested(given: Given, rival: TestMapping = older) {
    const resource = resourceWith(given);
    const cache = createFakeCache([rival, resource]);
    const claims = createMappingClaims(ctx).of(testKind);
    claims.source(cache, 'mappings.example.org').start(() => undefined);
    return { resource, claims };
  }

  test('is not observed: the error names both, and Ready has the error until the first observation', async () => {
    const { resource, claims } = contested({});
    const { client, calls } = fakeHana({ 'i-1': [listed(described)] });
    const error = await clientOf(client, described, { claims })
      .observe(resource, ctx)
      .catch((thrown: unknown) => thrown);
    expect(kindOf(error)).toBe('contested');
    expect(messageOf(error)).toContain('"i-1/c-1/shop" is that of Mapping older');
    expect(getCondition(resource, 'Ready')).toMatchObject({ status: 'False', message: messageOf(error) });
    expect(calls).toEqual([]);
  });

  test('is neither observed nor deleted during a deletion', async () => {
    const { resource, claims } = contested({ known: described, deleted: true });
    const { client, calls } = fakeHana({ 'i-1': [listed(described)] });
    const mapping = clientOf(client, described, { claims });
    expect(await mapping.observe(resource, ctx)).toEqual({ state: 'absent' });
    await expect(mapping.delete(resource, ctx)).rejects.toThrow('Mapping older');
    expect(calls).toEqual([]);
  });

  test('is not deleted after an identity change of ours', async () => {
    const { resource, claims } = contested(moved, olderWith(old));
    const { client, calls } = fakeHana({ 'i-0': [listed(old)], 'i-1': [] });
    expect(await clientOf(client, described, { claims }).observe(resource, ctx)).toMatchObject({
      state: 'absent',
    });
    expect(calls).toEqual(['list i-1']);
  });

  test('is not created if the claim changed since Observe', async () => {
    const { annotations: _, ...metadata } = older.metadata;
    const { resource, claims } = contested({}, { ...older, metadata, status: {} });
    const { client, calls } = fakeHana({ 'i-1': [] });
    const mapping = clientOf(client, described, { claims });
    await mapping.observe(resource, ctx);
    claims.state(older, shownAnswer(described));
    await expect(mapping.create(resource, ctx)).rejects.toThrow('Mapping older');
    expect(calls).toEqual(['list i-1']);
  });

  test('as the default of the environment: ours stays as it is, observed but not the default', async () => {
    const elsewhere = mappingOf('i-9');
    const rival = { ...olderWith(elsewhere), spec: { isDefault: true } };
    const { resource, claims } = contested({ isDefault: true }, rival);
    const { client, calls } = fakeHana({ 'i-1': [listed(described)] });
    const observing = clientOf(client, described, { claims }).observe(resource, ctx);
    await expect(observing).rejects.toThrow('the default mapping of "c-1" is that of Mapping older');
    expect(getCondition(resource, 'Ready')?.status).toBe('True');
    expect(calls).toEqual(['list i-1']);
  });
});

describe('a mapping that an older resource describes without access to the instance', () => {
  const stranger: TestMapping = {
    ...resourceWith(),
    metadata: { name: 'stranger', uid: 'uid-stranger', creationTimestamp: '2024-01-01T00:00:00Z' },
  };
  /** It was reconciled, and its credentials were refused for the instance. */
  async function beside(given: Given, refusal: Partial<HanaCloudClient>) {
    const resource = resourceWith(given);
    const claims = createMappingClaims(ctx).of(testKind);
    claims.source(createFakeCache([stranger, resource]), 'mappings.example.org').start(() => undefined);
    const refused = fakeHana({}, { viewer: 'stranger', ...refusal }).client;
    await clientOf(refused, described, { claims })
      .observe(stranger, ctx)
      .catch(() => undefined);
    return { resource, claims };
  }
  const refusals: readonly { readonly code: string; readonly refusal: Partial<HanaCloudClient> }[] = [
    {
      code: '403',
      refusal: { listMappings: () => Promise.reject(new ProviderError('auth', 'answered 403')) },
    },
    { code: '404', refusal: {} },
  ];

  test.each(refusals)('is created, observed and deleted by its owner: $code', async ({ refusal }) => {
    const kept = await beside({}, refusal);
    const empty = fakeHana({ 'i-1': [] });
    const creating = clientOf(empty.client, described, kept);
    expect(await creating.observe(kept.resource, ctx)).toMatchObject({ state: 'absent' });
    await creating.create(kept.resource, ctx);
    const { client, calls } = fakeHana({ 'i-1': [listed(described)] });
    const { resource, claims } = await beside({ known: described, deleted: true }, refusal);
    const mapping = clientOf(client, described, { claims });
    expect(await mapping.observe(resource, ctx)).toMatchObject({ state: 'present' });
    await mapping.delete(resource, ctx);
    expect(calls).toEqual(['list i-1', 'delete i-1 c-1 shop']);
  });

  test('and that another API shows to it stays with the owner', async () => {
    const { resource, claims } = await beside(
      { known: described, deleted: true },
      { api: 'evil', listMappings: async () => ({ state: 'listed', mappings: [listed(described)] }) },
    );
    const mapping = clientOf(fakeHana({ 'i-1': [listed(described)] }).client, described, { claims });
    expect(await mapping.observe(resource, ctx)).toMatchObject({ state: 'present' });
  });
});

describe('while a list of resources is not complete', () => {
  function listing(given: Given) {
    const resource = resourceWith(given);
    const claims = createMappingClaims(ctx).of(testKind);
    claims.source(createFakeCache([resource]), 'mappings.example.org').start(() => undefined);
    const others = createFakeCache<TestMapping>();
    others.setSynced(false);
    claims.source(others, 'others.example.org').start(() => undefined);
    return { resource, claims };
  }
  const settled: Given = { externalName: testNames.format(described), known: described };
  const here = { 'i-1': [listed(described)] };

  test.each([
    { title: 'deletes', given: { ...settled, deleted: true }, hana: here },
    { title: 'replaces for drift', given: { ...settled, isDefault: true }, hana: here },
    { title: 'replaces for an identity change', given: moved, hana: { 'i-0': [listed(old)] } },
    { title: 'adopts a mapping that it has not recorded', given: {}, hana: here },
    { title: 'creates a default mapping', given: { isDefault: true }, hana: { 'i-1': [] } },
  ])('a resource waits before it $title', async ({ given, hana }) => {
    const { resource, claims } = listing(given);
    const error = await clientOf(fakeHana(hana).client, described, { claims })
      .observe(resource, ctx)
      .catch((thrown: unknown) => thrown);
    expect(kindOf(error)).toBe('waiting');
    expect(messageOf(error)).toContain('the list of others.example.org is not complete');
  });

  test('no mapping is deleted, whatever the observation', async () => {
    const { resource, claims } = listing({ ...settled, deleted: true });
    const { client, calls } = fakeHana(here);
    const deleting = clientOf(client, described, { claims }).delete(resource, ctx);
    await expect(deleting).rejects.toThrow('cannot delete the mapping "i-1/c-1/shop"');
    expect(calls).toEqual([]);
  });

  test('an absent mapping is created, and a recorded one stays Ready', async () => {
    const { resource, claims } = listing({});
    const { client } = fakeHana({ 'i-1': [] });
    const absent = await clientOf(client, described, { claims }).observe(resource, ctx);
    expect(absent).toMatchObject({ state: 'absent' });
    // Observe has stored the visibility record.
    const present = await clientOf(fakeHana(here).client, described, { claims }).observe(resource, ctx);
    expect(present).toMatchObject({ state: 'present', upToDate: true });
  });
});

describe('an instance that HANA Cloud does not know', () => {
  const other = { viewer: 'other' };
  const thrown = (work: Promise<unknown>) => work.catch((error: unknown) => error);
  /** A resource with a visibility record of the fake's viewer, or of another one. */
  function visibleTo(given: Given, viewer = 'viewer'): TestMapping {
    const resource = resourceWith(given);
    const visibility = createVisibilityRecords();
    const seenBy = { ...testAccess, viewer };
    visibility.record(resource, seenBy, (given.known ?? described).serviceInstanceID);
    return resource;
  }
  const settled: Given = { externalName: testNames.format(described), known: described };

  test('has no mapping if these credentials have a visibility record', async () => {
    const { client } = fakeHana({});
    const resource = visibleTo(settled);
    expect(await clientOf(client).observe(resource, ctx)).toMatchObject({ state: 'absent' });
    expect(getCondition(resource, 'Ready')?.status).toBe('False');
    expect(await clientOf(client).observe(visibleTo({ ...settled, deleted: true }), ctx)).toEqual({
      state: 'absent',
    });
  });

  test('and has no visibility record is left to Create', async () => {
    const { client } = fakeHana({});
    expect(await clientOf(client).observe(resourceWith(), ctx)).toMatchObject({ state: 'absent' });
  });

  test('may exist for credentials without a visibility record: Ready stays, and nothing is created', async () => {
    const { client } = fakeHana({});
    const resource = visibleTo(settled, 'other');
    setConditions(resource, ctx.clock, available());
    const error = await thrown(clientOf(client).observe(resource, ctx));
    expect(kindOf(error)).toBe('auth');
    expect(messageOf(error)).toContain('"i-1/c-1/shop" to these credentials; they never saw it');
    expect(getCondition(resource, 'Ready')?.status).toBe('True');
  });

  test('blocks a deletion with such credentials; the error has advice and is retried with other credentials', async () => {
    const { client } = fakeHana({});
    const error = await thrown(
      clientOf(client).observe(visibleTo({ ...settled, deleted: true }, 'other'), ctx),
    );
    expect(messageOf(error)).toContain('deletionPolicy to Orphan');
    expect(error instanceof ProviderError && error.targets).toEqual([secret]);
  });

  test('does not block a deletion if the Kyma cluster shows that it was deleted', async () => {
    const { client } = fakeHana({});
    const mapping = clientOf(client, described, { isInstanceGone: async () => true });
    expect(await mapping.observe(visibleTo({ ...settled, deleted: true }, 'other'), ctx)).toEqual({
      state: 'absent',
    });
  });

  test('keeps the record of the old mapping after an identity change', async () => {
    const { client, calls } = fakeHana({ 'i-1': [] });
    const error = await thrown(clientOf(client).observe(visibleTo(moved, 'other'), ctx));
    expect(messageOf(error)).toContain('"i-0/c-1/shop" to these credentials');
    expect(messageOf(error)).toContain('set the annotation crossplane.io/external-name to "i-1/c-1/shop"');
    expect(calls).toEqual(['list i-1', 'list i-0']);
  });

  test('is visible to the credentials that deleted its last mapping in this process', async () => {
    const mappings: Record<string, InstanceMapping[]> = { 'i-1': [listed(described)] };
    const { client } = fakeHana(mappings);
    const visibility = createVisibilityRecords();
    const resource = visibleTo({ ...settled, deleted: true }, 'other');
    const mapping = clientOf(client, described, { visibility });
    await mapping.observe(resource, ctx);
    await mapping.delete(resource, ctx);
    // An instance without mappings may return 404.
    delete mappings['i-1'];
    expect(await mapping.observe(resource, ctx)).toEqual({ state: 'absent' });
  });

  test('has a visibility record once it was listed or a mapping was created', async () => {
    const observed = resourceWith();
    await clientOf(fakeHana({ 'i-1': [] }).client).observe(observed, ctx);
    const created = resourceWith();
    await clientOf(fakeHana({}).client).create(created, ctx);
    for (const { metadata } of [observed, created]) {
      expect(metadata.annotations).toEqual({ [annotationSeenBy]: 'i-1/viewer.api' });
    }
    const unknown = resourceWith();
    await clientOf(fakeHana({}).client).observe(unknown, ctx);
    expect(unknown.metadata.annotations).toBeUndefined();
  });

  test('differs from a refused one, but a deletion has the same advice', async () => {
    const refused = () => Promise.reject(new ProviderError('auth', 'answered 403'));
    const { client } = fakeHana({}, { ...other, listMappings: refused });
    const error = await thrown(clientOf(client).observe(visibleTo({ ...settled, deleted: true }), ctx));
    expect(messageOf(error)).toMatch(/^answered 403; .*deletionPolicy to Orphan/);
    expect(error instanceof ProviderError && error.targets).toEqual([secret]);
  });
});

describe('a recent list of another reconcile', () => {
  const settled = listed(described);
  test.each([
    { reason: 'the mapping is up to date in it', list: [settled], isLowPriority: true, enough: true },
    { reason: 'the mapping is missing in it', list: [], isLowPriority: true, enough: false },
    {
      reason: 'the mapping is not up to date in it',
      list: [listed(described, true)],
      isLowPriority: true,
      reserve: reserveNothing,
      enough: false,
    },
    { reason: 'the reconcile has high priority', list: [settled], isLowPriority: false, enough: false },
  ])('suffices or not: $reason', async ({ list, isLowPriority, enough }) => {
    const asked: unknown[] = [];
    const { client } = fakeHana(
      {},
      {
        listMappings: async (_, { isEnough }) => {
          asked.push(isEnough?.({ state: 'listed', mappings: list }));
          return { state: 'listed', mappings: [settled] };
        },
      },
    );
    await clientOf(client).observe(resourceWith(), { ...ctx, isLowPriority });
    expect(asked).toEqual([enough]);
  });

  test('never suffices for a deletion', async () => {
    const asked: unknown[] = [];
    const { client } = fakeHana(
      {},
      {
        listMappings: async (_, { isEnough }) => {
          asked.push(isEnough?.({ state: 'listed', mappings: [settled] }) ?? false);
          return { state: 'listed', mappings: [] };
        },
      },
    );
    const given = { deleted: true, known: described, externalName: testNames.format(described) };
    await clientOf(client)
      .observe(resourceWith(given), ctx)
      .catch(() => undefined);
    expect(asked).toEqual([false]);
  });
});
