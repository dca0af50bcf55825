import { describe, expect, test } from '@jest/globals';
import { ProviderError } from '../../../framework/base/errors/errors.ts';
import { annotationExternalName, getCondition } from '../../../framework/managed/index.ts';
import type { HanaCloudClient, InstanceMapping } from '../hana-cloud/client.ts';
import { fakeHana, listed, testNames } from './mapping.fixture.ts';
import { clientOf, ctx, described, moved, old, resourceWith } from './mapping-client.fixture.ts';

test('the end of a reconcile closes the session', async () => {
  let closed = 0;
  const close = async () => void closed++;
  await clientOf(fakeHana({}, { close }).client).disconnect?.(ctx);
  expect(closed).toBe(1);
});

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
