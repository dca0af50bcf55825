import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { inParallel } from '../../../../internal/framework/base/concurrency/in-parallel.ts';
import { campaign } from '../../../campaign/campaign.ts';
import { eventually } from '../../../environment/eventually.ts';
import { type MothershipProcesses, mothershipProcesses } from '../../../environment/mothership/processes.ts';
import {
  allReady,
  doubles,
  oneRunEach,
  openProcesses,
} from '../../../environment/mothership/processes-on-database.ts';
import { clusterDocument } from '../../../environment/mothership/test-mothership.ts';
import type { PostgresServer } from '../../../environment/postgres/postgres-server.ts';
import {
  leftOut,
  startOwnDatabases,
  type TestDatabases,
} from '../../../environment/postgres/test-databases.ts';

const { runs, seed, long } = campaign({ seed: 1, runs: 1 });
/** Processes of each part. Their starts cost more CPU time than their work. */
const [SCHEDULERS, POOLS, BOOKKEEPERS] = long ? [25, 5, 25] : [6, 2, 6];
// The processes of a long campaign alone need a minute to start on a busy machine.
jest.setTimeout(300_000 + runs * 30_000);

let databases: TestDatabases<PostgresServer>;
let processes: MothershipProcesses;
beforeAll(async () => {
  databases = await startOwnDatabases();
  processes = await mothershipProcesses();
});
afterAll(async () => {
  await processes?.close();
  await databases.close();
});

test('[R26] [R27] [R38] [R40] schedulers, worker pools and bookkeepers, each a process: each run and each task once', async () => {
  await using run = await openProcesses(databases, processes);
  if (run === undefined) return leftOut('races of processes');
  const parts = [
    ...Array.from({ length: SCHEDULERS }, () => 'scheduler'),
    ...Array.from({ length: POOLS }, () => 'worker pool'),
    ...Array.from({ length: BOOKKEEPERS }, () => 'bookkeeper'),
  ];
  for (let at = 0; at < parts.length; at += 5) {
    await Promise.all(parts.slice(at, at + 5).map((part) => run.start({}, { parts: [part] })));
  }
  const clusters = 6;
  for (let round = 0; round < runs; round++) {
    await Promise.all(
      Array.from({ length: clusters }, (_, n) =>
        run.inventory.upsert(clusterDocument(`r${round}c${n}`, ['istio', 'a', 'b']), 1),
      ),
    );
    await allReady(run.database, clusters * (round + 1));
  }
  expect(doubles(run.reconciler)).toEqual([]);
  expect(run.reconciler.received).toHaveLength(clusters * runs * 4);
  await oneRunEach(run.database);
});

test('motherships that start at the same moment send each of 200 waiting operations once', async () => {
  await using run = await openProcesses(databases, processes);
  if (run === undefined) return leftOut('motherships that start at the same moment');
  const count = 200;
  for (let round = 0; round < runs; round++) {
    const ids = Array.from({ length: count }, (_, n) => `r${round}c${n}`);
    await inParallel(ids, 8, (id) => run.inventory.upsert(clusterDocument(id, []), 1));
    expect(await run.schedule()).toHaveLength(count);
    const motherships = await Promise.all(Array.from({ length: 4 }, () => run.start()));
    await allReady(run.database, count * (round + 1));
    await Promise.all(motherships.map((mothership) => mothership.kill()));
  }
  expect(doubles(run.reconciler)).toEqual([]);
  expect(run.reconciler.received).toHaveLength(count * runs);
  await oneRunEach(run.database);
});

test('motherships that are killed at any moment lose nothing, and send nothing again before its lease ended', async () => {
  const orphanTimeoutMs = 3000;
  await using run = await openProcesses(databases, processes, () => ({ workMs: 50 }));
  if (run === undefined) return leftOut('killed motherships');
  const settings = { orphanTimeoutMs, bookkeeperIntervalMs: 500, workers: 3 };
  const random = randomOf(seed);
  const start = () => run.start(settings);
  const motherships = await Promise.all([start(), start(), start()]);
  const ids = Array.from({ length: 4 * runs }, (_, n) => `c${n}`);
  let isOver = false;
  const kills = (async () => {
    while (!isOver) {
      await new Promise((done) => setTimeout(done, 20 + random() * 400));
      const index = Math.floor(random() * motherships.length);
      const victim = motherships[index];
      if (victim === undefined || isOver) continue;
      await victim.kill();
      run.processes.delete(victim);
      motherships[index] = await start();
    }
  })();
  for (const id of ids) {
    await run.inventory.upsert(clusterDocument(id, ['istio', 'a', 'b']), 1);
    await new Promise((done) => setTimeout(done, random() * 300));
  }
  isOver = true;
  await kills;
  await allReady(run.database, ids.length);
  // 100 ms for the way of the task, which is not part of the lease.
  expect(doubles(run.reconciler, orphanTimeoutMs - 100)).toEqual([]);
  await oneRunEach(run.database);
});

test('what a killed mothership had claimed is sent by another one within seconds', async () => {
  // The first tasks are never answered: they count as claimed while the call lasts.
  await using run = await openProcesses(databases, processes, (_, earlier) =>
    earlier === 0 ? { answer: 'none' } : {},
  );
  if (run === undefined) return leftOut('claims of killed motherships');
  const ids = Array.from({ length: 20 }, (_, n) => `c${n}`);
  for (const id of ids) await run.inventory.upsert(clusterDocument(id, []), 1);
  const victim = await run.start({ workers: 20 });
  await eventually(() => expect(run.reconciler.received).toHaveLength(ids.length), { timeoutMs: 60_000 });
  await victim.kill();
  const killed = performance.now();
  await run.start({ workers: 20 });
  await allReady(run.database, ids.length);
  expect(performance.now() - killed).toBeLessThan(60_000);
  expect(run.reconciler.received).toHaveLength(2 * ids.length);
  await oneRunEach(run.database);
});

test('Postgres crashes, and is away for a while: everything continues, and nothing is sent twice', async () => {
  await using run = await openProcesses(databases, processes, () => ({ workMs: 100 }));
  if (run === undefined) return leftOut('outages of Postgres');
  await Promise.all([run.start(), run.start()]);
  const register = async (id: string) => {
    // A client repeats what was not answered.
    await eventually(() => run.inventory.upsert(clusterDocument(id, ['istio', 'a', 'b']), 1));
  };
  for (let n = 0; n < 10; n++) await register(`c${n}`);
  await run.server.restart();
  for (let n = 10; n < 20; n++) await register(`c${n}`);
  await run.server.kill();
  await new Promise((done) => setTimeout(done, long ? 60_000 : 3000));
  await run.server.restart();
  for (let n = 20; n < 25; n++) await register(`c${n}`);
  await allReady(run.database, 25);
  expect(doubles(run.reconciler)).toEqual([]);
  await oneRunEach(run.database);
});

/** Numbers in [0, 1) that are the same for each run (xorshift). */
function randomOf(start: number) {
  let state = start || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
