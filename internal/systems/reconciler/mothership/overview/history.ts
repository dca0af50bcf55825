import { type RawBuilder, sql } from 'kysely';
import type { Queries } from '../database/database.ts';
import type { HistoryBucket, HistoryWindow } from '../model/overview.ts';

/** Intervals of a window, in s, and how many there are. */
const INTERVALS: Readonly<Record<HistoryWindow, { readonly seconds: number; readonly count: number }>> = {
  hour: { seconds: 60, count: 60 },
  day: { seconds: 900, count: 96 },
  week: { seconds: 7200, count: 84 },
};

/**
 * Runs that ended, by intervals, the oldest first; those without a run too. Runs are counted before intervals are joined;
 * `extract`, whose numbers are exact, takes several times as long as `date_part`.
 */
export async function historyOf(queries: Queries, window: HistoryWindow): Promise<HistoryBucket[]> {
  const { seconds, count } = INTERVALS[window];
  const slotOf = (time: RawBuilder<Date>) =>
    sql`floor(date_part('epoch', ${time}) / ${sql.lit(seconds)})::bigint`;
  const now = slotOf(sql<Date>`now()`);
  const { rows } = await sql<Row>`
    with ended as (
      select ${slotOf(sql.ref<Date>('finished_at'))} as slot, status, date_part('epoch', finished_at - created) * 1000 as ms
      from reconciliations
      where finished and finished_at > now() - ${sql.lit(seconds * count)} * interval '1 s'
    ), counted as (
      select slot, count(*) filter (where status = 'ready') as ready, count(*) filter (where status = 'deleted') as deleted,
        count(*) filter (where status not in ('ready', 'deleted')) as failed,
        percentile_cont(array[0.5, 0.95]) within group (order by ms) filter (where status = 'ready') as times
      from ended group by slot
    )
    select to_timestamp(slot * ${sql.lit(seconds)}) as start, coalesce(ready, 0)::int as ready,
      coalesce(deleted, 0)::int as deleted, coalesce(failed, 0)::int as failed, times
    from generate_series(${now} - ${sql.lit(count - 1)}, ${now}) as s (slot) left join counted using (slot)
    order by slot
  `.execute(queries);
  return rows.map(({ times, ...row }) => ({ ...row, p50Ms: times?.[0], p95Ms: times?.[1] }));
}

interface Row extends Omit<HistoryBucket, 'p50Ms' | 'p95Ms'> {
  readonly times: readonly number[] | null;
}
