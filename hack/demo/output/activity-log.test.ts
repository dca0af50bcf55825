import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../../internal/framework/base/time/fake-clock.ts';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import type { RequestRecord } from '../../../test/simulators/hana-cloud/journal.ts';
import type { ServiceManagerSimulator } from '../../../test/simulators/service-manager/simulator.ts';
import { describeCall, startActivityLog } from './activity-log.ts';

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
])('a call with %j is printed as %s: %s', (change, text) => {
  expect(describeCall({ ...record, ...change })).toBe(text);
});

test('a call without a response is marked', () => {
  const { status: _, ...unanswered } = record;

  expect(describeCall({ ...unanswered, outcome: 'reset' })).toMatch(/→ no answer$/);
});

type Condition = Record<'type' | 'status' | 'reason', string> & { message?: string };

function setup() {
  let conditions: Condition[] = [];
  let requests: RequestRecord[] = [];
  let bindings: ServiceManagerRequest[] = [];
  const printed: string[] = [];
  const list = async <T extends KubeObject>() =>
    [{ metadata: { name: 'orders' }, status: { conditions } }] as unknown as T[];
  const activityLog = startActivityLog({
    management: { list },
    simulator: { requests: () => requests },
    serviceManager: { requests: () => bindings },
    clock: createFakeClock(),
    print: (text) => printed.push(text),
  });
  return {
    activityLog,
    set: (next: {
      conditions?: Condition[];
      requests?: RequestRecord[];
      bindings?: ServiceManagerRequest[];
    }) => {
      bindings = next.bindings ?? bindings;
      conditions = next.conditions ?? conditions;
      requests = next.requests ?? requests;
    },
    /** What is printed of new calls and conditions. */
    newLines: async () => {
      await activityLog.catchUp();
      return printed.splice(0);
    },
  };
}

type ServiceManagerRequest = ReturnType<ServiceManagerSimulator['requests']>[number];

test('calls to Service Manager are printed as such', async () => {
  const { set, newLines } = setup();
  set({
    bindings: [
      { ...record, route: 'createBinding', method: 'POST', path: '/v1/service_bindings', status: 201 },
    ],
  });
  expect(await newLines()).toEqual(['Service Manager: POST /v1/service_bindings → 201']);
  expect(await newLines()).toEqual([]);
});

const waiting = (type: string, message: string) => ({ type, status: 'False', reason: 'Waiting', message });

test('a condition is printed when it changes, and once where Ready repeats Synced', async () => {
  const { activityLog, set, newLines } = setup();
  set({ conditions: [waiting('Synced', 'no database'), waiting('Ready', 'no database')] });
  expect(await newLines()).toEqual(['orders: Synced=False Waiting: no database']);
  expect(await newLines()).toEqual([]);

  set({ conditions: [{ type: 'Synced', status: 'True', reason: 'ReconcileSuccess' }] });
  expect(await newLines()).toEqual(['orders: Synced=True ReconcileSuccess']);
  activityLog.stop();
});

test('a call is printed once, after its response', async () => {
  const { activityLog, set, newLines } = setup();
  set({ requests: [{ ...record, outcome: 'under way' }] });
  expect(await newLines()).toEqual([]);

  set({ requests: [record] });
  expect(await newLines()).toEqual(['HANA Cloud: GET …/i-1/instanceMappings → 200']);
  expect(await newLines()).toEqual([]);
  activityLog.stop();
});
