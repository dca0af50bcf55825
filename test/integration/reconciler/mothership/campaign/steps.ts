/** The steps of the campaign of the mothership, each with a name that a failure shows. */
import fc from 'fast-check';
import { sql } from 'kysely';
import type { CallbackStatus } from '../../../../../internal/systems/reconciler/mothership/model/reconciliation.ts';
import {
  type Lost,
  markOrphans,
} from '../../../../../internal/systems/reconciler/mothership/reconciliations/end-attempts.ts';
import { closeReconciliations } from '../../../../../internal/systems/reconciler/mothership/runnables/bookkeeper.ts';
import {
  type Claimed,
  callBack,
  change,
  claim,
  claimsAreTakenBack,
  claimsKeepTheLimit,
  elapse,
  HANDED_BACK,
  handBack,
  hangingConnections,
  heldIsMarked,
  type Model,
  type Named,
  PROCESSES,
  pause,
  type Real,
  register,
  resumeAll,
  roundIsNotRepeated,
  type Steps,
  send,
  settled,
  work,
} from './actions.ts';

const REPORTS: readonly (readonly [CallbackStatus, string])[] = [
  ['running', ''],
  ['failed', 'not yet'],
  ['failed', HANDED_BACK],
  ['success', ''],
  ['success', ''],
  ['error', 'broken'],
];

const clusters = fc.constantFrom('c1', 'c2', 'c3');
const processOf = fc.nat(PROCESSES - 1);
export const on = (real: Real, index: number): Steps =>
  real.processes[index % PROCESSES] ?? (real.processes[0] as Steps);

export const steps: fc.Arbitrary<Named> = fc.oneof(
  fc.tuple(processOf, clusters).map(([at, id]) => ({
    name: `register ${id} at ${at}`,
    run: (model: Model, real: Real) => register(model, on(real, at), id),
  })),
  fc.tuple(processOf, clusters).map(([at, id]) => ({
    name: `delete ${id} at ${at}`,
    run: (model: Model, real: Real) =>
      change(model, id, async () => {
        await on(real, at).inventory.markForDeletion(id);
        model.wanted.set(id, undefined);
      }),
  })),
  {
    weight: 2,
    arbitrary: fc.tuple(processOf).map(([at]) => ({
      name: `schedule at ${at}`,
      run: (_: Model, real: Real) => on(real, at).schedule(),
      after: (_: Model, real: Real) => settled(() => heldIsMarked(on(real, at))),
    })),
  },
  fc.tuple(processOf).map(([at]) => ({
    name: `schedule at ${at} while clusters are locked`,
    run: async () => undefined,
    after: (_: Model, real: Real) => roundIsNotRepeated(on(real, at)),
  })),
  fc.tuple(processOf, fc.integer({ min: 0, max: 12 })).map(([at, successes]) => ({
    name: `${successes} successes and an error at ${at}`,
    run: async () => undefined,
    after: (model: Model, real: Real) => work(model, on(real, at), { successes }),
  })),
  fc.tuple(processOf, clusters).map(([at, id]) => ({
    name: `register ${id} and pause its version at ${at}`,
    run: async () => undefined,
    after: async (model: Model, real: Real) => {
      await register(model, on(real, at), id);
      await pause(on(real, at), id);
      await settled(() => heldIsMarked(on(real, at)));
    },
  })),
  fc.tuple(processOf, clusters).map(([at, id]) => ({
    name: `pause the version of ${id} at ${at}`,
    run: (_: Model, real: Real) => pause(on(real, at), id),
  })),
  fc.tuple(processOf).map(([at]) => ({
    name: `resume at ${at}`,
    run: (_: Model, real: Real) => resumeAll(on(real, at)),
  })),
  fc.tuple(processOf).map(([at]) => {
    let claimed: readonly Claimed[] = [];
    return {
      name: `kill ${at} after its claims`,
      run: async (model: Model, real: Real) => {
        claimed = [];
        claimed = await claim(model, on(real, at), 3);
      },
      after: (model: Model, real: Real) =>
        settled(() => claimsAreTakenBack(model, on(real, at + 1), claimed)),
    };
  }),
  fc.tuple(processOf).map(([at]) => ({
    name: `claim all at ${at}`,
    run: async () => undefined,
    after: (model: Model, real: Real) => claimsKeepTheLimit(model, on(real, at)),
  })),
  fc.tuple(processOf).map(([at]) => ({
    name: `hand back at ${at}`,
    run: async () => undefined,
    after: (model: Model, real: Real) => handBack(model, on(real, at)),
  })),
  fc.constant({
    name: 'connections of another process hang',
    run: async (model: Model, real: Real) => {
      model.hanging ??= hangingConnections(real).then(
        () => undefined,
        (error: unknown) => error,
      );
    },
  }),
  {
    weight: 3,
    arbitrary: fc.tuple(processOf, fc.integer({ min: 1, max: 3 })).map(([at, limit]) => ({
      name: `claim ${limit} at ${at}`,
      run: (model: Model, real: Real) => send(model, on(real, at), limit),
    })),
  },
  {
    weight: 5,
    arbitrary: fc.tuple(processOf, fc.nat(40), fc.constantFrom(...REPORTS)).map(([at, index, report]) => ({
      name: `${report.join(' ')} of claim ${index} at ${at}`,
      run: (model: Model, real: Real) => callBack(model, on(real, at), index, report),
    })),
  },
  fc.tuple(processOf, fc.nat(40)).map(([at, index]) => ({
    name: `stop ${index} at ${at}`,
    run: async (_: Model, real: Real) => {
      const { rows } = await sql<{ s: string; c: string }>`
        select scheduling_id as s, correlation_id as c from operations where state = 'new' order by 2 offset ${index % 5} limit 1
      `.execute(on(real, at).database.queries);
      const [row] = rows;
      if (row !== undefined) await on(real, at).reconciliations.stop(row.s, row.c, 'not needed');
    },
  })),
  fc.tuple(processOf, fc.constantFrom<Lost>('claimed', 'all')).map(([at, which]) => ({
    name: `leases end, orphans (${which}) at ${at}`,
    run: async (model: Model, real: Real) => {
      model.returned++;
      await elapse(on(real, at));
      await markOrphans(on(real, at).database, on(real, at).context, which);
    },
  })),
  fc.tuple(processOf).map(([at]) => ({
    name: `bookkeeper at ${at}`,
    run: (_: Model, real: Real) =>
      closeReconciliations({ ...on(real, at).context, database: on(real, at).database }),
  })),
  fc.constant({ name: 'connections are cut', run: async (_: Model, real: Real) => real.path.cut() }),
);
