import { expect, test } from '@jest/globals';
import type { Operation } from '../service-manager/index.ts';
import { type RecoveredState, recoveredState } from './recover.ts';

const url = '/v1/service_instances/id-1/operations/op-1';

test.each<{ ready: boolean; last?: Operation; expected: RecoveredState; reason: string }>([
  { reason: 'ready without operation', ready: true, expected: { state: 'succeeded', type: 'create' } },
  {
    reason: 'not ready without operation',
    ready: false,
    expected: { state: 'failed', type: 'create', text: '' },
  },
  {
    reason: 'a succeeded update',
    ready: true,
    last: { id: 'op-1', type: 'update', state: 'succeeded' },
    expected: { state: 'succeeded', type: 'update' },
  },
  {
    reason: 'a pending create',
    ready: false,
    last: { id: 'op-1', type: 'create', state: 'pending', description: 'soon' },
    expected: { state: 'in-progress', type: 'create', text: 'soon', url },
  },
  {
    reason: 'a delete in progress',
    ready: true,
    last: { id: 'op-1', type: 'delete', state: 'in progress' },
    expected: { state: 'in-progress', type: 'delete', text: '', url },
  },
  {
    reason: 'a failed create',
    ready: false,
    last: { id: 'op-1', type: 'create', state: 'failed', description: 'text', errorDescription: 'no quota' },
    expected: { state: 'failed', type: 'create', text: 'no quota' },
  },
  {
    reason: 'an operation without ID and type',
    ready: true,
    last: { state: 'in progress' },
    expected: { state: 'in-progress', type: undefined, text: '', url: '' },
  },
])('$reason is $expected.state', ({ ready, last, expected }) => {
  const found = { id: 'id-1', ready, ...(last === undefined ? {} : { lastOperation: last }) };
  expect(recoveredState(found, 'service_instances')).toEqual(expected);
});
