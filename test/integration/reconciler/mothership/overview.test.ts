import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createOccupancy } from '../../../../internal/systems/reconciler/mothership/occupancy.ts';
import { eventually } from '../../../environment/eventually.ts';
import {
  type ComponentReconciler,
  startComponentReconciler,
} from '../../../environment/mothership/component-reconciler.ts';
import {
  type MothershipProgram,
  startMothershipProgram,
} from '../../../environment/mothership/mothership-program.ts';
import { clusterDocument } from '../../../environment/mothership/test-mothership.ts';
import { startTestDatabases, type TestDatabases } from '../../../environment/postgres/test-databases.ts';
import { demands, moduleOf } from '../../../monitoring/monitoring-files.ts';
import { missingIn, seriesIn } from '../../../monitoring/series.ts';
import { controlPlanes } from '../../harness/control-planes/control-planes.ts';

let databases: TestDatabases;
let reconciler: ComponentReconciler;
let mothership: MothershipProgram;

beforeAll(async () => {
  databases = await startTestDatabases();
  const { kubeconfig } = (await controlPlanes()).kyma;
  reconciler = await startComponentReconciler(({ component }) => {
    if (component === 'eventing') return { callbacks: [{ status: 'error', error: 'no NATS' }] };
    return component === 'slow' ? { callbacks: [{ status: 'running' }] } : {};
  });
  mothership = await startMothershipProgram({
    reconciler: reconciler.url,
    databaseUrl: await databases.server?.createDatabase(),
    flags: {
      runtimeLink: 'https://r.example.org/{name}?of={name}',
      shootLink: 'https://s.example.org/{name}',
    },
  });
  for (const [id, component] of [
    ['a-1', 'istio'],
    ['a-2', 'eventing'],
    ['b-1', 'eventing'],
    ['b-2', 'slow'],
  ] as const) {
    const body = clusterDocument(id, [component], { kubeconfig });
    await mothership.call('POST', '/v1/clusters', { body });
  }
});
afterAll(async () => {
  await mothership?.stop();
  await reconciler?.close();
  await databases?.close();
});

const get = async (path: string): Promise<Record<string, unknown>> => {
  const { status, body } = await mothership.call('GET', path);
  expect(status).toBe(200);
  return body as Record<string, unknown>;
};

test.each([
  { query: '', want: ['a-1', 'a-2', 'b-1', 'b-2'] },
  { query: '?prefix=b', want: ['b-1', 'b-2'] },
  { query: '?prefix=a-1&prefix=x', want: ['a-1'] },
  { query: '?prefix=%25', want: [] },
  { query: '?status=ready', want: ['a-1'] },
  { query: '?status=reconcile_error_retryable', want: ['a-2', 'b-1'] },
  { query: '?status=reconcile_error_retryable&status=reconciling&prefix=b', want: ['b-1', 'b-2'] },
  { query: '?kymaVersion=none', want: [] },
  { query: '?limit=1&continue=a-1', want: ['a-2'] },
])('clusters are listed by runtime id: GET /v1/clusters$query', async ({ query, want }) => {
  await eventually(async () => {
    const { clusters } = (await get(`/v1/clusters${query}`)) as { clusters: { runtimeID: string }[] };
    expect(clusters.map(({ runtimeID }) => runtimeID)).toEqual(want);
  });
});

test('pages of clusters follow each other, and the last one has no continuation', async () => {
  const found: unknown[] = [];
  for (let path = '/v1/clusters?limit=3'; path !== ''; ) {
    const page = await get(path);
    found.push((page.clusters as { runtimeID: string }[]).map(({ runtimeID }) => runtimeID));
    path = page.continue === undefined ? '' : `/v1/clusters?limit=3&continue=${page.continue}`;
  }
  expect(found).toEqual([['a-1', 'a-2', 'b-1'], ['b-2']]);
});

test.each(['limit=0', 'limit=1001', 'limit=x', 'status=unknown'])(
  'a list with %s is refused',
  async (query) => {
    expect(await mothership.call('GET', `/v1/clusters?${query}`)).toMatchObject({
      status: 400,
      body: { error: expect.any(String) },
    });
  },
);

test('alerts and dashboard ask for metrics that a mothership has', async () => {
  const asked = (await demands()).filter((demand) => moduleOf(demand) === 'mothership');
  expect(asked.length).toBeGreaterThan(3);
  await eventually(async () => {
    const page = await (await fetch(`${mothership.url}/metrics`)).text();
    // Clusters are deleted in other tests.
    const others = asked.filter(({ values }) => values.result === undefined);
    expect(missingIn(seriesIn(page), others)).toEqual([]);
    expect(page).toMatch(/^reconciler_reconciliations_total\{result="ready"\} \d+$/m);
  });
});

test('the overview has clusters by status, running operations, and failures by reason with their next run', async () => {
  await eventually(async () => {
    expect(await get('/v1/overview')).toMatchObject({
      user: '',
      mayChange: false,
      groups: expect.arrayContaining([
        { group: 'failing', clusters: 2 },
        { group: 'ready', clusters: 1 },
        { group: 'working', clusters: 1 },
      ]),
      components: expect.arrayContaining([{ component: 'eventing', clusters: 2, failedClusters: 2 }]),
      statuses: expect.arrayContaining([
        { status: 'ready', clusters: 1 },
        { status: 'reconcile_error_retryable', clusters: 2 },
        { status: 'reconciling', clusters: 1 },
      ]),
      versions: [expect.objectContaining({ clusters: 4, failedClusters: 2 })],
      runningOperations: 1,
      operations: [expect.objectContaining({ runtimeID: 'b-2', component: 'slow', state: 'in_progress' })],
      failures: [
        {
          component: 'eventing',
          reason: expect.stringContaining('no NATS'),
          clusters: 2,
          retrying: expect.any(Number),
          named: [
            { runtimeID: 'a-2', name: 'name of a-2' },
            { runtimeID: 'b-1', name: 'name of b-1' },
          ],
          since: expect.any(String),
          nextRun: expect.any(String),
        },
      ],
      rollouts: [],
    });
  });
});

test.each([
  { query: 'search=OF%20A-1', want: ['a-1'] },
  { query: 'search=SHOOT&offset=0&limit=2', want: ['a-2', 'b-1'] },
  { query: 'offset=3', want: ['a-1'] },
  { query: 'cluster=name%20of%20b-2', want: ['b-2'] },
  { query: 'group=failing&component=eventing', want: ['a-2', 'b-1'] },
  { query: 'group=held', want: [] },
])('clusters are searched for, and ordered by what needs attention: $query', async ({ query, want }) => {
  await eventually(async () => {
    const { clusters } = (await get(`/v1/clusters?${query}`)) as { clusters: { runtimeID: string }[] };
    expect(clusters.map(({ runtimeID }) => runtimeID)).toEqual(want);
  });
});

test.each(['offset=x', 'group=unknown'])('a list with %s is refused', async (query) => {
  expect(await mothership.call('GET', `/v1/clusters?${query}`)).toMatchObject({ status: 400 });
});

test.each([
  { window: 'hour', count: 60 },
  { window: 'day', count: 96 },
  { window: 'week', count: 84 },
])('runs of a $window are counted by result, with the time to ready', async ({ window, count }) => {
  const { buckets } = (await get(`/v1/history?window=${window}`)) as { buckets: Record<string, number>[] };
  expect(buckets).toHaveLength(count);
  const sum = (name: string) => buckets.reduce((total, bucket) => total + (bucket[name] ?? 0), 0);
  expect([sum('ready') > 0, sum('failed') > 0, sum('deleted')]).toEqual([true, true, 0]);
  expect(buckets.find(({ ready = 0 }) => ready > 0)).toMatchObject({
    p50: expect.any(Number),
    p95: expect.any(Number),
  });
});

test('the work of component reconcilers is counted by component', async () => {
  await eventually(async () => {
    const load = (await get('/v1/load')) as unknown as { component: string }[];
    expect(load.find(({ component }) => component === 'slow')).toMatchObject({ waiting: 0, running: 1 });
  });
});

test('the details of a cluster have its run, statuses and configurations', async () => {
  expect(await get('/v1/clusters/a-2/details')).toMatchObject({
    cluster: {
      runtimeID: 'a-2',
      name: 'name of a-2',
      group: 'failing',
      failedComponents: ['eventing'],
      shoot: 'shoot',
    },
    region: 'eu',
    run: { operations: expect.arrayContaining([expect.objectContaining({ component: 'eventing' })]) },
    configurations: [{ changes: [] }],
    heldBy: [],
    links: { runtime: 'https://r.example.org/a-2?of=a-2', shoot: 'https://s.example.org/shoot' },
  });
  expect(await mothership.call('GET', '/v1/clusters/nobody/details')).toMatchObject({ status: 404 });
});

const pool = (poolId: string, runningWorkers: number, poolSize = 10, component = 'base') => ({
  poolId,
  component,
  runningWorkers,
  poolSize,
});

test('[R83] pools are created, updated and removed; the ratio is that of all pools of a component', async () => {
  const database = await databases.open();
  const occupancy = createOccupancy(database);
  expect(await occupancy.report(pool('a', 10))).toBe('created');
  expect(await occupancy.report(pool('b', 5))).toBe('created');
  expect(await occupancy.report(pool('b', 0))).toBe('updated');
  await occupancy.report(pool('c', 1, 4, 'istio'));
  await occupancy.report(pool('d', 0, 0, 'empty'));
  expect(await occupancy.ratios()).toEqual(
    new Map([
      ['base', 50],
      ['istio', 25],
      ['empty', 0],
    ]),
  );
  await occupancy.remove('c');
  await occupancy.remove('unknown');
  expect(await occupancy.poolIds()).toEqual(['a', 'b', 'd']);
  expect(await occupancy.removeSilent(60_000)).toBe(0);
  await sql`update worker_pool_occupancy set updated = now() - interval '61 s' where worker_pool_id <> 'b'`.execute(
    database.queries,
  );
  expect(await occupancy.report(pool('a', 9))).toBe('updated');
  expect(await occupancy.removeSilent(60_000)).toBe(1);
  expect(await occupancy.poolIds()).toEqual(['a', 'b']);
});

test.each([
  { what: 'another component', report: pool('a', 1, 10, 'istio'), refusal: 'mismatch' },
  { what: 'another size', report: pool('a', 1, 11), refusal: 'mismatch' },
  { what: 'more workers than there are', report: pool('a', 11), refusal: 'invalid' },
  { what: 'a negative number', report: pool('a', -1), refusal: 'invalid' },
  { what: 'a fraction', report: pool('a', 0.5), refusal: 'invalid' },
  { what: 'a number that is too large', report: pool('x', 1, 2 ** 31), refusal: 'invalid' },
  { what: 'no component', report: pool('x', 1, 2, ''), refusal: 'invalid' },
  { what: 'a text that cannot be stored', report: pool('x\0', 1), refusal: 'invalid' },
])('[R83] $what is refused', async ({ report, refusal }) => {
  const occupancy = createOccupancy(await databases.open());
  await occupancy.report(pool('a', 1));
  await expect(occupancy.report(report)).rejects.toMatchObject({ refusal });
  expect(await occupancy.ratios()).toEqual(new Map([['base', 10]]));
});
