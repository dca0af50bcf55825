import { describe, expect, test } from '@jest/globals';
import type { RestCreate, RestDefinition } from './definition.ts';
import { api, type Folder, folders, laterOperation, setup, useApi, writes } from './rest-kind.fixture.ts';

useApi();

describe('a create whose response was lost', () => {
  test('is not repeated, since a second one could leave an unknown external resource', async () => {
    api.faults.push({ on: 'POST', answer: 'drop', times: 1 });
    const h = setup();
    await h.reconcile();
    expect(h.condition('Synced')?.message).toContain('it may have taken effect');
    await h.reconcile();
    await h.reconcile();
    expect(writes()).toHaveLength(1);
    expect(h.condition('Synced')?.message).toContain('cannot determine creation result');
  });

  test('is found by fields that belong to one alone', async () => {
    api.faults.push({ on: 'POST', answer: 'drop', times: 1 });
    const h = setup({
      definition: {
        read: {
          list: 'GET /folders',
          items: 'items',
          pages: { by: 'token', parameter: 'cursor', next: 'next' },
        },
        id: { parts: [{ parameter: 'id', from: 'response' }], findBy: ['title'] },
      },
    });
    await h.reconcile();
    await h.reconcile();
    expect([writes().length, h.externalName(), h.condition('Ready')?.status]).toEqual([1, '1', 'True']);
  });

  test('is found and deleted, if the resource is deleted next', async () => {
    api.faults.push({ on: 'POST', answer: 'drop', times: 1 });
    const read = { list: 'GET /folders', items: 'items' } as const;
    const id = { parts: [{ parameter: 'id', from: 'response' }], findBy: ['title'], findIn: read } as const;
    const h = setup({ definition: { id } });
    await h.reconcile();
    expect(api.items('/folders').size).toBe(1);
    await h.client.delete(folders, { name: 'docs', namespace: 'shop' });
    await h.reconcile();
    await h.clock.advance(31_000);
    await h.reconcile();
    expect([h.gone(), api.items('/folders').size]).toEqual([true, 0]);
  });

  test('is found in a list of its own, where read has none', async () => {
    api.faults.push({ on: 'POST', answer: 'drop', times: 1 });
    const pages = { by: 'token', parameter: 'cursor', next: 'next' } as const;
    const h = setup({
      definition: {
        id: {
          parts: [{ parameter: 'id', from: 'response' }],
          findBy: ['title'],
          findIn: { list: 'GET /folders', items: 'items', pages },
        },
      },
    });
    await h.reconcile();
    await h.reconcile();
    expect([writes().length, h.externalName(), h.condition('Ready')?.status]).toEqual([1, '1', 'True']);
  });

  test('does not make a resource take over one of others with the same fields', async () => {
    api.items('/folders').set('abc', { id: 'abc', title: 'a' });
    const h = setup({
      definition: {
        read: { list: 'GET /folders', items: 'items' },
        id: { parts: [{ parameter: 'id', from: 'response' }], findBy: ['title'] },
      },
    });
    await h.reconcile();
    expect([writes().length, h.externalName()]).toEqual([1, '1']);
  });
});

describe('a create whose external resource is never found', () => {
  const rounds = async (h: ReturnType<typeof setup>, count = 6) => {
    for (let round = 0; round < count; round++) {
      await h.clock.advance(31_000);
      await h.reconcile();
    }
  };

  test('is not repeated, says what to state, and goes on once it is found', async () => {
    const h = setup();
    api.faults.push({ on: 'GET /folders/1', answer: 404, times: 99 });
    await rounds(h);
    expect(writes()).toHaveLength(1);
    const message = h.condition('Synced')?.message ?? '';
    expect(message).toContain('GET /folders/{id} does not find the folder "1"');
    expect(message).toMatch(/state .*create.later.* or .*id.*external-create-pending/);
    expect(h.condition('Ready')?.reason).toBe('Creating');
    api.faults.length = 0;
    await rounds(h, 1);
    expect([writes().length, h.condition('Ready')?.status, h.condition('Synced')?.status]).toEqual([
      1,
      'True',
      'True',
    ]);
  });

  test.each(['the credentials are missing meanwhile', 'it is paused meanwhile'])(
    'is not repeated, if %s',
    async (what) => {
      const h = setup();
      api.faults.push({ on: 'GET /folders/1', answer: 404, times: 99 });
      await rounds(h, 1);
      const isPause = what.includes('paused');
      const pause = (paused: string) =>
        h.patch({ metadata: { annotations: { 'crossplane.io/paused': paused } } });
      if (isPause) await pause('true');
      else await h.forget();
      await rounds(h, 1);
      if (isPause) await pause('false');
      else h.giveToken();
      await rounds(h);
      expect(writes()).toHaveLength(1);
    },
  );

  test('is created again, if a user says that this is safe', async () => {
    const h = setup();
    api.faults.push({ on: 'GET /folders/1', answer: 404, times: 99 });
    await rounds(h);
    await h.patch({ metadata: { annotations: { 'crossplane.io/external-create-pending': null } } });
    await rounds(h);
    expect([writes().length, h.externalName(), h.condition('Ready')?.status]).toEqual([2, '2', 'True']);
  });

  test('is deleted with a warning', async () => {
    const h = setup();
    api.faults.push({ on: 'GET /folders/1', answer: 404, times: 99 });
    await rounds(h);
    await h.client.delete(folders, { name: 'docs', namespace: 'shop' });
    await rounds(h, 2);
    expect(h.gone()).toBe(true);
    expect(h.recorder.lines().filter((line) => line.includes('CreationResultUnknown'))).toHaveLength(1);
  });
});

describe('a create that ends later', () => {
  const definition: Partial<RestDefinition<Folder>> = {
    create: {
      route: 'POST /folders',
      later: { ...laterOperation, result: 'result' },
    },
  };

  test('is polled, then named by the result of its operation', async () => {
    api.later = { state: 'running' };
    const h = setup({ definition });
    await h.reconcile();
    expect(await h.reconcile()).toMatchObject({ type: 'requeue-after', delayMs: 5000 });
    expect(h.condition('Ready')?.message).toBe('the folder is being created');
    api.later = { state: 'done' };
    await h.reconcile();
    await h.reconcile();
    expect([writes().length, h.externalName(), h.condition('Ready')?.status]).toEqual([1, '1', 'True']);
  });

  test('names its operation with another status than 202, if the definition says so', async () => {
    const { route, later } = definition.create as RestCreate;
    if (later === undefined) throw new Error('the create does not end later');
    api.later = { state: 'done', status: 200 };
    const h = setup({ definition: { create: { route, later: { ...later, always: true } } } });
    await h.reconcile();
    await h.reconcile();
    expect([writes().length, h.externalName(), h.condition('Ready')?.status]).toEqual([1, '1', 'True']);
  });

  test.each(['', '/v2'])('is read at its Location with the query, by an API below "%s"', async (path) => {
    const create = definition.create as Exclude<typeof definition.create, string | undefined>;
    const { read: _, ...later } = { ...create.later };
    const located = { ...create, later: { ...later, from: 'location' } } as typeof create;
    api.later = { state: 'done' };
    const h = setup({ definition: { create: located }, path });
    await h.reconcile();
    expect(api.requests.filter((request) => request.includes('operations'))).toEqual([
      `GET ${path}/operations/1?version=2`,
    ]);
    expect([writes().length, h.externalName(), h.condition('Ready')?.status]).toEqual([1, '1', 'True']);
  });

  test.each(['running', 'done'])('is deleted, when its operation was %s at the deletion', async (state) => {
    api.later = { state: 'running' };
    const h = setup({ definition });
    await h.reconcile();
    api.later = { state };
    await h.client.delete(folders, { name: 'docs', namespace: 'shop' });
    await h.reconcile();
    api.later = { state: 'done' };
    await h.reconcile();
    await h.clock.advance(31_000);
    await h.reconcile();
    expect([h.gone(), [...api.items('/folders').keys()]]).toEqual([true, []]);
  });

  test('whose operation is gone is found by fields that belong to one alone, and not repeated', async () => {
    api.later = { state: 'running' };
    const read = { list: 'GET /folders', items: 'items' } as const;
    const id = { parts: [{ parameter: 'id', from: 'response' }], findBy: ['title'], findIn: read } as const;
    const h = setup({ definition: { ...definition, id } });
    await h.reconcile();
    api.faults.push({ on: 'GET /operations', answer: 404, times: 9 });
    await h.clock.advance(31_000);
    await h.reconcile();
    await h.reconcile();
    expect([writes().length, h.externalName(), h.condition('Ready')?.status]).toEqual([1, '1', 'True']);
  });

  test('gives another name to what is created again after it was deleted elsewhere', async () => {
    api.later = { state: 'done' };
    const h = setup({ definition });
    await h.reconcile();
    // The operation ended at once, so that the observation after the create has the name.
    expect([h.externalName(), h.condition('Ready')?.status]).toEqual(['1', 'True']);
    api.items('/folders').clear();
    await h.clock.advance(31_000);
    await h.reconcile();
    await h.reconcile();
    expect([writes().length, h.externalName(), h.condition('Ready')?.status]).toEqual([2, '2', 'True']);
  });

  test.each([
    { what: 'whose result has another ID', on: 'GET /folders', advice: 'create.later.result' },
    { what: 'whose operation is not known', on: 'GET /operations', advice: 'create.later' },
  ])('$what is not created again, and found once it is there', async ({ on, advice }) => {
    api.later = { state: 'running' };
    const h = setup({ definition });
    await h.reconcile();
    api.later = { state: 'done' };
    api.faults.push({ on, answer: 404, times: 99 });
    for (let round = 0; round < 8; round++) {
      await h.clock.advance(31_000);
      await h.reconcile();
    }
    expect(writes()).toHaveLength(1);
    expect(h.condition('Synced')).toMatchObject({ status: 'False', reason: 'ReconcileError' });
    expect(h.condition('Synced')?.message).toContain(advice);
    api.faults.length = 0;
    await h.reconcile();
    expect([writes().length, h.externalName(), h.condition('Ready')?.status]).toEqual([1, '1', 'True']);
  });

  test('that is still pending when its operation has ended keeps its name', async () => {
    api.later = { state: 'done' };
    const ready = { field: 'colour', values: ['blue'], pending: ['grey'] };
    const h = setup({ definition: { ...definition, ready } });
    for (let round = 0; round < 4; round++) {
      await h.reconcile();
      await h.clock.advance(31_000);
    }
    expect([writes().length, h.externalName(), h.condition('Ready')?.message]).toEqual([
      1,
      '1',
      'the folder is grey',
    ]);
  });

  test('that fails is reported with the message of its operation, and begun again', async () => {
    api.later = { state: 'failed' };
    const h = setup({ definition });
    await h.reconcile();
    await h.clock.advance(31_000);
    await h.reconcile();
    expect(h.condition('Synced')?.message).toContain('its operation has ended as failed: quota exceeded');
    expect(writes()).toHaveLength(1);
    await h.reconcile();
    expect(writes()).toHaveLength(2);
  });
});
