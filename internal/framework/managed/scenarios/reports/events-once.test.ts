import { describe, expect, test } from '@jest/globals';
import { ProviderError, WaitingError } from '../../../base/errors/errors.ts';
import { apiError } from '../../../kube/fakes/memory-client.ts';
import { createHarness, type HarnessOptions, namespacedWidgets } from '../../fakes/managed-harness.ts';
import { boom, deleted, drifted, existing, isStatusPut, upToDate, withPolicies } from '../scenario.ts';

const type = namespacedWidgets;
const conflict = apiError(409, 'Conflict', 'the object has been modified');
const annotated = (name: string, value: string) => ({
  metadata: { ...existing.metadata, annotations: { [`crossplane.io/${name}`]: value } },
});

/** Runs reconciles of which only the last can store its status. */
async function eventsOf(given: Omit<HarnessOptions, 'type'>, refusal: Error, reason: string) {
  const harness = createHarness({ type, ...given });
  let refused = 0;
  harness.client.onRequest((request) => {
    if (isStatusPut(request) && refused++ < 2) throw refusal;
  });
  for (let i = 0; i < 3; i++) await harness.reconcile().catch(() => undefined);
  expect(refused).toBeGreaterThan(2);
  return harness.recorder.events.filter((event) => event.reason === reason).length;
}

describe('events that are recorded once are, also if others write the resource meanwhile', () => {
  const table: { reason: string; given: Omit<HarnessOptions, 'type'> }[] = [
    { reason: 'ReconciliationPaused', given: { resource: annotated('paused', 'true') } },
    {
      reason: 'ReconcileRequestHandled',
      given: { resource: annotated('reconcile-requested-at', 'now'), external: { observe: upToDate } },
    },
    { reason: 'Waiting', given: { external: { connect: new WaitingError('Secret shop/x not found') } } },
    {
      reason: 'Conflict',
      given: { external: { connect: new ProviderError('contested', 'it is of another') } },
    },
    {
      reason: 'CannotConnectToProvider',
      given: { external: { connect: new ProviderError('terminal', 'no such user') } },
    },
    { reason: 'CannotUseInvalidManagementPolicy', given: { resource: withPolicies('Create') } },
    {
      reason: 'CannotReplaceExternalResource',
      given: {
        resource: withPolicies('Observe', 'Update'),
        external: { observe: { ...drifted, replace: 'drift' } },
      },
    },
  ];
  test.each(table)('$reason', async ({ reason, given }) => {
    expect(await eventsOf(given, conflict, reason)).toBe(1);
  });
});

test('each attempt has its event', async () => {
  const external = { connect: boom };
  expect(await eventsOf({ external }, conflict, 'CannotConnectToProvider')).toBe(3);
  const harness = createHarness({ type, external });
  for (let i = 0; i < 3; i++) await harness.reconcile();
  expect(harness.recorder.lines()).toHaveLength(3);
});

test('a status that cannot be stored at all prevents no event', async () => {
  const given = { external: { connect: new WaitingError('Secret shop/x not found') } };
  expect(await eventsOf(given, boom, 'Waiting')).toBe(3);
});

test('a request is answered also where the resource goes, and there is no status to store', async () => {
  const resource = {
    metadata: { ...deleted.metadata, annotations: { 'crossplane.io/reconcile-requested-at': 'now' } },
  };
  const harness = createHarness({ type, resource });
  await harness.reconcile();
  expect(harness.stored()).toBeUndefined();
  expect(harness.recorder.lines().filter((line) => line.includes('ReconcileRequestHandled'))).toHaveLength(1);
});
