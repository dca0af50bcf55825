import { describe, expect, test } from '@jest/globals';
import { reserveNothing } from '../../../framework/base/concurrency/limit-key.ts';
import { kindOf, messageOf, ProviderError } from '../../../framework/base/errors/errors.ts';
import { available, getCondition, setConditions } from '../../../framework/managed/index.ts';
import type { InstanceMapping } from '../hana-cloud/client.ts';
import { fakeHana, listed, type TestMapping, testAccess, testNames } from './mapping.fixture.ts';
import {
  clientOf,
  ctx,
  described,
  type Given,
  moved,
  resourceWith,
  secret,
} from './mapping-client.fixture.ts';
import { annotationSeenBy, createVisibilityRecords } from './visibility-records.ts';

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

  test('may be gone for credentials without a visibility record: it is not Ready any more, and nothing is created', async () => {
    const { client } = fakeHana({});
    const resource = visibleTo(settled, 'other');
    setConditions(resource, ctx.clock, available());
    const error = await thrown(clientOf(client).observe(resource, ctx));
    expect(kindOf(error)).toBe('auth');
    expect(messageOf(error)).toMatch(
      /^restore credentials that see the instance of the mapping "i-1\/c-1\/shop":/,
    );
    expect(getCondition(resource, 'Ready')?.status).toBe('False');
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
    expect(messageOf(error)).toContain('see the instance of the mapping "i-0/c-1/shop"');
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
