import { expect, test } from '@jest/globals';
import type { ComponentAction } from '../../../../internal/systems/reconciler/mothership/model/mothership.ts';
import type { EndedOperation } from '../../../../internal/systems/reconciler/mothership/model/reconciliation.ts';
import { eventually } from '../../../environment/eventually.ts';
import { clusterDocument, startTestMothership } from '../../../environment/mothership/test-mothership.ts';
import { startTestDatabases } from '../../../environment/postgres/test-databases.ts';
import { forFile } from '../../harness/for-file.ts';

const databases = forFile(startTestDatabases);

/** Runs one cluster with component `a` by functions of this process. Returns its status and the operations that ended. */
async function runWith(actions: Readonly<Record<string, ComponentAction>>) {
  const ended: EndedOperation[] = [];
  const mothership = await startTestMothership({
    database: await databases.open(),
    actions,
    settings: { maxReconcileErrors: 0 },
    observers: [{ operationEnded: (operation) => ended.push(operation) }],
  });
  await mothership.inventory.upsert(clusterDocument('c1', ['a']), 1);
  const status = await eventually(
    async () => {
      const state = await mothership.inventory.latest('c1');
      expect(['ready', 'error']).toContain(state.status.status);
      return state.status;
    },
    { intervalMs: 10 },
  );
  const failures = await mothership.reconciliations.failures(status.id);
  await mothership.stop();
  return { status: status.status, ended, failures };
}

test('[R42] [R43] functions of this process that succeed: their operations are done', async () => {
  const types: string[] = [];
  const base: ComponentAction = async ({ type }) => void types.push(type);
  const { status, ended, failures } = await runWith({ base });
  expect(status).toBe('ready');
  expect(ended.map(({ component, state, retries }) => [component, state, retries])).toEqual([
    ['CRDs', 'done', 1],
    ['a', 'done', 1],
  ]);
  expect(types).toEqual(['reconcile', 'reconcile']);
  expect(failures).toEqual([]);
});

test('[R42] [R43] a function that fails, or that is not there: its operation is an error', async () => {
  const a: ComponentAction = async () => {
    throw new Error('deadline exceeded');
  };
  const { status, ended, failures } = await runWith({ base: async () => undefined, a });
  expect(status).toBe('error');
  expect(ended[1]).toMatchObject({ component: 'a', state: 'error', reason: 'deadline exceeded' });
  expect(failures).toEqual([{ component: 'a', reason: 'deadline exceeded' }]);
  expect((await runWith({ a })).failures).toEqual([
    { component: 'CRDs', reason: 'no action is registered for CRDs, and no base' },
  ]);
});

test('while clients send requests, operations begin two at a time, and none waits for the end of the requests', async () => {
  const running: number[] = [];
  const held = Promise.withResolvers<void>();
  const mothership = await startTestMothership({
    database: await databases.open(),
    actions: { base: () => held.promise },
    hasRequests: () => true,
    observers: [{ workersChanged: (count) => running.push(count) }],
  });
  const ids = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'];
  await Promise.all(ids.map((id) => mothership.inventory.upsert(clusterDocument(id, ['a']), 1)));
  await eventually(async () => expect(Math.max(...running)).toBe(ids.length), { intervalMs: 10 });
  const begun = running.map((count, index) => count - (running[index - 1] ?? 0));
  expect(Math.max(...begun)).toBeLessThanOrEqual(2);
  held.resolve();
  await mothership.stop();
});
