/** The log of a provider process, as an operator reads it to find what was changed, when, and by which reconcile. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { type FaultEnvironment, startFaultEnvironment } from '../faults/fault-environment.ts';
import type { LogLine } from '../harness/provider/provider-process.ts';

const SIZE = 5;

let environment: FaultEnvironment;
beforeAll(async () => {
  environment = await startFaultEnvironment();
});
afterEach(() => environment.killProviders());
afterAll(() => environment.stop());

/** Creates five mappings and deletes them. */
async function createAndDelete(args: readonly string[]) {
  const provider = await environment.run({ args });
  const fleet = await environment.fleet(SIZE);
  await fleet.applyClusterIDs();
  await fleet.create();
  await fleet.untilReady();
  const names = fleet.members().map(({ name }) => name);
  await fleet.delete();
  await fleet.untilGone();
  return { provider, names: names.toSorted(), hana: fleet.shared.hana };
}

const requests = (lines: readonly LogLine[]) => lines.map(({ request }) => request).toSorted();

test('every change in HANA Cloud is a line, and with --debug every reconcile, with the same ID', async () => {
  const { provider, names } = await createAndDelete(['--debug']);

  const changes = provider.logged('external resource changed');
  for (const operation of ['create', 'delete']) {
    const lines = changes.filter((line) => line.operation === operation);
    expect(requests(lines)).toEqual(names);
  }
  expect(changes).toHaveLength(2 * SIZE);
  // The object is gone shortly before its last reconcile ends.
  const reconciles = await eventually(() => {
    const lines = provider.logged('reconciled');
    expect(lines.map(({ reconcileID }) => reconcileID)).toEqual(
      expect.arrayContaining(changes.map(({ reconcileID }) => reconcileID)),
    );
    return lines;
  });
  for (const { reconcileID, request, level, controller } of changes) {
    expect({ level, controller }).toEqual({
      level: 'info',
      controller: expect.stringContaining('kymainstancemapping'),
    });
    const [reconcile, ...others] = reconciles.filter((line) => line.reconcileID === reconcileID);
    expect(others).toEqual([]);
    expect(reconcile).toMatchObject({
      level: 'debug',
      controller,
      request,
      result: expect.stringMatching(/^(success|requeue|requeue_after)$/),
      durationMs: expect.any(Number),
    });
  }
});

test('without --debug the changes are logged, and no reconcile', async () => {
  const { provider, names } = await createAndDelete([]);

  expect(requests(provider.logged('external resource changed'))).toEqual([...names, ...names].toSorted());
  expect(provider.logged('reconciled')).toEqual([]);
});
