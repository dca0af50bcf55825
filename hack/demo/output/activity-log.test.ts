import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../../internal/base/time/fake-clock.ts';
import type { KubeObject } from '../../../internal/kube/object/object.ts';
import type { RequestRecord } from '../../../test/simulators/hana-cloud/journal.ts';
import { describeCall, startNarrator } from './activity-log.ts';

const record: RequestRecord = {
  id: 1,
  at: 0,
  method: 'GET',
  path: '/inventory/v2/serviceInstances/i-1/instanceMappings',
  query: {},
  inFlight: 1,
  outcome: 'answered',
  status: 200,
  faults: [],
};

test.each<[Partial<RequestRecord>, string, string]>([
  [{ clientID: 'sb-1' }, 'GET …/i-1/instanceMappings → 200 for sb-1', 'who asked'],
  [
    { method: 'DELETE', query: { primaryID: 'c 1', secondaryID: 'shop' }, status: 204 },
    'DELETE …/i-1/instanceMappings?primaryID=c+1&secondaryID=shop → 204',
    'what is deleted stands in the query',
  ],
  [
    { method: 'POST', body: { primaryID: 'c-1' }, status: 201 },
    'POST …/i-1/instanceMappings {"primaryID":"c-1"} → 201',
    'what was sent',
  ],
])('a call with %j is told as %s: %s', (change, text) => {
  expect(describeCall({ ...record, ...change })).toBe(text);
});

test('a call without an answer says so', () => {
  const { status: _, ...unanswered } = record;

  expect(describeCall({ ...unanswered, outcome: 'reset' })).toMatch(/→ no answer$/);
});

type Condition = Record<'type' | 'status' | 'reason', string> & { message?: string };

function setup() {
  let conditions: Condition[] = [];
  let requests: RequestRecord[] = [];
  const told: string[] = [];
  const list = async <T extends KubeObject>() =>
    [{ metadata: { name: 'orders' }, status: { conditions } }] as unknown as T[];
  const narrator = startNarrator({
    management: { list },
    simulator: { requests: () => requests },
    clock: createFakeClock(),
    tell: (text) => told.push(text),
  });
  return {
    narrator,
    set: (next: { conditions?: Condition[]; requests?: RequestRecord[] }) => {
      conditions = next.conditions ?? conditions;
      requests = next.requests ?? requests;
    },
    /** What is told of what is new. */
    tells: async () => {
      await narrator.catchUp();
      return told.splice(0);
    },
  };
}

const waiting = (type: string, message: string) => ({ type, status: 'False', reason: 'Waiting', message });

test('a condition is told when it changes, and once where Ready repeats what Synced says', async () => {
  const { narrator, set, tells } = setup();
  set({ conditions: [waiting('Synced', 'no database'), waiting('Ready', 'no database')] });
  expect(await tells()).toEqual(['orders: Synced=False Waiting: no database']);
  expect(await tells()).toEqual([]);

  set({ conditions: [{ type: 'Synced', status: 'True', reason: 'ReconcileSuccess' }] });
  expect(await tells()).toEqual(['orders: Synced=True ReconcileSuccess']);
  narrator.stop();
});

test('a call is told once, when it has been answered', async () => {
  const { narrator, set, tells } = setup();
  set({ requests: [{ ...record, outcome: 'under way' }] });
  expect(await tells()).toEqual([]);

  set({ requests: [record] });
  expect(await tells()).toEqual(['HANA Cloud: GET …/i-1/instanceMappings → 200']);
  expect(await tells()).toEqual([]);
  narrator.stop();
});
