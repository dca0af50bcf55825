import { describe, expect, test } from '@jest/globals';
import { kindOf, messageOf, ProviderError } from '../../../framework/base/errors/errors.ts';
import { createFakeCache } from '../../../framework/kube/fakes/fake-cache.ts';
import { getCondition } from '../../../framework/managed/index.ts';
import type { HanaCloudClient } from '../hana-cloud/client.ts';
import { createMappingClaims } from './claims/mapping-claims.ts';
import {
  fakeHana,
  listed,
  mappingOf,
  shownAnswer,
  type TestMapping,
  testKind,
  testNames,
} from './mapping.fixture.ts';
import { clientOf, ctx, described, type Given, moved, old, resourceWith } from './mapping-client.fixture.ts';
import type { MappingIdentity } from './mapping-identity.ts';
import { annotationSeenBy } from './visibility-records.ts';

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
    expect(messageOf(error)).toContain('"i-1/c-1/shop" is owned by Mapping older');
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

  test.each([
    { title: 'its deletion', given: { known: described, deleted: true }, mapping: described },
    { title: 'its identity change', given: moved, mapping: old },
  ])(
    'but has not recorded is not forgotten by $title: it waits, and deletes the mapping itself after a minute',
    async ({ given, mapping: left }) => {
      const { annotations: _, ...metadata } = older.metadata;
      const unrecorded = { ...older, metadata, status: {} };
      const { resource, claims } = contested(given, unrecorded);
      claims.state(unrecorded, shownAnswer(left));
      const { client, calls } = fakeHana({ 'i-0': [listed(old)], 'i-1': [listed(described)] });
      const mapping = clientOf(client, described, { claims });
      await expect(mapping.observe(resource, ctx)).rejects.toThrow('has not recorded it yet');
      await ctx.clock.advance(60_000);
      expect(await mapping.observe(resource, ctx)).toMatchObject({ state: 'present' });
      await mapping.delete(resource, ctx);
      const { serviceInstanceID, primaryID, secondaryID } = left;
      expect(calls.at(-1)).toBe(`delete ${serviceInstanceID} ${primaryID} ${secondaryID}`);
    },
  );

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

  test('as the default of the environment since Observe is not created by us', async () => {
    const elsewhere = mappingOf('i-9');
    const rival = { ...olderWith(elsewhere), spec: { isDefault: true } };
    const { resource, claims } = contested({ isDefault: true }, rival);
    const { client, calls } = fakeHana({ 'i-1': [] });
    const creating = clientOf(client, described, { claims }).create(resource, ctx);
    await expect(creating).rejects.toThrow('the default mapping of "c-1" is owned by Mapping older');
    expect(calls).toEqual([]);
  });

  test('as the default of the environment: ours stays as it is, observed but not the default', async () => {
    const elsewhere = mappingOf('i-9');
    const rival = { ...olderWith(elsewhere), spec: { isDefault: true } };
    const { resource, claims } = contested({ isDefault: true }, rival);
    const { client, calls } = fakeHana({ 'i-1': [listed(described)] });
    const observing = clientOf(client, described, { claims }).observe(resource, ctx);
    await expect(observing).rejects.toThrow('the default mapping of "c-1" is owned by Mapping older');
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
