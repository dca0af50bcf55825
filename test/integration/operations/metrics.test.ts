/**
 * The page /metrics of a running provider, after successes and failures: everything that alerts and the dashboard use,
 * and everything that docs/operations.md lists.
 */
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { demands, moduleOf } from '../../monitoring/monitoring-files.ts';
import { missingIn, type Series, seriesIn } from '../../monitoring/series.ts';
import { startFaultEnvironment } from '../faults/fault-environment.ts';
import { leaseSharing } from '../faults/replicas.ts';
import { forFile } from '../harness/for-file.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';

const environment = forFile(startFaultEnvironment);
let provider: ProviderProcess;
let page: string;
let series: Series[];

beforeAll(async () => {
  provider = await leaseSharing(environment).start(['--poll-state-metric=1s']);
  const [steady, drifting, going, refused] = await Promise.all(
    [1, 2, 3, 4].map(() => environment.scenario()),
  );
  if (!steady || !drifting || !going || !refused) throw new Error('there are four');
  await Promise.all([steady, drifting, going].map((scenario) => scenario.createReady()));
  drifting.hana.removeMapping();
  drifting.hana.addMapping({ isDefault: true });
  await drifting.reconcile();
  await going.delete();
  await going.untilGone();
  await refused.applySources();
  refused.hana.fault({ route: 'create' }, { kind: 'status', status: 403 });
  await refused.create();
  await refused.untilReason('Synced', 'ReconcileError');
  await eventually(async () => {
    page = (await provider.get('/metrics')).body;
    expect(page).toMatch(/^crossplane_managed_resource_ready\{.*KymaInstanceMapping"\} 2$/m);
    expect(page).toMatch(/^crossplane_managed_resource_drift_seconds_count\{.*\} 1$/m);
  });
  series = seriesIn(page);
});

test('everything that alerts and dashboard use is there, with their labels', async () => {
  const asked = (await demands()).filter((demand) => moduleOf(demand) === undefined);
  expect(asked.length).toBeGreaterThan(80);
  expect(missingIn(series, asked)).toEqual([]);
});

test('the leader reports that it leads, and every kind that it reconciles', () => {
  expect(page).toMatch(/^leader_election_master_status\{name="crossplane-leader-election-[^"]+"\} 1$/m);
  const controllers = series.filter(({ metric }) => metric === 'controller_kind_available');
  expect(controllers.map(({ labels }) => labels.controller)).toContain(
    'managed/kymainstancemapping.inventory.hana.orchestrate.cloud.sap',
  );
});

test('docs/operations.md lists every metric with its labels, and no other', async () => {
  const text = await readFile(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  const listed = [...text.matchAll(/^\| `([a-z_]+)` \| (\w+) \|([^|]*)\|/gm)].map(
    ([, name, type, labels = '']) => ({
      name: name ?? '',
      type: type ?? '',
      labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label).sort(),
    }),
  );
  const types = new Map(
    [...page.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  );
  const shown = [...types].flatMap(([name, type]) => {
    // Of the process and of Node: prom-client documents them.
    if (/^(process|nodejs)_/.test(name)) return [];
    const metric = type === 'histogram' ? `${name}_count` : name;
    const labels = series.find((candidate) => candidate.metric === metric)?.labels ?? {};
    return [{ name, type, labels: Object.keys(labels).sort() }];
  });
  // Pages of modules have the others (test/integration/btp/metrics.test.ts, test/integration/infrastructure-manager/module.test.ts).
  const always = listed.filter(({ name }) => moduleOf({ metric: name, values: {} }) === undefined);
  const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
  expect(always.sort(byName)).toEqual(shown.sort(byName));
});

test('the log is JSON, one object per line, without lines on success', async () => {
  const lines = provider.output().trim().split('\n');
  for (const line of lines) {
    expect(JSON.parse(line)).toMatchObject({
      level: expect.stringMatching(/^(info|error)$/),
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      msg: expect.any(String),
    });
  }
});

test('probes report that it is alive, and for each kind that it is watched', async () => {
  expect(await provider.get('/healthz')).toMatchObject({
    status: 200,
    body: expect.stringContaining('healthz check passed'),
  });
  const { status, body } = await provider.get('/readyz');
  expect(status).toBe(200);
  expect(body).toContain('[+]managed/kymainstancemapping.inventory.hana.orchestrate.cloud.sap ok');
});
