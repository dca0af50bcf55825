/** What is known of the parts that were applied to the cluster of a Runtime. */
import { afterEach, expect, test } from '@jest/globals';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../../../test/simulators/gardener/simulated-gardener.ts';
import { apiError } from '../../../../framework/kube/fakes/memory-client.ts';
import { configMaps } from '../../../../framework/kube/index.ts';
import { createdRuntime, stopWithoutErrors } from '../fixtures/created-runtime.fixture.ts';
import type { RuntimeHarness } from '../fixtures/runtime-harness.fixture.ts';
import { clusterRoleBindings } from './access.ts';

let h: RuntimeHarness<SimulatedGardener>;
afterEach(() => stopWithoutErrors(h));

async function created(): Promise<void> {
  h = await createdRuntime(startSimulatedGardener);
  expect(h.shown('Configured')).toMatch(/^Ready True/);
}
const admins = () =>
  h.runtime
    .peekAll(clusterRoleBindings)
    .flatMap(({ subjects = [] }) => subjects.map(({ name }) => name))
    .toSorted();
const setAdmin = (name: string) => h.patch({ spec: { security: { administrators: [name] } } });

test('a change of administrators that failed in the middle is undone when it is taken back', async () => {
  await created();
  const before = admins();
  let writes = 0;
  let fails = true;
  h.runtime.onRequest(({ verb, type }) => {
    if (!fails || type.kind !== clusterRoleBindings.kind || verb === 'list') return;
    if (++writes > 1) throw apiError(503, 'ServiceUnavailable', 'away');
  });
  await setAdmin('other@example.org');
  await h.wait(5000);
  expect(admins()).not.toEqual(before);
  fails = false;
  await setAdmin(before[0] ?? '');
  await h.wait(60_000);
  expect(admins()).toEqual(before);
});

test('the part that was applied first decides when the cluster is checked again', async () => {
  await created();
  const info = { namespace: 'kyma-system', name: 'kyma-provisioning-info' };
  const details = () => h.runtime.peek(configMaps, info)?.data?.details;
  const before = details();
  await h.wait(1_800_000);
  await setAdmin('other@example.org');
  await h.wait(10_000);
  await h.runtime.otherProgram().mergePatch(configMaps, info, { data: { details: 'theirs' } });
  await h.wait(1_900_000);
  expect(details()).toBe(before);
});
