/** Updates and deletions that end later. */
import { describe, expect, test } from '@jest/globals';
import type { RestDefinition } from './definition.ts';
import { api, type Folder, laterOperation, setup, useApi, writes } from './rest-kind.fixture.ts';

useApi();

const definition: Partial<RestDefinition<Folder>> = {
  update: { route: 'PATCH /folders/{id}', body: 'changed', later: laterOperation },
  delete: { route: 'DELETE /folders/{id}', later: laterOperation },
};

/** One that exists, at an API whose changes end in a state. */
async function created(given: Parameters<typeof setup>[0] = {}) {
  const h = setup({ definition, ...given });
  await h.reconcile();
  await h.clock.advance(31_000);
  api.habits.changesLater = true;
  api.later = { state: 'running' };
  return h;
}
const end = (state: string) => {
  api.later = { state };
};
const operationsOf = (h: ReturnType<typeof setup>) =>
  Object.entries(h.resource().metadata.annotations ?? {}).filter(
    ([name, value]) => name.endsWith('-operation') && value !== '',
  );

describe('an update that ends later', () => {
  test('is requested once, polled until it has ended, and then compared', async () => {
    const h = await created();
    await h.patch({ spec: { forProvider: { title: 'b' } } });
    expect(await h.reconcile()).toMatchObject({ type: 'requeue-after', delayMs: 5000, keepsBackoff: true });
    expect(h.condition('Synced')).toMatchObject({
      status: 'True',
      message: 'the folder is being updated',
    });
    await h.reconcile();
    expect(writes().slice(1)).toEqual(['PATCH /folders/1 {"title":"b"}']);
    end('done');
    await h.reconcile();
    expect([writes().length, api.items('/folders').get('1')?.title, operationsOf(h)]).toEqual([2, 'b', []]);
    expect(h.condition('UpToDate')?.status).toBe('True');
  });

  test.each([undefined, 'paused'])('whose operation is %s has not ended', async (state) => {
    const h = await created();
    await h.patch({ spec: { forProvider: { title: 'b' } } });
    await h.reconcile();
    api.later = { state };
    await h.reconcile();
    expect([h.condition('Synced')?.message, writes().length]).toEqual(['the folder is being updated', 2]);
    expect(operationsOf(h)).toHaveLength(1);
  });

  test('that fails is reported with the message of its operation, and requested again', async () => {
    const h = await created();
    await h.patch({ spec: { forProvider: { title: 'b' } } });
    await h.reconcile();
    end('failed');
    expect(await h.reconcile()).toMatchObject({ type: 'requeue' });
    const text = 'cannot update folder: its operation has ended as failed: quota exceeded';
    expect(h.condition('Synced')).toMatchObject({ status: 'False', reason: 'ReconcileError' });
    expect(h.condition('Synced')?.message).toContain(text);
    expect(h.condition('UpToDate')?.status).toBe('False');
    expect(h.recorder.lines().at(-1)).toContain(`Warning CannotUpdateExternalResource: ${text}`);
    expect([writes().length, operationsOf(h)]).toEqual([2, []]);
    end('done');
    await h.reconcile();
    await h.reconcile();
    expect([writes().length, h.condition('Synced')?.status, h.condition('UpToDate')?.status]).toEqual([
      3,
      'True',
      'True',
    ]);
  });

  test('that fails sends the values of Secrets again, which cannot be compared', async () => {
    const forProvider = { title: 'a', passwordSecretRef: { name: 'admin', key: 'password' } };
    const h = await created({ forProvider });
    h.giveValue('changed');
    await h.reconcile();
    end('failed');
    await h.reconcile();
    end('done');
    await h.reconcile();
    await h.reconcile();
    expect(writes().slice(1)).toEqual([
      'PATCH /folders/1 {"password":"changed"}',
      'PATCH /folders/1 {"password":"changed"}',
    ]);
    await h.reconcile();
    expect(writes()).toHaveLength(3);
  });

  test('whose operation is not known any more is compared', async () => {
    const h = await created();
    await h.patch({ spec: { forProvider: { title: 'b' } } });
    await h.reconcile();
    end('done');
    api.faults.push({ on: 'GET /operations', answer: 404, times: 1 });
    await h.reconcile();
    expect([writes().length, h.condition('Synced')?.status]).toEqual([3, 'True']);
  });

  test('that fails for a resource that is gone is no matter of the one that is created in its place', async () => {
    const h = await created();
    await h.patch({ spec: { forProvider: { title: 'b' } } });
    await h.reconcile();
    api.items('/folders').clear();
    // The create ends at once.
    const later = () => (api.requests.at(-1)?.startsWith('POST ') ? undefined : { state: 'failed' });
    Object.defineProperty(api, 'later', { get: later });
    for (let i = 0; i < 2; i++) await h.reconcile();
    expect([writes().slice(2), operationsOf(h)]).toEqual([
      ['POST /folders {"title":"b","colour":"grey"}'],
      [],
    ]);
    expect(h.condition('Synced')?.status).toBe('True');
  });

  test('that is refused names no operation, and is an error as before', async () => {
    const h = await created();
    await h.patch({ spec: { forProvider: { title: 'b' } } });
    api.faults.push({ on: 'PATCH', answer: 409, times: 1 });
    await h.reconcile();
    expect([operationsOf(h), h.condition('Synced')?.status]).toEqual([[], 'False']);
  });
});

describe('a deletion that ends later', () => {
  test('is requested once, and the resource goes when it has ended', async () => {
    const h = await created();
    await h.delete();
    await h.reconcile();
    await h.reconcile();
    expect([writes().slice(1), h.gone()]).toEqual([['DELETE /folders/1'], false]);
    expect(h.condition('Ready')?.message).toBe('the folder is being deleted');
    end('done');
    await h.reconcile();
    expect([h.gone(), writes().length]).toEqual([true, 2]);
  });

  test('that fails is reported with the message of its operation, and requested again', async () => {
    const h = await created();
    await h.delete();
    await h.reconcile();
    end('failed');
    expect(await h.reconcile()).toMatchObject({ type: 'requeue' });
    const text = 'cannot delete folder: its operation has ended as failed: quota exceeded';
    expect(h.condition('Synced')).toMatchObject({ status: 'False', reason: 'ReconcileError' });
    expect(h.condition('Synced')?.message).toContain(text);
    expect(h.recorder.lines().at(-1)).toContain(`Warning CannotDeleteExternalResource: ${text}`);
    end('done');
    await h.reconcile();
    await h.reconcile();
    expect([h.gone(), writes().length, api.items('/folders').size]).toEqual([true, 3, 0]);
  });

  test('waits for the end of an update', async () => {
    const h = await created();
    await h.patch({ spec: { forProvider: { title: 'b' } } });
    await h.reconcile();
    await h.delete();
    await h.reconcile();
    expect(writes().slice(1)).toEqual(['PATCH /folders/1 {"title":"b"}']);
    end('failed');
    await h.reconcile();
    end('done');
    await h.reconcile();
    expect([writes().slice(2), h.gone()]).toEqual([['DELETE /folders/1'], true]);
  });

  test('of a replacement ends before the create', async () => {
    const own = { ...definition, immutable: 'replace' } as const;
    const h = await created({ definition: own, forProvider: { title: 'a', parent: '7' } });
    await h.patch({ spec: { forProvider: { parent: '8' } } });
    await h.reconcile();
    await h.reconcile();
    expect(writes().slice(1)).toEqual(['DELETE /folders/1']);
    end('failed');
    await h.reconcile();
    expect(h.condition('Synced')?.message).toContain(
      'cannot delete folder: its operation has ended as failed',
    );
    // The create ends at once.
    api.later = undefined;
    await h.reconcile();
    await h.reconcile();
    expect(writes().slice(2)).toEqual([
      'DELETE /folders/1',
      'POST /folders {"title":"a","colour":"grey","parentId":"8"}',
    ]);
    expect([h.externalName(), api.items('/folders').size]).toEqual(['2', 1]);
  });
});
