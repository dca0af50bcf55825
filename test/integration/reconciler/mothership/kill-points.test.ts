import { expect, jest, test } from '@jest/globals';
import { freePort } from '../../../../hack/control-planes/process/free-port.ts';
import { inParallel } from '../../../../internal/framework/base/concurrency/in-parallel.ts';
import { campaign } from '../../../campaign/campaign.ts';
import type { Counted, KillPoint } from '../../../environment/mothership/kill-point.ts';
import { mothershipProcesses } from '../../../environment/mothership/processes.ts';
import {
  allReady,
  doubles,
  oneRunEach,
  openProcesses,
} from '../../../environment/mothership/processes-on-database.ts';
import { clusterDocument } from '../../../environment/mothership/test-mothership.ts';
import { leftOut, startTestDatabases } from '../../../environment/postgres/test-databases.ts';
import { forFile } from '../../harness/for-file.ts';

const { long } = campaign({ seed: 1, runs: 1 });
jest.setTimeout(long ? 3_600_000 : 300_000);

/** The lease: a task whose process was killed is sent again then. */
const ORPHAN_TIMEOUT_MS = 1500;
/** Cases at the same time. */
const WIDTH = 3;
/** Of the kill points, `make test` takes each twentieth; `make test-faults` takes all. */
const STEP = long ? 1 : 20;

const databases = forFile(startTestDatabases);
const processes = forFile(mothershipProcesses);

/** Reconciles a cluster in one process, that is killed at the point; another one takes over. Returns what the last counted. */
async function reconcile(point: KillPoint | undefined): Promise<Counted> {
  await using run = await openProcesses(databases, processes);
  if (run === undefined) throw new Error('no Postgres');
  const callbackPort = await freePort();
  const settings = {
    orphanTimeoutMs: ORPHAN_TIMEOUT_MS,
    bookkeeperIntervalMs: 300,
    callbackBaseUrl: `http://127.0.0.1:${callbackPort}`,
  };
  await run.inventory.upsert(clusterDocument('c1', ['istio', 'a', 'b']), 1);
  if (point !== undefined) {
    const victim = await run.start(settings, { callbackPort, killAt: point });
    // Where it does fewer statements than the first run, it is not killed.
    const over = new AbortController();
    await Promise.race([victim.ended, allReady(run.database, 1, over.signal)]);
    over.abort();
    await victim.kill();
  }
  const last = await run.start(settings, { callbackPort });
  await allReady(run.database, 1);
  // 100 ms for the way of the task, which is not part of the lease.
  expect(doubles(run.reconciler, ORPHAN_TIMEOUT_MS - 100)).toEqual([]);
  await oneRunEach(run.database);
  run.processes.delete(last);
  return last.stop();
}

test('a process that is killed at any statement or request loses nothing, and nothing is done twice', async () => {
  if (databases.server === undefined) return leftOut('processes that are killed at each statement');
  const counted = await reconcile(undefined);
  expect(counted.statementsSent).toBeGreaterThan(30);
  expect(counted.requestsAnswered).toBe(4);
  const points = (Object.keys(counted) as (keyof Counted)[]).flatMap((event) =>
    Array.from({ length: counted[event] }, (_, index) => ({ event, number: index + 1 })),
  );
  const taken = points.filter((_, index) => index % STEP === 0);
  const failed: unknown[] = [];
  await inParallel(taken, WIDTH, async (point) => {
    await reconcile(point).catch((error: unknown) => failed.push({ point, error }));
  });
  expect(failed).toEqual([]);
});
