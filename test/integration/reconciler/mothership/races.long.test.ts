import { expect, jest, test } from '@jest/globals';
import { campaign } from '../../../campaign/campaign.ts';
import { mothershipProcesses } from '../../../environment/mothership/processes.ts';
import {
  allReady,
  doubles,
  oneRunEach,
  openProcesses,
} from '../../../environment/mothership/processes-on-database.ts';
import { clusterDocument } from '../../../environment/mothership/test-mothership.ts';
import { leftOut, startOwnDatabases } from '../../../environment/postgres/test-databases.ts';
import { forFile } from '../../harness/for-file.ts';

const { runs, long } = campaign({ seed: 1, runs: 1 });
/** Processes of each part. Their starts cost more CPU time than their work. */
const [SCHEDULERS, POOLS, BOOKKEEPERS] = long ? [25, 5, 25] : [6, 2, 6];
// The processes of a long campaign alone need a minute to start on a busy machine.
jest.setTimeout(300_000 + runs * 30_000);

const databases = forFile(startOwnDatabases);
const processes = forFile(mothershipProcesses);

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
