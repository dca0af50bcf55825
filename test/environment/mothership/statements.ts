/** What a mothership sends to Postgres, and how Postgres runs it. */
import pg from 'pg';
import { UNREAD } from '../../../internal/systems/reconciler/mothership/database/database.ts';
import { defaultSettings } from '../../../internal/systems/reconciler/mothership/model/settings.ts';
import { createOccupancy } from '../../../internal/systems/reconciler/mothership/occupancy.ts';
import { createOverview } from '../../../internal/systems/reconciler/mothership/overview.ts';
import { markOrphans } from '../../../internal/systems/reconciler/mothership/reconciliations/end-attempts.ts';
import {
  createRollouts,
  pauseFailingRollouts,
  recentSuspects,
} from '../../../internal/systems/reconciler/mothership/rollouts.ts';
import { closeReconciliations } from '../../../internal/systems/reconciler/mothership/runnables/bookkeeper.ts';
import { cleanReconciliations } from '../../../internal/systems/reconciler/mothership/runnables/cleaner.ts';
import { nextDueMs } from '../../../internal/systems/reconciler/mothership/runnables/scheduler.ts';
import { repositorySteps } from './repository-steps.ts';
import { clusterDocument } from './test-mothership.ts';

/** Tables that grow with the history. */
const LARGE = ['cluster_statuses', 'reconciliations', 'operations', 'clusters', 'cluster_configs'];

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Statements of the same one are sent without waiting for answers; from 1. */
  readonly roundTrip: number;
}

/** All statements that `work` sends to the server, in their order. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  let roundTrip = 0;
  let inFlight = 0;
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function record(this: pg.Client, ...args: unknown[]) {
    const [config, values] = args;
    const text = typeof config === 'string' ? config : (config as { text: string }).text;
    const found = Array.isArray(values) ? values : ((config as { values?: unknown[] }).values ?? []);
    if (inFlight++ === 0) roundTrip++;
    statements.push({ text: text.replace(UNREAD, ''), values: found, roundTrip });
    const answered = () => void inFlight--;
    const sent: unknown = Reflect.apply(query, this, args);
    Promise.resolve(sent).then(answered, answered);
    return sent;
  } as typeof query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return statements;
}

/** The statements of all parts and of all requests, on a database that `fillHistory` has filled. */
export async function recordStatements(
  database: Parameters<typeof repositorySteps>[0],
): Promise<Statement[]> {
  const steps = repositorySteps(database);
  const { inventory, reconciliations, schedule, claim, report, context } = steps;
  const never = new AbortController().signal;
  const statements = await statementsOf(async () => {
    await inventory.upsert(clusterDocument('new', ['a']), 1);
    await inventory.upsert(clusterDocument('c5', ['a']), 1);
    await schedule();
    await nextDueMs(database.queries);
    for (const operation of await claim()) {
      await report(operation, 'running');
      await report(operation, operation.runtime_id === 'new' ? 'success' : 'error');
    }
    await reconciliations.list({ runtimeIds: ['c7'] });
    await reconciliations.list({ statuses: ['error'], limit: 100 });
    await reconciliations.list({ limit: 100 });
    await reconciliations.list({ createdAfter: new Date(Date.now() - 60_000), limit: 100 });
    await reconciliations.list({ finished: false });
    const [newest] = await reconciliations.list({ runtimeIds: ['c7'], limit: 1 });
    const info = await reconciliations.get(newest?.scheduling_id ?? '');
    await reconciliations.failures(info.config_status_id);
    await inventory.of(undefined);
    await inventory.of({ schedulingId: info.scheduling_id });
    await inventory.of({ correlationId: info.operations[0]?.correlation_id ?? '' });
    await inventory.latest('c7');
    await inventory.statusChanges('c7', 7 * 24 * 3_600_000);
    await inventory.setStatus('c8', 'reconcile_disabled');
    await inventory.counts();
    await closeReconciliations({ ...context, database });
    await markOrphans(database, context);
    await pauseFailingRollouts(
      database.queries,
      [
        ...(await recentSuspects(database.queries)),
        { kind: 'version', name: '2.1' },
        { kind: 'component', name: 'a' },
      ],
      context,
    );
    await createRollouts(database).list();
    const overview = createOverview(database);
    await Promise.all([overview.counts(), overview.state(), overview.running(), overview.failures()]);
    await inventory.list({ limit: 100 });
    await createOccupancy(database).ratios();
    await reconciliations.purge('c9');
    // One cluster of the cleaner, whose statements are the same for each.
    const stop = new AbortController();
    await Promise.all([
      cleanReconciliations(database, { ...defaultSettings.cleaner, keepLatest: 5 }, stop.signal),
      new Promise((done) => setTimeout(done, 200)).then(() => stop.abort()),
    ]);
    await cleanReconciliations(database, { ...defaultSettings.cleaner, purgeOlderThanMs: 1e12 }, never);
  });
  const explained = statements.filter(({ text }) => /^\s*(select|with|update|delete)/i.test(text));
  return [...new Map(explained.map((statement) => [statement.text, statement])).values()];
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Plan[];
}

/** A statement that was run once more, and rolled back. */
interface Explained {
  readonly text: string;
  /** Time on the server, the best of three; undefined for one that adds a row again. */
  readonly ms: number | undefined;
  /** Pages that it reads; 0 for one that adds a row again. */
  readonly pages: number;
  /** Large tables that it reads from end to end. */
  readonly scans: readonly string[];
}

export async function explainAll(url: string, statements: readonly Statement[]): Promise<Explained[]> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=mothership' });
  await client.connect();
  const explained: Explained[] = [];
  for (const statement of statements) explained.push(await explain(client, statement));
  await client.end();
  return explained;
}

async function explain(client: pg.Client, { text, values }: Statement): Promise<Explained> {
  let ms = Number.POSITIVE_INFINITY;
  let plan: Plan | undefined;
  for (let run = 0; run < 3; run++) {
    await client.query('begin');
    const result = await client
      .query(`explain (analyze, buffers, format json) ${text}`, [...values])
      .catch((error: unknown) => error);
    await client.query('rollback');
    // A row that is inserted a second time.
    if (result instanceof Error && 'code' in result && result.code === '23505') break;
    if (result instanceof Error) throw result;
    const { rows } = result as pg.QueryResult;
    const [explained] = rows[0]['QUERY PLAN'];
    plan = explained.Plan;
    ms = Math.min(ms, explained['Execution Time']);
  }
  const scans = plan === undefined ? [] : sequentialScans(plan);
  const pages = plan === undefined ? 0 : plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  return { text, ms: Number.isFinite(ms) ? ms : undefined, pages, scans };
}

const sequentialScans = (plan: Plan): string[] => [
  ...(plan['Node Type'] === 'Seq Scan' && LARGE.includes(plan['Relation Name'] ?? '')
    ? [plan['Relation Name'] ?? '']
    : []),
  ...(plan.Plans ?? []).flatMap(sequentialScans),
];
