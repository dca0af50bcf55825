import { sql } from 'kysely';
import { isStorable, type Store, storable } from './database/database.ts';
import type { Occupancy } from './model/mothership.ts';
import { RefusedError } from './model/refused-error.ts';

/** The longest count of workers that fits in its column. */
const MAX_WORKERS = 2 ** 31 - 1;

export function createOccupancy({ queries }: Pick<Store, 'queries'>): Occupancy {
  return {
    report: async ({ poolId, component, runningWorkers, poolSize }) => {
      const isValid =
        Number.isInteger(runningWorkers) &&
        Number.isInteger(poolSize) &&
        runningWorkers >= 0 &&
        runningWorkers <= poolSize &&
        poolSize <= MAX_WORKERS &&
        [poolId, component].every((text) => text !== '' && isStorable(text));
      if (!isValid) {
        throw new RefusedError(
          'invalid',
          'cannot store the occupancy: component must be set, and runningWorkers between 0 and poolSize',
        );
      }
      const { rows } = await sql<{ created: boolean }>`
        insert into worker_pool_occupancy as known (worker_pool_id, component, running_workers, worker_pool_capacity)
        values (${poolId}, ${component}, ${runningWorkers}, ${poolSize})
        on conflict (worker_pool_id) do update
          set running_workers = excluded.running_workers, updated = clock_timestamp()
          where known.component = excluded.component and known.worker_pool_capacity = excluded.worker_pool_capacity
        returning xmax = 0 as created
      `.execute(queries);
      const [row] = rows;
      if (row === undefined) {
        throw new RefusedError(
          'mismatch',
          `cannot store the occupancy: worker pool ${poolId} has another component or size`,
        );
      }
      return row.created ? 'created' : 'updated';
    },
    remove: async (poolId) => {
      await queries
        .deleteFrom('worker_pool_occupancy')
        .where('worker_pool_id', '=', storable(poolId))
        .execute();
    },
    poolIds: async () => {
      const rows = await queries
        .selectFrom('worker_pool_occupancy')
        .select('worker_pool_id')
        .orderBy('worker_pool_id')
        .execute();
      return rows.map(({ worker_pool_id }) => worker_pool_id);
    },
    removeSilent: async (ageMs) => {
      const { numDeletedRows } = await queries
        .deleteFrom('worker_pool_occupancy')
        .where('updated', '<', sql<Date>`now() - ${ageMs}::float8 * interval '1 ms'`)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
    ratios: async () => {
      const rows = await queries
        .selectFrom('worker_pool_occupancy')
        .select(({ fn }) => [
          'component',
          fn.sum<number>('running_workers').as('running'),
          fn.sum<number>('worker_pool_capacity').as('capacity'),
        ])
        .groupBy('component')
        .execute();
      return new Map(
        rows.map(({ component, running, capacity }) => [
          component,
          capacity === 0 ? 0 : (100 * Number(running)) / Number(capacity),
        ]),
      );
    },
  };
}
