import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { systemClock } from '../../../../internal/framework/base/time/clock.ts';
import type { Database } from '../../../../internal/systems/reconciler/mothership/database/database.ts';
import { createKeyring } from '../../../../internal/systems/reconciler/mothership/encryption/keyring.ts';
import { reencrypt } from '../../../../internal/systems/reconciler/mothership/encryption/reencrypt.ts';
import {
  createInventory,
  removeCluster,
} from '../../../../internal/systems/reconciler/mothership/inventory/create-inventory.ts';
import {
  CLUSTER_STATUSES,
  type ClusterStatus,
  NOT_READY,
} from '../../../../internal/systems/reconciler/mothership/model/cluster.ts';
import type { Inventory } from '../../../../internal/systems/reconciler/mothership/model/inventory.ts';
import {
  cleanDeletedClusters,
  cleanStatuses,
} from '../../../../internal/systems/reconciler/mothership/runnables/cleaner.ts';
import { dueClusters } from '../../../../internal/systems/reconciler/mothership/runnables/scheduler.ts';
import {
  clusterDocument,
  componentOf,
  testKeyring,
} from '../../../environment/mothership/test-mothership.ts';
import { startTestDatabases } from '../../../environment/postgres/test-databases.ts';
import { forFile } from '../../harness/for-file.ts';

const databases = forFile(startTestDatabases);
let database: Database;
let inventory: Inventory;
beforeAll(async () => {});
beforeEach(async () => {
  database = await databases.open();
  inventory = createInventory({ store: database, keyring: testKeyring });
});

const ids = (summaries: readonly { readonly runtimeId: string }[]) =>
  summaries.map(({ runtimeId }) => runtimeId).sort();

/** Clusters whose run would start, with this interval of periodic runs. */
const due = async (intervalMs: number) => {
  const found = await dueClusters(database.queries, { intervalMs, limit: 100, excluded: [], deferred: [] });
  return found.map(({ runtime_id }) => runtime_id).sort();
};
const NEVER_MS = 1e12;

/** A registered cluster with one status after the other. */
async function clusterWith(runtimeId: string, statuses: readonly ClusterStatus[]): Promise<void> {
  await inventory.upsert(clusterDocument(runtimeId), 1);
  for (const status of statuses) await inventory.setStatus(runtimeId, status);
}

const errorCount = async (runtimeId: string) => {
  const row = await database.queries
    .selectFrom('runtimes')
    .select('error_count')
    .where('runtime_id', '=', runtimeId)
    .executeTakeFirstOrThrow();
  return row.error_count;
};

const remove = (runtimeId: string) => database.transaction((tx) => removeCluster(tx, runtimeId));
const never = new AbortController().signal;

describe('versions', () => {
  test('[R1] the same registration again adds nothing', async () => {
    const first = await inventory.upsert(clusterDocument('c1'), 1);
    expect(await inventory.upsert(clusterDocument('c1'), 1)).toEqual(first);
    const state = await inventory.latest('c1');
    expect(state).toMatchObject(first);
    expect(state.configuration.components).toEqual(clusterDocument('c1').kymaConfig.components);
    expect(JSON.stringify(state)).not.toContain('kubeconfig of c1');
  });

  test('[R2] four changes: the last one is the latest, and pending', async () => {
    const { kymaConfig, metadata } = clusterDocument('c1');
    const changes = [
      { kymaConfig: { ...kymaConfig, version: '2.1.0' } },
      { kymaConfig: { ...kymaConfig, profile: 'production' } },
      { metadata: { ...metadata, region: 'us' } },
      { kubeconfig: 'another kubeconfig' },
    ];
    let newest = await inventory.upsert(clusterDocument('c1'), 1);
    for (const change of changes) {
      await inventory.setStatus('c1', 'ready');
      const changed = await inventory.upsert(clusterDocument('c1', undefined, change), 1);
      expect(changed.configuration.version).toBeGreaterThan(newest.configuration.version);
      newest = changed;
    }
    const latest = await inventory.latest('c1');
    expect(latest).toMatchObject(newest);
    expect(latest.status.status).toBe('reconcile_pending');
    // The first two changes left the cluster version alone.
    const { rows } = await sql`select version from clusters`.execute(database.queries);
    expect(rows).toHaveLength(3);
  });

  test('components are compared deeply, without the order of keys', async () => {
    const of = (value: unknown) =>
      clusterDocument('c1', [componentOf('a', { configuration: [{ key: 'k', value, secret: false }] })]);
    const first = await inventory.upsert(of({ x: 1, y: [2] }), 1);
    expect(await inventory.upsert(of({ y: [2], x: 1 }), 1)).toEqual(first);
    const changed = await inventory.upsert(of({ x: 1, y: [3] }), 1);
    expect(changed.cluster.version).toBe(first.cluster.version);
    expect(changed.configuration.version).toBeGreaterThan(first.configuration.version);
  });

  test('equal registrations at the same moment make one version', async () => {
    await Promise.all(Array.from({ length: 20 }, () => inventory.upsert(clusterDocument('c1'), 1)));
    const { rows } = await sql`
      select (select count(*) from clusters) as clusters, (select count(*) from cluster_configs) as configs,
        (select count(*) from cluster_statuses) as statuses
    `.execute(database.queries);
    expect(rows).toEqual([{ clusters: 1, configs: 1, statuses: 1 }]);
  });

  test('a namespace changes its own registrations alone; operators change any', async () => {
    const by = (name: string, id = 'c1') =>
      inventory.upsert({ ...clusterDocument(id), runtimeInput: { name, description: '' } }, 1);
    await by('team-a/mine');
    await by('team-a/renamed');
    await expect(by('team-b/mine')).rejects.toMatchObject({
      refusal: 'foreign',
      message:
        'cannot update cluster c1: it belongs to namespace team-a, not to namespace team-b: choose another runtimeID',
    });
    await by('of-operators');
    await expect(by('team-a/mine')).rejects.toMatchObject({
      refusal: 'foreign',
      message: expect.stringContaining('it belongs to client with the role operator'),
    });
    expect((await inventory.latest('c1')).cluster.runtime.name).toBe('of-operators');
    const race = await Promise.allSettled(['team-a/c', 'team-b/c'].map((name) => by(name, 'c2')));
    expect(race.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  // Component reconcilers are found by names in any case.
  test.each(['rma', 'RMA', 'rMa'])(
    'a component that acts on the control plane is for registrations of operators: %s',
    async (component) => {
      const register = (name: string) =>
        inventory.upsert(
          { ...clusterDocument('c1', [component]), runtimeInput: { name, description: '' } },
          1,
        );
      await expect(register('team-a/mine')).rejects.toMatchObject({
        refusal: 'foreign',
        message: expect.stringContaining(`component ${component} acts on the control plane`),
      });
      await expect(inventory.latest('c1')).rejects.toThrow('cannot find');
      await register('of-operators');
    },
  );

  test('a version is found by its number, with the newest status that it had', async () => {
    const first = await inventory.upsert(clusterDocument('c1'), 1);
    const ready = await inventory.setStatus('c1', 'ready');
    await inventory.upsert(clusterDocument('c1', ['istio']), 1);
    expect(await inventory.at('c1', first.configuration.version)).toMatchObject(ready);
    expect(await inventory.status('c1', first.configuration.version)).toEqual(ready);
    await expect(inventory.at('c2', first.configuration.version)).rejects.toThrow('cannot find');
    await expect(inventory.at('c1', 0)).rejects.toThrow('cannot find');
  });

  test('[R81] texts that must not be empty are named', async () => {
    const { kymaConfig } = clusterDocument('c1');
    const empty = { ...clusterDocument(''), kymaConfig: { ...kymaConfig, version: '' } };
    await expect(inventory.upsert(empty, 1)).rejects.toMatchObject({
      refusal: 'invalid',
      message: 'cannot store the cluster: runtimeID and kymaConfig.version must not be empty',
    });
  });

  test.each(['\0', '\ud800'])('a text with %j is refused, and an id with it is unknown', async (bad) => {
    await expect(inventory.upsert(clusterDocument(`c${bad}`), 1)).rejects.toMatchObject({
      refusal: 'invalid',
    });
    const { kymaConfig } = clusterDocument('c1');
    const document = clusterDocument('c1', [], { kymaConfig: { ...kymaConfig, administrators: [bad] } });
    await expect(inventory.upsert(document, 1)).rejects.toMatchObject({ refusal: 'invalid' });
    for (const look of [inventory.latest(bad), inventory.statusChanges(bad, 1000), inventory.at(bad, 1)]) {
      await expect(look).rejects.toMatchObject({ refusal: 'not-found' });
    }
  });
});

describe('statuses', () => {
  test('[R3] the same status adds no row, another one has a larger id', async () => {
    const first = await inventory.upsert(clusterDocument('c1'), 1);
    const ready = await inventory.setStatus('c1', 'ready');
    expect(ready.status.id).toBeGreaterThan(first.status.id);
    expect((await inventory.setStatus('c1', 'ready')).status).toEqual(ready.status);
    await expect(inventory.setStatus('c2', 'ready')).rejects.toMatchObject({ refusal: 'not-found' });
  });

  test('[R3] the same status by 25 at the same moment is one change', async () => {
    await inventory.upsert(clusterDocument('c1'), 1);
    const changed = await Promise.all(
      Array.from({ length: 25 }, () => inventory.setStatus('c1', 'reconcile_disabled')),
    );
    expect(new Set(changed.map(({ status }) => status.id)).size).toBe(1);
    expect(await inventory.statusChanges('c1', 1e9)).toHaveLength(2);
  });

  test('of the clusters that are due at one rank, those that wait for longest are first', async () => {
    const order = async (limit = 100) => {
      const selection = { intervalMs: 1000, limit, excluded: [], deferred: [] };
      return (await dueClusters(database.queries, selection)).map(({ runtime_id }) => runtime_id);
    };
    for (const id of ['a', 'b', 'c']) await clusterWith(id, ['ready']);
    await clusterWith('retry', ['reconcile_error_retryable']);
    await clusterWith('new', []);
    // The time of the next run has a jitter, so it may be earlier for one that has waited for less.
    for (const [id, since, next] of [
      ['b', 30, 1],
      ['c', 20, 3],
      ['a', 10, 2],
      ['retry', 5, 1],
    ] as const)
      await sql`update runtimes set status_since = now() - ${since} * interval '1 min',
        next_run_at = now() - ${next} * interval '1 s' where runtime_id = ${id}`.execute(database.queries);
    expect(await order()).toEqual(['new', 'retry', 'b', 'c', 'a']);
    expect(await order(1)).toEqual(['new']);
  });

  test('of the configurations of a cluster the last 20 are listed, each with its changes but for the very first', async () => {
    const versions = Array.from({ length: 22 }, (_, n) => `2.${n}`);
    const changesOf = async () =>
      (await inventory.configurations('c1')).map(({ changes }) => changes.map(({ after }) => after).join());
    for (const [index, version] of versions.entries()) {
      const document = clusterDocument('c1');
      await inventory.upsert({ ...document, kymaConfig: { ...document.kymaConfig, version } }, 1);
      if (index === 1) expect(await changesOf()).toEqual(['2.1', '']);
    }
    expect(await changesOf()).toEqual(versions.toReversed().slice(0, 20));
  });

  test('a change is an upgrade if the last run succeeded, and else a part of the registration', async () => {
    const causeOf = async (id: string) => {
      const row = database.queries
        .selectFrom('runtimes')
        .select('pending_cause')
        .where('runtime_id', '=', id);
      return (await row.executeTakeFirstOrThrow()).pending_cause;
    };
    for (const [id, lastFailed] of [
      ['failed', true],
      ['succeeded', false],
    ] as const) {
      await clusterWith(id, [lastFailed ? 'error' : 'ready']);
      await sql`update runtimes set last_result_at = now(), last_failed = ${lastFailed}, pending_cause = null
        where runtime_id = ${id}`.execute(database.queries);
      await inventory.upsert(clusterDocument(id, ['istio']), 1);
    }
    expect([await causeOf('failed'), await causeOf('succeeded')]).toEqual(['registration', 'upgrade']);
  });

  test('of the clusters that fail, those with the most errors in a row are first', async () => {
    for (const id of ['a', 'b', 'c']) await clusterWith(id, ['error']);
    for (let n = 0; n < 2; n++)
      for (const status of ['reconciling', 'error'] as const) await inventory.setStatus('b', status);
    for (const status of ['reconciling', 'error'] as const) await inventory.setStatus('c', status);
    await clusterWith('0-ready', ['ready']);
    const { clusters } = await inventory.list({ limit: 10, offset: 0 });
    expect(clusters.map(({ runtimeId, errors }) => [runtimeId, errors])).toEqual([
      ['b', 3],
      ['c', 2],
      ['a', 1],
      ['0-ready', 0],
    ]);
  });

  test('a text that is looked for has no wildcards', async () => {
    const texts = ['plain', '50%', 'under_score', 'back\\slash', "quote's"];
    for (const [index, name] of texts.entries()) {
      const runtimeInput = { name, description: '' };
      await inventory.upsert(clusterDocument(`c${index}`, [], { runtimeInput }), 1);
    }
    const found = async (search: string) =>
      (await inventory.list({ search, limit: 10 })).clusters.map(({ runtimeName }) => runtimeName);
    for (const text of texts) expect(await found(text)).toEqual([text]);
    for (const [text, name] of [
      ['0%', '50%'],
      ['_s', 'under_score'],
      ['\\', 'back\\slash'],
      ["'", "quote's"],
    ])
      expect(await found(text ?? '')).toEqual([name]);
    expect(await found('\\%')).toEqual([]);
  });

  test('[R5] one cluster for each status: two kinds are scheduled, five are not ready', async () => {
    for (const status of CLUSTER_STATUSES) await clusterWith(status, [status]);
    expect(await due(NEVER_MS)).toEqual(['delete_pending', 'reconcile_pending']);
    const notReady = [
      'delete_error',
      'delete_error_retryable',
      'deleting',
      'error',
      'reconcile_error_retryable',
    ];
    const { clusters } = await inventory.list({ statuses: NOT_READY, limit: 100 });
    expect(ids(clusters)).toEqual(notReady);
    expect(await inventory.counts()).toEqual({ waiting: 2, notReady: 5 });
  });

  test('[R6] all changes since a time are listed, newest first, with their durations', async () => {
    const statuses = CLUSTER_STATUSES.filter((status) => status !== 'reconcile_pending');
    await clusterWith('c1', statuses);
    const changes = await inventory.statusChanges('c1', 10 * 3_600_000);
    expect(changes.map(({ status }) => status)).toEqual(['reconcile_pending', ...statuses].reverse());
    const [newest, ...others] = changes;
    expect(newest?.durationMs).toBeGreaterThan(0);
    others.forEach(({ started, durationMs }, index) => {
      const next = changes[index]?.started.getTime() ?? 0;
      expect(Math.abs(next - started.getTime() - durationMs)).toBeLessThanOrEqual(1);
    });
    await expect(inventory.statusChanges('c1', 0)).rejects.toMatchObject({ refusal: 'not-found' });
    await expect(inventory.statusChanges("' or 1=1 --", 1e9)).rejects.toMatchObject({ refusal: 'not-found' });
  });

  test('[R7] only the newest configuration counts; ready clusters count when they are old enough', async () => {
    await clusterWith('changed', ['ready']);
    await inventory.upsert(clusterDocument('changed', ['istio']), 1);
    await clusterWith('old', ['ready']);
    await clusterWith('young', ['ready']);
    await clusterWith('deleting', ['deleting']);
    await clusterWith('error', ['error']);
    await sql`update runtimes set status_since = status_since - interval '2 s' where runtime_id = 'old'`.execute(
      database.queries,
    );
    expect(await due(1000)).toEqual(['changed', 'old']);
    expect(await due(NEVER_MS)).toEqual(['changed']);
    expect(await inventory.counts()).toEqual({ waiting: 1, notReady: 2 });
  });

  test('[R8] errors are counted from the last success on; other statuses do not count', async () => {
    await clusterWith('before', ['error', 'reconcile_error_retryable', 'ready']);
    expect(await errorCount('before')).toBe(0);
    await clusterWith('after', ['ready']);
    for (let n = 0; n < 25; n++) {
      await inventory.setStatus('after', 'error');
      await inventory.setStatus('after', 'reconciling');
      await inventory.setStatus('after', 'reconcile_error_retryable');
    }
    expect(await errorCount('after')).toBe(50);
    await inventory.upsert(clusterDocument('after', ['istio']), 1);
    expect(await errorCount('after')).toBe(0);
  });

  test('a disabled cluster stays disabled when it is changed, and is deleted nevertheless', async () => {
    await clusterWith('c1', ['reconcile_disabled']);
    const changed = await inventory.upsert(clusterDocument('c1', ['istio']), 1);
    expect(changed.status.status).toBe('reconcile_disabled');
    expect((await inventory.statusChanges('c1', 1e9)).map(({ status }) => status).slice(0, 2)).toEqual([
      'reconcile_disabled',
      'reconcile_pending',
    ]);
    expect((await inventory.markForDeletion('c1')).status.status).toBe('delete_pending');
  });
});

test('of each tenant the oldest clusters are read, so that one with very many takes the places of no other', async () => {
  const { metadata } = clusterDocument('c1');
  for (const id of ['a1', 'a2', 'a3', 'b1']) {
    const of = { metadata: { ...metadata, globalAccountID: id.charAt(0) } };
    await inventory.upsert(clusterDocument(id, ['istio'], of), 1);
  }
  expect(ids(await inventory.all({ perTenant: 2, limit: 10 }))).toEqual(['a1', 'a2', 'b1']);
  expect(ids(await inventory.all({ perTenant: 2, limit: 2 }))).toEqual(['a1', 'b1']);
  expect(await inventory.totals()).toEqual({ clusters: 4, failed: 0 });
  await inventory.setStatus('a3', 'delete_error');
  expect(await inventory.totals()).toEqual({ clusters: 4, failed: 1 });
});

describe('deletion', () => {
  test('[R4] a removed cluster is not listed, and its id can be registered again', async () => {
    await inventory.upsert(clusterDocument('c1'), 1);
    expect(ids(await inventory.all({ perTenant: 10, limit: 10 }))).toEqual(['c1']);
    await inventory.upsert(clusterDocument('c2'), 1);
    expect(ids(await inventory.all({ perTenant: 10, limit: 10 }))).toEqual(['c1', 'c2']);
    await remove('c2');
    expect(ids(await inventory.all({ perTenant: 10, limit: 10 }))).toEqual(['c1']);
    await expect(inventory.latest('c2')).rejects.toMatchObject({ refusal: 'not-found' });
    const { rows } = await sql<{
      name: string;
    }>`select runtime_id as name from clusters where deleted`.execute(database.queries);
    expect(rows).toEqual([{ name: expect.stringMatching(/^deleted_\d+_c2$/) }]);
    const again = await inventory.upsert(clusterDocument('c2'), 1);
    expect(await inventory.latest('c2')).toMatchObject(again);
  });

  test('[R10] deleted clusters are removed when they are old, others stay', async () => {
    await inventory.upsert(clusterDocument('kept'), 1);
    await inventory.upsert(clusterDocument('gone'), 1);
    await remove('gone');
    expect(await cleanDeletedClusters(database, 1, never)).toBe(0);
    expect(await cleanDeletedClusters(database, 0, never)).toBe(1);
    const { rows } = await sql`select runtime_id from cluster_configs`.execute(database.queries);
    expect(rows).toEqual([{ runtime_id: 'kept' }]);
  });

  test('[R11] unused statuses are removed in batches; the newest goes with its cluster', async () => {
    const { cluster, configuration } = await inventory.upsert(clusterDocument('c1'), 1);
    await sql`
      insert into cluster_statuses (runtime_id, cluster_version, config_version, status)
      select 'c1', ${cluster.version}::bigint, ${configuration.version}::bigint, 'ready'
      from generate_series(1, 499)
    `.execute(database.queries);
    await sql`
      update runtimes set status = 'ready', status_id = (select max(id) from cluster_statuses)
    `.execute(database.queries);
    const options = { batchSize: 100, clock: systemClock, pauseMs: 1 };
    expect(await cleanStatuses(database, options, never)).toBe(499);
    expect((await inventory.latest('c1')).status.status).toBe('ready');
    expect(await cleanStatuses(database, options, never)).toBe(0);
    await remove('c1');
    expect(await cleanStatuses(database, options, never)).toBe(1);
  });
});

describe('encryption', () => {
  test('kubeconfigs and components are stored as ciphers only', async () => {
    await inventory.upsert(clusterDocument('c1'), 1);
    const { rows } = await sql`
      select c.kubeconfig, c.kubeconfig_key, k.components, k.components_key from clusters c, cluster_configs k
    `.execute(database.queries);
    const text = JSON.stringify(rows);
    expect(text).not.toMatch(/kubeconfig of|eventing/);
    expect(rows).toEqual([
      expect.objectContaining({
        kubeconfig_key: testKeyring.currentId,
        components_key: testKeyring.currentId,
      }),
    ]);
  });

  test('keys are rotated while both are known; the old one is not needed afterwards', async () => {
    for (let n = 0; n < 5; n++) await inventory.upsert(clusterDocument(`c${n}`), 1);
    const [before, after] = ['42', '43'].map((byte) => byte.repeat(32));
    const both = createKeyring([after ?? '', before ?? '']);
    const rotated = await Promise.all([1, 2].map(() => reencrypt(database, both, { batchSize: 2 })));
    expect(rotated.reduce((sum, count) => sum + count, 0)).toBe(10);
    const onlyNew = createInventory({ store: database, keyring: createKeyring([after ?? '']) });
    for (let n = 0; n < 5; n++) {
      const state = await onlyNew.latest(`c${n}`);
      expect(state).toMatchObject(await onlyNew.upsert(clusterDocument(`c${n}`), 1));
    }
    await expect(inventory.latest('c0')).rejects.toThrow('there is no key with the id');
  });
});
