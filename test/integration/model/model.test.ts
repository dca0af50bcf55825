/**
 * Random creations, edits, deletions, changes of sources, moves between shards, faults and restarts, compared with a
 * model: in the end HANA Cloud has exactly the wanted mappings. `make test-faults ARGS='--only model'` runs it at length.
 */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { campaign } from '../../campaign/campaign.ts';
import { commandSequences } from './commands.ts';
import { expectConvergence } from './expectation.ts';
import { openLane } from './lane.ts';
import { createModel, type Model } from './model.ts';
import { createRunEnvironment } from './run-environment.ts';

const { seed, runs, long } = campaign({ seed: 4, runs: 1 });
/** Runs that take place at a time, each with processes of its own. */
const LANES = long ? Math.min(10, runs) : 1;

test.concurrent.each(Array.from({ length: LANES }, (_, lane) => ({ lane, seed: seed + lane })))(
  'whatever happens, HANA Cloud ends with exactly the wanted mappings (lane $lane, seed $seed)',
  async ({ lane: number, seed }) => {
    const lane = await openLane();
    let failed = true;
    try {
      let commands = 0;
      let held = 0;
      const numRuns = Math.floor(runs / LANES) + (number < runs % LANES ? 1 : 0);
      await fc.assert(
        fc.asyncProperty(commandSequences, async (sequence) => {
          const model = createModel();
          await fc.asyncModelRun(async () => {
            const real = await createRunEnvironment(lane);
            return { model, real };
          }, [...sequence, convergence]);
          expect(model.commands).toBeGreaterThanOrEqual(30);
          commands += model.commands;
          held++;
          // A campaign takes hours, and may be stopped.
          if (long)
            process.stderr.write(`model: seed ${seed}: ${held} of ${numRuns} runs, ${commands} commands\n`);
        }),
        // A run takes seconds, and its timing is never the same: a smaller sequence would prove nothing.
        { seed, numRuns, endOnFailure: true },
      );
      failed = false;
    } finally {
      // The cause of a failure is reported, not what it left behind.
      await lane.stop().catch((error: unknown) => {
        if (!failed) throw error;
      });
    }
  },
  long ? 3 * 3_600_000 : 240_000,
);

const convergence: fc.AsyncCommand<Model, Awaited<ReturnType<typeof createRunEnvironment>>> = {
  check: () => true,
  run: expectConvergence,
  toString: () => 'converge',
};
