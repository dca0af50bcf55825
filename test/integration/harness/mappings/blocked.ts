import { expect } from '@jest/globals';
import { eventually } from '../../../environment/eventually.ts';
import { expectRightDiagnosis } from '../diagnosis.ts';
import type { TestEnvironment } from '../test-environment.ts';
import type { Scenario } from './scenario.ts';

/** The compared fields of an event. */
type Told = Partial<Awaited<ReturnType<Scenario['events']>>[number]>;

/** What keeps a mapping from being created, as its users read it. */
export interface Obstacle {
  /** `Waiting`: others will provide it. `ReconcileError`: it must be fixed. */
  readonly reason: 'Waiting' | 'ReconcileError';
  /** The message without the step that failed. `<name>` (of the mapping), `<namespace>` and `<cluster>` stand for the scenario's own. */
  readonly message: string;
  /** It is tried again with backoff, and each attempt counts; the event is still one. */
  readonly retried?: boolean;
}

/** Fills the names of a scenario into a text. */
export const named = ({ name, namespace, clusterName }: Scenario, text: string): string =>
  text.replaceAll('<name>', name).replaceAll('<namespace>', namespace).replaceAll('<cluster>', clusterName);

/**
 * Waits until the mapping reports the obstacle, and checks what users see of it: Synced and Ready have the same
 * message, one event reports it, nothing was created in HANA Cloud, and doctor finds it too.
 *
 * @param earlier obstacles with events already
 */
export async function expectBlocked(
  environment: TestEnvironment,
  scenario: Scenario,
  obstacle: Obstacle,
  ...earlier: readonly Obstacle[]
): Promise<void> {
  const { reason } = obstacle;
  const cause = named(scenario, obstacle.message);
  const message = reason === 'Waiting' ? cause : `connect failed: ${cause}`;
  await eventually(async () => {
    expect(await scenario.condition('Synced')).toMatchObject({ status: 'False', reason, message });
  });
  expect(await scenario.condition('Ready')).toMatchObject({
    status: 'False',
    reason: reason === 'Waiting' ? 'Waiting' : 'Unavailable',
    message,
  });
  await expectEvents(scenario, ...[...earlier, obstacle].map((each) => eventOf(scenario, each)));
  const { simulator } = environment;
  expect(simulator.requests({ instance: scenario.instanceID, route: 'create' })).toEqual([]);
  await expectRightDiagnosis(environment, scenario);
}

/**
 * Checks, after all obstacles are removed: the mapping exists, each obstacle has one event, even after several reconciles.
 */
export async function expectRecovered(scenario: Scenario, ...obstacles: readonly Obstacle[]): Promise<void> {
  await scenario.untilReady();
  expect(scenario.mappings()).toHaveLength(1);
  const reported = obstacles.map((obstacle) => eventOf(scenario, obstacle));
  await expectEvents(scenario, ...reported, { type: 'Normal', reason: 'CreatedExternalResource', count: 1 });
}

async function expectEvents(scenario: Scenario, ...wanted: readonly Told[]): Promise<void> {
  await eventually(async () => {
    const events = await scenario.events();
    expect(events).toEqual(wanted.map((event) => expect.objectContaining(event)));
  });
}

function eventOf(scenario: Scenario, { reason, message, retried = false }: Obstacle): Told {
  const count = retried ? {} : { count: 1 };
  return reason === 'Waiting'
    ? { type: 'Normal', reason: 'Waiting', message: named(scenario, message), ...count }
    : { type: 'Warning', reason: 'CannotConnectToProvider', message: named(scenario, message), ...count };
}
