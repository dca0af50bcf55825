/**
 * Postgres: no statement of the program changes or deletes rows of another cluster, tenant or run. Beside the tables stand views that show
 * each row as one of another cluster: its ids are others, and names, versions, states and correlation ids are the same. Before an UPDATE
 * or DELETE of the program is sent in a test, the same statement runs on the views, in a transaction that is rolled back: it must find
 * nothing there. Statements about all clusters are exempt.
 */
import { sql } from 'kysely';
import pg from 'pg';
import { type Queries, UNREAD } from '../../internal/systems/reconciler/mothership/database/database.ts';
import { SCHEMA } from '../../internal/systems/reconciler/mothership/database/schema.ts';
import { originOfCall } from './origin.ts';
import { reportViolation } from './violations.ts';

const VIEWS = 'foreign_rows';
/** SQLSTATE of a statement that found a row. */
const FOUND = 'FR001';
/** Columns that say whose a row is, or what it is. */
const IDS =
  '^(runtime_id|scheduling_id|worker_pool_id|tenant|global_account_id|id|version|cluster_version|config_version|status_id|config_status_id)$';

/** Statements that are about the rows of all clusters. */
const OF_ALL: readonly RegExp[] = [
  // Claims from the queue, and clusters that paused rollouts hold back.
  /for update skip locked/,
  // A rollout is resumed.
  /set "held" = \$1 where "held" = \$2$/,
  // The cleaner, by age and batch.
  /\bcreated < now\(\) - /,
  /^with seen as /,
  // Worker pools that are silent.
  /^delete from "worker_pool_occupancy" where "updated" < /,
];

/** Makes the views of a database with the schema. */
export async function makeForeignRows(queries: Queries): Promise<void> {
  await sql
    .raw(`do $do$
      declare each record;
      begin
        create schema ${VIEWS};
        create function ${VIEWS}.found() returns trigger language plpgsql as $found$
          begin
            if tg_op = 'INSERT' then return new; end if;
            raise exception '%', tg_table_name using errcode = '${FOUND}';
          end $found$;
        for each in
          select c.table_name as name, string_agg(case
              when c.column_name !~ '${IDS}' then quote_ident(c.column_name)
              when c.data_type = 'text' then format('''other '' || %1$I as %1$I', c.column_name)
              else format('%1$I + 1000000000000 as %1$I', c.column_name) end, ', ' order by c.ordinal_position) as columns
          from information_schema.columns c
          where c.table_schema = '${SCHEMA}' and c.table_name <> 'migrations' group by 1
        loop
          execute format('create view ${VIEWS}.%I as select %s from ${SCHEMA}.%I', each.name, each.columns, each.name);
          execute format('create trigger found instead of insert or update or delete on ${VIEWS}.%I
            for each row execute function ${VIEWS}.found()', each.name);
        end loop;
      end $do$`)
    .execute(queries);
}

type Query = (text: string, values?: unknown[]) => Promise<unknown>;

/** The table in which the statement finds rows of others; undefined: it finds none. */
async function tableOfOthers(
  client: pg.Client,
  query: Query,
  [text, values]: readonly [string, unknown[]],
): Promise<string | undefined> {
  const isOpen = client.getTransactionStatus() === 'T';
  const path = `set local search_path to ${VIEWS}`;
  await query(isOpen ? `savepoint ${VIEWS}; ${path}` : `begin; ${path}`);
  try {
    await query(text, [...values]);
    return undefined;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === FOUND) return error.message;
    // There are no views, or the test ends the connection: the statement itself says so.
    return undefined;
  } finally {
    await query(isOpen ? `rollback to savepoint ${VIEWS}; release savepoint ${VIEWS}` : 'rollback');
  }
}

/** Whether the statement changes or deletes rows that it must name. */
function isOfSome(text: string): boolean {
  const line = text.replace(UNREAD, '').trim().replace(/\s+/g, ' ');
  const writes = /^(update|delete|with) /.test(line) && /\b(update|delete from) /.test(line);
  return writes && !OF_ALL.some((pattern) => pattern.test(line));
}

/** Files between a function of the program and its connection. */
const DATABASE = /^internal\/systems\/reconciler\/mothership\/database\//;
const guarded = new WeakSet<object>();
/** The last statement of each connection: those that are sent together wait for each other, since a check needs the state before its statement. */
const lasts = new WeakMap<pg.Client, Promise<unknown>>();

/** Watches all statements of this process from now on. */
export function guardForeignRows(): void {
  const { prototype } = pg.Client;
  if (guarded.has(prototype)) return;
  guarded.add(prototype);
  const { query } = prototype;
  prototype.query = function guard(this: pg.Client, ...args: unknown[]) {
    const send = (...given: unknown[]) => Reflect.apply(query, this, given);
    const [text, values] = args;
    if (typeof text !== 'string' || !Array.isArray(values)) return send(...args);
    const origin = isOfSome(text) ? originOfCall(DATABASE) : undefined;
    const check = async () => {
      if (origin?.isProgram !== true) return;
      const table = await tableOfOthers(this, send as Query, [text, values]);
      const what = `changes rows of another cluster in ${table}`;
      if (table !== undefined) reportViolation({ guard: 'foreign-objects', where: origin.where, what });
    };
    // Without an answer to a check the statement fails as well.
    const sent = Promise.resolve(lasts.get(this))
      .then(check)
      .catch(() => undefined)
      .then(() => send(...args));
    lasts.set(
      this,
      sent.catch(() => undefined),
    );
    return sent;
  } as typeof query;
}
