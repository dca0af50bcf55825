/**
 * Each call to HANA Cloud, with each fault, before and after its effect, while a mapping is created, replaced and deleted:
 * it converges, and nothing is created twice. `make test` runs a part of the table, `make test-faults` all of it.
 */
import { expect, test } from '@jest/globals';
import { campaign } from '../../campaign/campaign.ts';
import { eventually } from '../../environment/eventually.ts';
import { routes } from '../../simulators/hana-cloud/contract.ts';
import { forEach } from '../harness/for-each.ts';
import { forFile } from '../harness/for-file.ts';
import { startTestEnvironment } from '../harness/test-environment.ts';
import { type CallFault, callFaults, TIMINGS } from './call-faults.ts';

const { long } = campaign({ seed: 0, runs: 1 });
/** In `make test`, each n-th cell; no divisor of the number of faults, so that all faults and all routes are met. */
const PART = long ? 1 : 13;
/** Several retries with backoff, on a busy machine. */
const TIMEOUT_MS = 90_000;

interface Cell extends CallFault {
  readonly route: (typeof routes)[number];
}

const cells: readonly Cell[] = routes.flatMap((route) =>
  TIMINGS.flatMap((when) => callFaults(when).map((fault) => ({ ...fault, route }))),
);
const chosen = cells.filter((_cell, index) => index % PART === 0);

// So that a call without a response ends soon.
const environment = forFile(() => startTestEnvironment({ flags: { externalTimeout: 3000 } }));

test('the table has every call, every fault and both timings', () => {
  expect(cells).toHaveLength(4 * 2 * 14);
  expect(new Set(chosen.map(({ route }) => route))).toEqual(new Set(routes));
});

test.concurrent(
  `a mapping is created, replaced and deleted once, whatever happens to one call (${chosen.length} of ${cells.length} cells)`,
  async () => {
    const failures: string[] = [];
    await forEach(chosen, async (cell) => {
      await holds(cell).catch((error: Error) => {
        failures.push(`${cell.route}, ${cell.title}: ${error.message}`);
      });
    });
    expect(failures).toEqual([]);
  },
  long ? 1_800_000 : 240_000,
);

async function holds({ route, action, misleads }: Cell): Promise<void> {
  const scenario = await environment.scenario();
  const { hana } = scenario;
  const on =
    route === 'token'
      ? { route, clientID: hana.clientID(), first: 1 }
      : { route, instance: scenario.instanceID, first: 1 };
  const once = () => environment.simulator.faults.add({ on, do: action });
  const atCreation = once();
  await scenario.applySources();
  await scenario.create();
  await scenario.untilReady(TIMEOUT_MS);
  expect(scenario.mappings()).toEqual([hana.mapping()]);
  if (route !== 'delete') expect(atCreation.hits()).toBe(1);

  const atReplacement = route === 'token' ? undefined : once();
  await scenario.patch({ spec: { forProvider: { isDefault: true } } });
  await eventually(
    async () => {
      expect(scenario.mappings()).toEqual([hana.mapping({ isDefault: true })]);
      const { metadata, status } = await scenario.get();
      for (const type of ['Synced', 'Ready']) {
        const condition = status?.conditions?.find((each) => each.type === type);
        expect(condition).toMatchObject({ status: 'True', observedGeneration: metadata.generation });
      }
    },
    { timeoutMs: TIMEOUT_MS },
  );
  if (atReplacement !== undefined) expect(atReplacement.hits()).toBe(1);

  const atDeletion = route === 'list' || route === 'delete' ? once() : undefined;
  await scenario.delete();
  await scenario.untilGone(TIMEOUT_MS);
  expect(scenario.mappings()).toEqual([]);
  if (atDeletion !== undefined) expect(atDeletion.hits()).toBe(1);

  // Injected responses aside, HANA Cloud had to refuse a second creation only after a response that was wrong.
  const doubled = hana.requests({ route: 'create', status: 409 }).filter(({ faults }) => faults.length === 0);
  const wrong = misleads ? atCreation.hits() + (atReplacement?.hits() ?? 0) : 0;
  expect(doubled.length).toBeLessThanOrEqual(wrong);
  expect(environment.simulator.violations()).toEqual([]);
}
