import { describe, expect, test } from '@jest/globals';
import { sampleInstance } from '../serviceinstance/fixtures/serviceinstance.fixture.ts';
import { removeShared, setShared } from '../serviceinstance/instance-run.ts';
import { conditionsOf, isReady, observedGenerationOf, writeConditions } from './conditions.ts';
import { type KnownOperation, type Reason, reasonOf } from './messages.ts';

const now = Date.UTC(2026, 0, 1);
const later = now + 60_000;
const time = '2026-01-01T00:00:00Z';

const share = (
  instance: ReturnType<typeof sampleInstance>,
  isShared: boolean,
  reason: Reason,
  message: string,
) => setShared(instance, { isShared, reason, message }, now);

const shown = (instance: ReturnType<typeof sampleInstance>) =>
  conditionsOf(instance).map(
    ({ type, status, reason, message, observedGeneration }) =>
      `${type}=${status} ${reason} ${observedGeneration ?? '-'} ${message}`,
  );

describe('[B175] the reason of an operation and its state', () => {
  test.each<{ operation: KnownOperation; expected: readonly string[] }>([
    { operation: 'create', expected: ['Created', 'CreateInProgress', 'CreateInProgress', 'CreateFailed'] },
    { operation: 'update', expected: ['Updated', 'UpdateInProgress', 'UpdateInProgress', 'UpdateFailed'] },
    { operation: 'delete', expected: ['Deleted', 'DeleteInProgress', 'DeleteInProgress', 'DeleteFailed'] },
    { operation: undefined, expected: ['Finished', 'InProgress', 'InProgress', 'Failed'] },
  ])('$operation', ({ operation, expected }) => {
    const states = ['succeeded', 'in progress', 'pending', 'failed'] as const;
    expect(states.map((state) => reasonOf(operation, state))).toEqual(expected);
  });
});

test('a description of Service Manager with control characters is stored with them escaped', () => {
  const instance = sampleInstance();
  share(instance, false, 'ShareFailed', 'broker says \u001b[2Jno');
  expect(shown(instance).at(-1)).toContain('broker says \\e[2Jno');
});

describe('[B176] conditions of a ServiceInstance', () => {
  test('a new one is pending and not ready', () => {
    const instance = sampleInstance();
    writeConditions(instance, now).inProgress('create', 'Pending');
    expect(shown(instance)).toEqual([
      'Succeeded=False CreateInProgress 3 Pending',
      'Ready=False NotProvisioned 3 ',
    ]);
    expect(instance.status?.ready).toBe('False');
  });

  test('success makes it ready, with the same text', () => {
    const instance = sampleInstance();
    writeConditions(instance, now).succeeded('create');
    expect(shown(instance)).toEqual([
      'Succeeded=True Created 3 ServiceInstance provisioned successfully',
      'Ready=True Provisioned 3 ServiceInstance provisioned successfully',
    ]);
    expect(isReady(instance)).toBe(true);
  });

  test('a failed update leaves it ready', () => {
    const instance = sampleInstance();
    writeConditions(instance, now).succeeded('create');
    instance.metadata.generation = 4;
    writeConditions(instance, later).requestFailed('update', 'no such parameter');
    expect(shown(instance)).toEqual([
      'Succeeded=False UpdateFailed 4 no such parameter',
      'Ready=True Provisioned 4 ',
    ]);
    expect(conditionsOf(instance).map((c) => c.lastTransitionTime)).toEqual(['2026-01-01T00:01:00Z', time]);
  });

  test('the text of an accepted operation that failed names the operation', () => {
    const texts = (['create', 'update', 'delete', undefined] as const).map((operation) => {
      const instance = sampleInstance();
      writeConditions(instance, now).operationFailed(operation, 'no quota');
      return conditionsOf(instance)[0]?.message;
    });
    expect(texts).toEqual([
      'ServiceInstance create failed: no quota',
      'ServiceInstance update failed: no quota',
      'ServiceInstance deletion failed: no quota',
      'no quota',
    ]);
  });

  test('a poll keeps the generation that the operation was started for', () => {
    const instance = sampleInstance();
    writeConditions(instance, now).inProgress('update');
    instance.metadata.generation = 4;
    writeConditions(instance, later).succeeded('update', { polled: true });
    expect(observedGenerationOf(instance)).toBe(3);
    expect(shown(instance)[0]).toBe('Succeeded=True Updated 3 ServiceInstance updated successfully');
  });

  test('the condition Failed of old releases is removed, and Succeeded comes first', () => {
    const old = { status: 'True' as const, reason: 'x', message: '', lastTransitionTime: time };
    const instance = sampleInstance(
      {},
      {
        conditions: [
          { ...old, type: 'Failed' },
          { ...old, type: 'Shared' },
        ],
      },
    );
    writeConditions(instance, now).succeeded('update');
    expect(conditionsOf(instance).map(({ type }) => type)).toEqual(['Succeeded', 'Shared', 'Ready']);
  });

  test('not found replaces all others', () => {
    const instance = sampleInstance();
    writeConditions(instance, now).succeeded('create');
    share(instance, true, 'ShareSucceeded', 'shared');
    writeConditions(instance, later).notFound('id-1');
    expect(shown(instance)).toEqual([
      'Ready=False NotFound 3 instance id-1 not found for this cluster or namespace; or it is not managed by this operator-access instance.',
    ]);
    expect(instance.status?.ready).toBe('False');
  });

  test('Shared has no generation and comes last, and the others get the current generation', () => {
    const instance = sampleInstance();
    share(instance, true, 'ShareSucceeded', 'shared');
    writeConditions(instance, now).succeeded('create');
    instance.metadata.generation = 4;
    share(instance, false, 'UnShareSucceeded', 'un-shared');
    expect(shown(instance)).toEqual([
      'Succeeded=True Created 4 ServiceInstance provisioned successfully',
      'Ready=True Provisioned 4 ServiceInstance provisioned successfully',
      'Shared=False UnShareSucceeded - un-shared',
    ]);
    removeShared(instance);
    expect(shown(instance)).toHaveLength(2);
  });

  test('a long message is cut', () => {
    const instance = sampleInstance();
    writeConditions(instance, now).requestFailed('create', `begin ${'x'.repeat(100_000)} end`);
    const { message = '' } = conditionsOf(instance)[0] ?? {};
    expect(message.length).toBeLessThanOrEqual(4096);
    expect(message).toMatch(/^begin x.* end$/);
  });
});

test('[B177] the generation of the last operation: 5 if it has one, 0 without conditions', () => {
  const instance = sampleInstance();
  expect(observedGenerationOf(instance)).toBe(0);
  instance.metadata.generation = 5;
  writeConditions(instance, now).succeeded('create');
  expect(observedGenerationOf(instance)).toBe(5);
});
