import { expect, test } from '@jest/globals';
import type { Condition } from '../kube/object/condition.ts';
import { conditionCheck } from './condition-checks.ts';

const condition = (
  type: string,
  status: Condition['status'],
  reason: string,
  message?: string,
): Condition => ({
  type,
  status,
  reason,
  lastTransitionTime: '2024-01-01T00:00:00Z',
  ...(message === undefined ? {} : { message }),
});
const synced = condition('Synced', 'True', 'ReconcileSuccess');
const ready = condition('Ready', 'True', 'Available');
const restricted = condition('UpToDate', 'False', 'UpdateRestricted', 'isDefault is true');
const unavailable = condition('Ready', 'False', 'Unavailable', 'the mapping is missing');

test.each<[string, Condition[], string, string]>([
  ['all are True', [synced, ready], 'ok', 'Synced and Ready: True'],
  [
    'one that is not on every resource is True',
    [synced, ready, condition('UpToDate', 'True', 'ObserveMatched')],
    'ok',
    'Synced and Ready: True',
  ],
  [
    'one that is not on every resource is False',
    [synced, ready, restricted],
    'waiting',
    'UpToDate is False, UpdateRestricted: isDefault is true',
  ],
  ['none is set', [], 'waiting', 'Synced is not set yet; Ready is not set yet'],
  [
    'the last reconcile failed',
    [condition('Synced', 'False', 'ReconcileError', 'conflict'), ready],
    'failed',
    'Synced is False, ReconcileError: conflict',
  ],
  [
    'it waits',
    [condition('Synced', 'False', 'Waiting', 'no Secret'), ready],
    'waiting',
    'Synced is False, Waiting: no Secret',
  ],
  ['it is not known', [condition('Synced', 'Unknown', 'New'), ready], 'waiting', 'Synced is Unknown, New'],
  [
    'one follows from others',
    [synced, unavailable],
    'waiting',
    'Ready is False, Unavailable: the mapping is missing',
  ],
  [
    'several are not, for one cause',
    [
      condition('Synced', 'False', 'Waiting', 'no Secret'),
      condition('Ready', 'False', 'Waiting', 'no Secret'),
    ],
    'waiting',
    'Synced is False, Waiting: no Secret; Ready is False, Waiting',
  ],
  [
    'several are not',
    [condition('Synced', 'False', 'ReconcileError', 'conflict'), unavailable],
    'failed',
    'Synced is False, ReconcileError: conflict; Ready is False, Unavailable: the mapping is missing',
  ],
])('a resource is healthy only if its conditions are True: %s', (_, conditions, status, detail) => {
  const check = conditionCheck(
    conditions,
    [{ type: 'Synced', waiting: ['Waiting'] }, { type: 'Ready' }, { type: 'UpToDate', optional: true }],
    'show it',
  );
  expect(check).toMatchObject({ name: 'conditions', status, detail });
  expect(check.remediation).toBe(status === 'ok' ? undefined : 'show it');
});
