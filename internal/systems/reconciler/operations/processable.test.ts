import { describe, expect, test } from '@jest/globals';
import type { OperationState, OperationType } from './operation.ts';
import { currentGroup, processable, resultOf } from './processable.ts';

/** Operations written as `priority state`, e.g. `1 done`. */
function operations(texts: readonly string[], type: OperationType = 'reconcile') {
  return texts.map((text, index) => {
    const [priority = '', state = ''] = text.split(' ');
    return { priority: Number(priority), state: state as OperationState, type, name: String(index) };
  });
}

const names = (found: readonly { readonly name: string }[]) => found.map(({ name }) => name).join('');

describe('[R18] processable', () => {
  test.each<{ what: string; given: string[]; type?: OperationType; limit?: number; found: string }>([
    { what: 'the lowest priority first', given: ['1 new', '2 new', '1 new'], found: '02' },
    {
      what: 'the highest priority first in a deletion',
      given: ['1 new', '2 new', '3 new'],
      type: 'delete',
      found: '2',
    },
    {
      what: 'an orphan and a client error count',
      given: ['1 orphan', '1 client_error', '2 new'],
      found: '01',
    },
    { what: 'the next group when all are done', given: ['1 done', '1 done', '2 new'], found: '2' },
    { what: 'a running one holds the next group', given: ['1 done', '1 in_progress', '2 new'], found: '' },
    { what: 'a failed attempt holds it too', given: ['1 failed', '2 new'], found: '' },
    { what: 'an error of the group: none', given: ['1 error', '1 new', '2 new'], found: '' },
    { what: 'an error in a deletion: none', given: ['1 new', '2 error'], type: 'delete', found: '' },
    { what: 'all done', given: ['1 done', '2 done'], found: '' },
    { what: 'no operations', given: [], found: '' },
    ...[4, 3, 2, 1].map((limit) => ({
      what: `limit ${limit}`,
      given: ['1 new', '1 new', '1 new', '1 new'],
      limit,
      found: '0123'.slice(0, limit),
    })),
    {
      what: 'running ones take from the limit',
      given: ['1 in_progress', '1 failed', '1 new', '1 new'],
      limit: 3,
      found: '2',
    },
    { what: 'a client error does not', given: ['1 client_error', '1 new'], limit: 2, found: '01' },
  ])('$what', ({ given, type, limit = 10, found }) => {
    expect(names(processable(operations(given, type), limit))).toBe(found);
  });
});

test('the current group: what is not done of the first open priority', () => {
  expect(names(currentGroup(operations(['1 done', '2 new', '2 done', '3 new'])))).toBe('1');
  expect(names(currentGroup(operations(['1 new', '2 error', '3 done'], 'delete')))).toBe('1');
});

describe('[R31] result', () => {
  test.each<{ states: OperationState[]; reconcile: string; deletion: string }>([
    { states: ['new', 'new'], reconcile: 'reconciling', deletion: 'deleting' },
    { states: ['error', 'in_progress'], reconcile: 'reconciling', deletion: 'deleting' },
    { states: ['error', 'new', 'orphan', 'done'], reconcile: 'error', deletion: 'delete_error' },
    { states: ['failed', 'new'], reconcile: 'reconciling', deletion: 'deleting' },
    { states: ['client_error', 'error'], reconcile: 'reconciling', deletion: 'deleting' },
    { states: ['done', 'in_progress'], reconcile: 'reconciling', deletion: 'deleting' },
    { states: ['done', 'orphan'], reconcile: 'reconciling', deletion: 'deleting' },
    { states: ['done', 'done'], reconcile: 'ready', deletion: 'deleted' },
    { states: ['error', 'done'], reconcile: 'error', deletion: 'delete_error' },
  ])('$states: $reconcile, $deletion', ({ states, reconcile, deletion }) => {
    const of = (type: OperationType) => resultOf(states.map((state) => ({ state, type })));
    expect([of('reconcile'), of('delete')]).toEqual([reconcile, deletion]);
  });

  test('no operations are an error; one that is no deletion makes all of it none', () => {
    expect(resultOf([])).toBe('error');
    expect(
      resultOf([
        { state: 'done', type: 'delete' },
        { state: 'done', type: 'reconcile' },
      ]),
    ).toBe('ready');
  });
});
