/**
 * The acceptance scenarios of the managed reconciler as tables. Each runs for both scopes of managed resources
 * and says what users see afterwards: conditions, events, the queue's instruction, and what was asked of whom. The
 * numbers in the titles are those of the list in the contract with Crossplane.
 */
import { describe, expect, test } from '@jest/globals';
import { managedFinalizer } from '../../controller/reconcile/finalizer.ts';
import { done, gone, pollAfter, type ReconcileResult, requeue } from '../../controller/reconcile-result.ts';
import type { MemoryRequest } from '../../kube/fakes/memory-client.ts';
import {
  clusterWidgets,
  createHarness,
  type Harness,
  type HarnessOptions,
  namespacedWidgets,
  type WidgetParts,
} from '../fakes/managed-harness.ts';
import { messageCreated } from '../steps/messages/messages.ts';

export interface Scenario {
  /** Number and title. */
  readonly title: string;
  readonly reason: string;
  readonly given?: Omit<HarnessOptions, 'type'>;
  /** What the API server refuses: called before each request. */
  readonly fault?: (request: MemoryRequest) => void;
  readonly want: {
    readonly result?: ReconcileResult;
    readonly error?: string;
    /** All of them but UpToDate, e.g. `Synced=False/ReconcileError connect failed: boom`. */
    readonly conditions?: readonly string[];
    /** What UpToDate states, e.g. `True/ObserveMatched`. */
    readonly upToDate?: string | undefined;
    /** Of all events: `Warning Reason: message`. */
    readonly events?: readonly string[];
    /** Results of the external API. */
    readonly calls?: readonly string[];
    /** Of the API server. */
    readonly writes?: readonly string[];
    readonly check?: (harness: Harness) => void;
  };
}

export const success = 'Synced=True/ReconcileSuccess';
export const failure = (message: string) => `Synced=False/ReconcileError ${message}`;
export const creating = 'Ready=False/Creating';
export const deleting = 'Ready=False/Deleting';
export const poll = pollAfter(60_000);
export { done, gone, requeue };

export const boom = new Error('boom');
/** The observation of an external resource that is up to date. */
export const upToDate = { state: 'present', upToDate: true } as const;
export const drifted = { state: 'present', upToDate: false, diff: 'size is 1, should be 2' } as const;

/** A resource that was created before. */
export const existing: WidgetParts = { metadata: { finalizers: [managedFinalizer] } };
/** A status in which Ready is known. */
export const notReady = {
  conditions: [
    {
      type: 'Ready',
      status: 'False' as const,
      reason: 'Unavailable',
      lastTransitionTime: '2023-12-31T00:00:00Z',
      observedGeneration: 42,
    },
  ],
};
export const deleted: WidgetParts = {
  metadata: { finalizers: [managedFinalizer], deletionTimestamp: '2024-01-01T00:00:00Z' },
};
/** The time of the harness, and one before it. */
export const at = '2024-01-01T00:00:00Z';
export const earlier = '2023-12-31T00:00:00Z';
/** A resource whose create has no recorded outcome. */
export const interrupted = {
  metadata: { annotations: { 'crossplane.io/external-create-pending': earlier } },
};
export const created = `Normal CreatedExternalResource: ${messageCreated}`;
/** Annotations without the group of their names. */
export const annotations = (object: { metadata: { annotations?: Record<string, string> } } | undefined) =>
  Object.fromEntries(
    Object.entries(object?.metadata.annotations ?? {}).map(([name, value]) => [
      name.replace('crossplane.io/', ''),
      value,
    ]),
  );
export const withPolicies = (...managementPolicies: string[]): WidgetParts => ({
  ...existing,
  spec: { managementPolicies },
});

/** Refuses the PUTs of the object itself from the n-th on. */
export function failingPuts(error: Error, n = 1): (request: MemoryRequest) => void {
  let seen = 0;
  return ({ verb, subresource }) => {
    if (verb === 'update' && subresource === undefined && ++seen >= n) throw error;
  };
}
/** The n-th call of `publish` fails, and each one of `unpublish`; n is 0: only those. */
export function failingPublisher(error: Error, n: number) {
  let calls = 0;
  const publish = async () => {
    if (++calls === n) throw error;
    return true;
  };
  return { publisher: { publish, unpublish: () => Promise.reject(error) } };
}

export const isStatusPut = ({ verb, subresource }: MemoryRequest) =>
  verb === 'update' && subresource === 'status';

export function runScenarios(subject: string, scenarios: () => readonly Scenario[]): void {
  describe.each([
    { scope: 'Cluster', type: clusterWidgets },
    { scope: 'Namespaced', type: namespacedWidgets },
  ])(`${subject}, $scope`, ({ type }) => {
    test.each(scenarios())('$title ($reason)', async ({ given, fault, want }) => {
      const harness = createHarness({ type, ...given });
      if (fault) harness.client.onRequest(fault);
      const outcome = await harness.reconcile().catch((error: Error) => error.message);
      expect(outcome).toEqual(want.error ?? want.result);
      if (want.conditions) expect(conditionsOf(harness)).toEqual(want.conditions);
      if ('upToDate' in want) expect(upToDateOf(harness)).toBe(want.upToDate);
      if (want.events) expect(harness.recorder.lines()).toEqual(want.events);
      if (want.calls)
        expect(harness.external.calls.filter((verb) => !/connect/.test(verb))).toEqual(want.calls);
      if (want.writes) expect(harness.writes()).toEqual(want.writes);
      want.check?.(harness);
    });
  });
}

/** The stored conditions in their order but UpToDate; each must name the generation it was made for. */
export function conditionsOf(harness: Harness): string[] {
  return allConditionsOf(harness).filter((condition) => !condition.startsWith('UpToDate='));
}

/** `False/UpdateRequested size is 1, should be 2`; absent where nothing is stated. */
export function upToDateOf(harness: Harness): string | undefined {
  const stated = allConditionsOf(harness).find((condition) => condition.startsWith('UpToDate='));
  return stated?.replace('UpToDate=', '');
}

function allConditionsOf(harness: Harness): string[] {
  const stored = harness.stored();
  return (stored?.status?.conditions ?? []).map((condition) => {
    expect(condition).toMatchObject({
      observedGeneration: stored?.metadata.generation,
      lastTransitionTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    const { type, status, reason, message } = condition;
    return `${type}=${status}/${reason}${message === undefined ? '' : ` ${message}`}`;
  });
}
