import { describe, expect, test } from '@jest/globals';
import { api, setup, useApi, writes } from './rest-kind.fixture.ts';

useApi();

describe('an API without an operation that reads one', () => {
  test.each([
    { by: 'number', parameter: 'page', sizeParameter: 'size', size: 2 },
    { by: 'offset', parameter: 'offset', sizeParameter: 'size', size: 2 },
    { by: 'token', parameter: 'cursor', next: 'next' },
  ] as const)('is read page by page, by $by', async (pages) => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) api.items('/folders').set(id, { id, title: id });
    const annotations = { 'crossplane.io/external-name': 'e' };
    const read = { list: 'GET /folders', items: 'items', pages } as const;
    const h = setup({ definition: { read }, annotations, forProvider: { title: 'e' } });
    await h.reconcile();
    expect([h.condition('Ready')?.status, api.requests.length, writes()]).toEqual(['True', 3, []]);
  });

  const byNumber = { by: 'number', parameter: 'page', sizeParameter: 'size', size: 100 } as const;
  const byOffset = { by: 'offset', parameter: 'offset', sizeParameter: 'size', size: 100 } as const;
  test.each([
    { pages: byNumber, maxPage: 2 },
    { pages: byOffset, maxPage: 2 },
    { pages: byNumber, maxPage: 1 },
  ])(
    'is read to its end, though pages have less than was requested: $maxPage, by $pages.by',
    async (given) => {
      for (const id of ['a', 'b', 'c', 'd', 'e']) api.items('/folders').set(id, { id, title: id });
      api.maxPage = given.maxPage;
      const annotations = { 'crossplane.io/external-name': 'e' };
      const read = { list: 'GET /folders', items: 'items', pages: given.pages } as const;
      const h = setup({ definition: { read }, annotations, forProvider: { title: 'e' } });
      await h.reconcile();
      expect([h.condition('Ready')?.status, writes()]).toEqual(['True', []]);
      await h.delete();
      await h.reconcile();
      expect(writes()).toEqual(['DELETE /folders/e']);
      await h.clock.advance(31_000);
      await h.reconcile();
      expect(h.gone()).toBe(true);
    },
  );

  test.each([
    { beyondPages: 'empty', requests: 2 },
    { beyondPages: 'last', requests: 2 },
    { beyondPages: 404, requests: 2 },
    { beyondPages: 400, requests: 2 },
    { beyondPages: 'empty', items: [], requests: 1 },
  ] as const)('ends after a page that is not full: $beyondPages', async ({ requests, ...given }) => {
    const items = 'items' in given ? given.items : ['a', 'b'];
    api.items('/folders');
    for (const id of items) api.items('/folders').set(id, { id, title: id });
    api.beyondPages = given.beyondPages;
    const annotations = { 'crossplane.io/external-name': 'zzz' };
    const read = { list: 'GET /folders', items: 'items', pages: byNumber } as const;
    const h = setup({ definition: { read }, annotations, managementPolicies: ['Observe'] });
    await h.reconcile();
    expect([api.requests.length, h.condition('Synced')?.message]).toEqual([
      requests,
      'observe failed: external resource does not exist',
    ]);
  });

  test('that fails after such a page is not taken for read', async () => {
    for (const id of ['a', 'b']) api.items('/folders').set(id, { id, title: id });
    api.beyondPages = 403;
    const read = { list: 'GET /folders', items: 'items', pages: byNumber } as const;
    const h = setup({ definition: { read }, annotations: { 'crossplane.io/external-name': 'zzz' } });
    await h.reconcile();
    expect([writes(), h.condition('Synced')?.message]).toEqual([[], expect.stringContaining('answered 403')]);
  });

  test.each([{ by: 'link' }, { by: 'link', next: 'links.next' }] as const)(
    'is read along its links: %j',
    async (pages) => {
      for (const id of ['a', 'b', 'c', 'd', 'e']) api.items('/folders').set(id, { id, title: id });
      api.habits.links = !('next' in pages);
      const annotations = { 'crossplane.io/external-name': 'e' };
      const items = api.habits.links ? {} : { items: 'items' };
      const read = { list: 'GET /folders', ...items, pages } as const;
      const h = setup({ definition: { read }, annotations, forProvider: { title: 'e' } });
      await h.reconcile();
      expect([h.condition('Ready')?.status, api.requests.at(-1), writes()]).toEqual([
        'True',
        'GET /folders?cursor=4',
        [],
      ]);
    },
  );

  test('that repeats a page is an error, and no endless loop', async () => {
    for (const id of ['a', 'b', 'c']) api.items('/folders').set(id, { id, title: id });
    const annotations = { 'crossplane.io/external-name': 'zzz' };
    const read = {
      list: 'GET /folders',
      items: 'items',
      pages: { by: 'token', parameter: 'other', next: 'next' },
    } as const;
    const h = setup({ definition: { read }, annotations });
    await h.reconcile();
    expect(h.condition('Synced')?.message).toContain('repeats a page');
  });

  test('that names its next page by a long text is an error: all of these texts are kept', async () => {
    for (const id of ['a', 'b', 'c']) api.items('/folders').set(id, { id, title: 'x'.repeat(10_000) });
    const annotations = { 'crossplane.io/external-name': 'zzz' };
    const read = {
      list: 'GET /folders',
      items: 'items',
      pages: { by: 'token', parameter: 'cursor', next: 'items.0.title' },
    } as const;
    const h = setup({ definition: { read }, annotations });
    await h.reconcile();
    expect(h.condition('Synced')?.message).toContain('names a next page that is too long');
    expect(api.requests.length).toBe(1);
  });
});

describe('an external resource that the API deletes later', () => {
  const deleted = { field: 'deleteOn' };

  test('counts as deleted when it is marked, so that the deletion ends', async () => {
    api.marksDeleted = 'deleteOn';
    const h = setup({ definition: { deleted } });
    await h.reconcile();
    await h.delete();
    await h.reconcile();
    await h.clock.advance(31_000);
    await h.reconcile();
    expect([h.gone(), writes().slice(1), api.items('/folders').size]).toEqual([
      true,
      ['DELETE /folders/1'],
      1,
    ]);
  });

  test('is created again, as one that is gone', async () => {
    const h = setup({ definition: { deleted: { field: 'state', values: ['archived'] } } });
    await h.reconcile();
    Object.assign(api.items('/folders').get('1') ?? {}, { state: 'archived' });
    await h.clock.advance(31_000);
    await h.reconcile();
    expect([h.externalName(), writes().length]).toEqual(['2', 2]);
  });

  test.each([undefined, null, '', false, 0])('is one that is not marked: %j', async (deleteOn) => {
    const h = setup({ definition: { deleted } });
    await h.reconcile();
    Object.assign(api.items('/folders').get('1') ?? {}, { deleteOn });
    await h.clock.advance(31_000);
    await h.reconcile();
    expect([h.condition('Ready')?.status, writes().length]).toEqual(['True', 1]);
  });

  test('hides none of the same ID in a list that was created after it', async () => {
    api.items('/folders').set('old', { id: '7', title: 'b', deleteOn: '2026-07-01' });
    api.items('/folders').set('new', { id: '7', title: 'a' });
    const read = { list: 'GET /folders', items: 'items' } as const;
    const h = setup({ definition: { deleted, read }, annotations: { 'crossplane.io/external-name': '7' } });
    await h.reconcile();
    expect([h.condition('Ready')?.status, writes()]).toEqual(['True', []]);
  });

  test('is none of those in which a lost create is looked for', async () => {
    const list = {
      list: 'GET /folders',
      items: 'items',
      pages: { by: 'token', parameter: 'cursor', next: 'next' },
    } as const;
    const definition = {
      deleted,
      id: { parts: [{ parameter: 'id', from: 'response' }], findBy: ['title'], findIn: list },
    } as const;
    api.items('/folders').set('old', { id: 'old', title: 'a', deleteOn: '2026-07-01' });
    api.faults.push({ on: 'POST', answer: 'drop', times: 1 });
    const h = setup({ definition });
    await h.reconcile();
    await h.reconcile();
    expect([h.externalName(), writes().length]).toEqual(['1', 1]);
  });
});
