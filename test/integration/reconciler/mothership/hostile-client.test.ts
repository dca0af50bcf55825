/**
 * A client that does its worst beside two honest ones, at the REST API of a whole mothership: registrations, statuses, lists, callbacks,
 * slow and large bodies, streams. Its actions are chosen at random from all kinds. Clusters of the honest ones become ready while the
 * hostile one goes on, and the memory of the process stays bounded. The mothership is in this process, with its clients and component
 * reconcilers: `hardening/hostile-tenants.long.test.ts` has it in one of its own, and compares the time.
 */
import '../../harness/timeout.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { campaign } from '../../../campaign/campaign.ts';
import { eventually } from '../../../environment/eventually.ts';
import {
  type ComponentReconciler,
  startComponentReconciler,
} from '../../../environment/mothership/component-reconciler.ts';
import {
  type MothershipProgram,
  startMothershipProgram,
} from '../../../environment/mothership/mothership-program.ts';
import { type NetworkPath, openNetworkPath } from '../../../environment/network-path.ts';
import { startTestDatabases, type TestDatabases } from '../../../environment/postgres/test-databases.ts';
import { type MothershipAttacks, mothershipAttacks } from '../../hardening/tenants/mothership-attacks.ts';
import { controlPlanes } from '../../harness/control-planes/control-planes.ts';

const { seed, runs } = campaign({ seed: 1, runs: 1 });
const MIB = 1024 * 1024;
/** Beyond what the process has before: all bodies, lists and pages together. The test, its clients and the database are in it too. */
const MAX_GROWTH = 512 * MIB;

let databases: TestDatabases;
let reconciler: ComponentReconciler;
let mothership: MothershipProgram;
let kubeconfig: string;
/** Accepts connections, and says nothing. */
let silent: NetworkPath;

beforeAll(async () => {
  databases = await startTestDatabases();
  kubeconfig = (await controlPlanes()).kyma.kubeconfig;
  silent = await openNetworkPath();
  reconciler = await startComponentReconciler(({ metadata }) =>
    // Of the hostile tenant some fail, and some take long.
    metadata.globalAccountID === 'hostile'
      ? { callbacks: [{ status: 'error', error: 'x'.repeat(50_000) }] }
      : {},
  );
  mothership = await startMothershipProgram({
    reconciler: reconciler.url,
    databaseUrl: await databases.server?.createDatabase(),
  });
  client = mothershipAttacks({
    ...{ url: mothership.url, kubeconfig, reconciler },
    silentUrl: () => `https://${silent.address}`,
    signal: () => ending.signal,
  });
});
afterAll(async () => {
  await mothership?.stop();
  await reconciler?.close();
  await silent?.close();
  await databases?.close();
});

/** The run has ended: the hostile client goes. */
let ending = new AbortController();
let client: MothershipAttacks;

/** Two clusters of two honest clients, one after the other. */
async function honestClusters(): Promise<void> {
  await Promise.all(
    ['honest-a', 'honest-b'].map(async (account) => {
      for (let n = 0; n < 2; n++) {
        const id = client.nextId(account);
        const body = client.documentOf(account, id);
        const { status } = await mothership.call('POST', '/v1/clusters', { body });
        expect(status).toBe(200);
        await eventually(
          async () => {
            const { body } = await mothership.call('GET', `/v1/clusters/${id}/status`);
            expect(body).toMatchObject({ status: 'ready' });
          },
          { intervalMs: 100 },
        );
      }
    }),
  );
}

let before = 0;
test('honest clients alone', async () => {
  await honestClusters();
  before = process.memoryUsage.rss();
});

/** Kinds of attacks, by number. */
const actions = fc.array(fc.nat(), { minLength: 4, maxLength: 15 });

test.each(fc.sample(actions, { seed, numRuns: runs }).map((chosen, run) => ({ run, chosen })))(
  'honest clients beside a hostile one, run $run',
  async ({ chosen }) => {
    let peak = 0;
    const watching = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 50);
    const attacks = Object.values(client.attacks);
    const hostile = Promise.all(chosen.map((kind) => attacks[kind % attacks.length]?.()));
    await honestClusters();
    clearInterval(watching);
    expect(peak - before).toBeLessThan(MAX_GROWTH);
    ending.abort(new Error('the run has ended'));
    await hostile.catch(() => undefined);
    ending = new AbortController();
  },
  300_000,
);
