/** One side that swallows whatever it is sent, with more mappings behind it than there are workers. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { KymaInstanceMapping } from '../../../internal/controllers/inventory/kymainstancemapping/resource.ts';
import { secrets } from '../../../internal/kube/object/resource-type.ts';
import { eventually } from '../../environment/eventually.ts';
import { secretManifest } from '../../environment/manifests.ts';
import { editKubeconfig } from '../harness/access/kubeconfigs.ts';
import { type BlackHole, openBlackHole } from '../harness/black-hole.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import type { ManagedObject } from '../harness/mappings/managed-object.ts';
import type { Scenario } from '../harness/mappings/scenario.ts';
import { startWorld, type World } from '../harness/test-environment.ts';

const MANY = 150;
/** The hole holds whoever asks it for five seconds, and many ask. */
const patienceMs = 90_000;

let world: World;
let hole: BlackHole;
/** Its sources are on a cluster, and its instance at a host, that answer. */
let healthy: Scenario;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  expect(world.simulator.violations()).toEqual([]);
  await world.stop();
});
beforeEach(async () => {
  hole = await openBlackHole();
  healthy = await world.scenario();
  await healthy.createReady();
});
afterEach(() => hole.close());

type Rival = ManagedObject<KymaInstanceMapping>;

/** Mappings with the sources of one scenario, each with a namespace of its own. */
async function createMany(
  scenario: Scenario,
  forProvider: Partial<KymaInstanceMapping['spec']['forProvider']> = {},
): Promise<Rival[]> {
  const made: Rival[] = [];
  const numbers = Array.from({ length: MANY }, (_, number) => number).values();
  const work = async () => {
    for (const number of numbers) {
      const over = { ...forProvider, targetNamespace: `n-${number}` };
      made.push(await scenario.createRival({ forProvider: over }));
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  return made;
}

const syncedOf = ({ status }: KymaInstanceMapping) =>
  status?.conditions?.find(({ type }) => type === 'Synced');

/** What the mappings say of themselves, those that have said anything. */
async function told(mappings: readonly Rival[]): Promise<string[]> {
  const objects = await Promise.all(mappings.map((mapping) => mapping.get()));
  return objects.flatMap((object) => syncedOf(object)?.message ?? []);
}

/** Changes to mappings that have nothing to do with the hole are done at once. */
async function expectOthersServed(): Promise<void> {
  await healthy.reconcile();
  await healthy.patch({ spec: { forProvider: { isDefault: true } } });
  await eventually(() => expect(healthy.mappings()).toEqual([healthy.hana.mapping({ isDefault: true })]));
}

describe('a Kyma cluster that swallows packets', () => {
  test('holds up nobody else, says so once nobody goes there any more, and is found again', async () => {
    const { planes, management } = world;
    const name = uniqueName('hole');
    const server = `https://${hole.address}`;
    const { hostname, port } = new URL(planes.kyma.server);
    const kubeconfig = editKubeconfig(planes.kyma.kubeconfig, {
      cluster: { server, 'tls-server-name': hostname },
    });
    await management.apply(secrets, secretManifest({ namespace: 'default', name }, { kubeconfig }));
    const swallowed = await world.scenario();
    await swallowed.applySources();
    const kymaConnectionRef = { secretRef: { namespace: 'default', name } };
    const mappings = await createMany(swallowed, { kymaConnectionRef });

    const newcomer = await world.scenario();
    await newcomer.createReady();
    await expectOthersServed();

    const isLeftAlone = `cluster ${hole.address} is unreachable: it has not answered for a while and is left alone for now (circuit open)`;
    await eventually(
      async () => {
        const messages = await told(mappings);
        expect(messages).toHaveLength(MANY);
        expect(messages.filter((message) => message === isLeftAlone).length).toBeGreaterThan(MANY / 2);
      },
      { timeoutMs: patienceMs },
    );
    for (const mapping of mappings.slice(0, 3)) {
      expect(syncedOf(await mapping.get())).toMatchObject({ status: 'False', reason: 'Waiting' });
    }
    await expectOthersServed();
    expect(swallowed.hana.calls()).toEqual([]);

    hole.leadTo(Number(port));
    const [first] = mappings;
    await first?.untilReady(90_000);
    await management.delete(secrets, { namespace: 'default', name });
  }, 240_000);

  test('takes no more than a quarter of the workers, and the rest of what hangs on it waits without one', async () => {
    const { planes, management } = world;
    const name = uniqueName('hole');
    const kubeconfig = editKubeconfig(planes.kyma.kubeconfig, {
      cluster: { server: `https://${hole.address}` },
    });
    await management.apply(secrets, secretManifest({ namespace: 'default', name }, { kubeconfig }));
    const swallowed = await world.scenario();
    await createMany(swallowed, { kymaConnectionRef: { secretRef: { namespace: 'default', name } } });
    await eventually(async () => {
      const page = await world.provider.get('/metrics');
      expect(page).toMatch(
        /controller_keys_put_aside\{controller="managed\/kymainstancemapping[^}]*\} [1-9]/,
      );
    });
    const page = await world.provider.get('/metrics');
    const active = /controller_runtime_active_workers\{controller="managed\/kymainstancemapping[^}]*\} (\d+)/;
    expect(Number(active.exec(page)?.[1])).toBeLessThanOrEqual(25);
    await management.delete(secrets, { namespace: 'default', name });
  }, 120_000);
});

describe('a HANA Cloud host that swallows packets', () => {
  test('holds up nobody who is known to go elsewhere, and says that nobody goes there any more', async () => {
    const swallowed = await world.scenario();
    const { fields } = await world.simulator.credentials(swallowed.instanceID);
    await swallowed.applySources();
    await swallowed.apply('secret', { data: { ...fields, baseurl: hole.address } });
    const mappings = await createMany(swallowed);

    await expectOthersServed();

    await eventually(
      async () => {
        const messages = await told(mappings);
        expect(messages).toHaveLength(MANY);
        const open = messages.filter((message) => message.includes('(circuit open)'));
        expect(open.length).toBeGreaterThan(MANY / 2);
      },
      { timeoutMs: patienceMs },
    );
    const newcomer = await world.scenario();
    await newcomer.createReady();
    await expectOthersServed();
  }, 240_000);
});
