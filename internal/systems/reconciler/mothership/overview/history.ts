import { sql } from 'kysely';
import type { Queries } from '../database/database.ts';
import type { HistoryBucket, HistoryWindow } from '../model/overview.ts';

/** Intervals of a window, in s, and how many there are. */
const INTERVALS: Readonly<Record<HistoryWindow, { readonly seconds: number; readonly count: number }>> = {
  hour: { seconds: 60, count: 60 },
  day: { seconds: 900, count: 96 },
  week: { seconds: 7200, count: 84 },
};

/** Runs that ended, by intervals, the oldest first; those without a run too. */
export async function historyOf(queries: Queries, window: HistoryWindow): Promise<HistoryBucket[]> {
  const { seconds, count } = INTERVALS[window];
  const { rows } = await sql<
    Omit<HistoryBucket, 'p50Ms' | 'p95Ms'> & { p50Ms: number | null; p95Ms: number | null }
  >`
    with last as (select floor(extract(epoch from now()) / ${seconds}) as slot), ended as (
      select floor(extract(epoch from finished_at) / ${seconds}) as slot, status,
        extract(epoch from finished_at - created) * 1000 as ms
      from reconciliations
      where finished and finished_at > now() - ${seconds * count}::float8 * interval '1 s'
    )
    select to_timestamp(s.slot * ${seconds}) as start,
      (count(*) filter (where status = 'ready'))::int as ready,
      (count(*) filter (where status = 'deleted'))::int as deleted,
      (count(*) filter (where status not in ('ready', 'deleted')))::int as failed,
      percentile_cont(0.5) within group (order by ms) filter (where status = 'ready') as "p50Ms",
      percentile_cont(0.95) within group (order by ms) filter (where status = 'ready') as "p95Ms"
    from (select generate_series((select slot from last) - ${count - 1}, (select slot from last))::float8 as slot) s
      left join ended e on e.slot = s.slot
    group by s.slot order by s.slot
  `.execute(queries);
  return rows.map((row) => ({ ...row, p50Ms: row.p50Ms ?? undefined, p95Ms: row.p95Ms ?? undefined }));
}
