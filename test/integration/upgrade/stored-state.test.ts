/**
 * What earlier versions stored, upgraded to this one. With RECORD=1 (`make record-stored-state`) what this version
 * stores is recorded first, under the version of package.json.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hanaConfigKinds } from '../../../internal/systems/inventory/config/provider-configs.ts';
import { eventually } from '../../environment/eventually.ts';
import { installCrds, packageCrds } from '../../environment/install-crds.ts';
import {
  conditionTexts,
  currentVersion,
  readStoredState,
  recordedVersions,
  type StoredObject,
  type StoredState,
  writeStoredState,
} from '../../upgrade/stored-state.ts';
import { configObject } from '../runtime/config-environment.ts';
import { recordResources } from './recorded-resources.ts';
import { type Restored, restore } from './restore.ts';
import { instanceOf, startUpgradeEnvironment, type UpgradeEnvironment } from './upgrade-environment.ts';

const timeoutMs = 120_000;
const wholeMs = 10 * 60_000;

async function recordNow(): Promise<StoredState> {
  const environment = await startUpgradeEnvironment(await packageCrds());
  try {
    return await recordResources(environment);
  } finally {
    await environment.stop();
  }
}

if (process.env.RECORD === '1') await writeStoredState(await currentVersion(), await recordNow());

/** Begins before the other tests, which wait most of their time. */
let recorded: Promise<StoredState>;
beforeAll(() => {
  recorded = recordNow();
  // Its failure is reported by the test that waits for it.
  recorded.catch(() => undefined);
});

describe.each(await recordedVersions())('what version %s stored', (version) => {
  let state: StoredState;
  let environment: UpgradeEnvironment;
  let restored: Restored;
  /** As the API server showed them once the CRDs of now had come, and before this version's provider did. */
  let before: StoredObject[];
  /** To storing them once more, with nothing unknown let through. */
  let answers: Awaited<ReturnType<Restored['storeAgain']>>;

  /** Every request that would change something in HANA Cloud. */
  const writes = () =>
    environment.simulator
      .requests()
      .filter(({ route }) => route === 'create' || route === 'delete')
      .map(({ route, instance }) => `${route} ${instance}`);

  beforeAll(async () => {
    state = await readStoredState(version);
    environment = await startUpgradeEnvironment(state.crds);
    restored = await restore(environment, state);
    await installCrds(environment.plane, await packageCrds());
    before = await Promise.all(state.objects.map(restored.current));
    answers = (await Promise.all(before.map(restored.storeAgain))).flat();
    await restored.untilReconciled(await environment.run());
  }, wholeMs);
  afterAll(async () => {
    expect(environment.simulator.violations()).toEqual([]);
    expect(await environment.account.refusals()).toEqual([]);
    await environment.stop();
  }, timeoutMs);

  test('is served completely with the current CRDs, and can be stored again as it is', () => {
    for (const [index, object] of state.objects.entries()) expect(before[index]).toMatchObject(object);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(answers.length).toBeGreaterThan(state.objects.length);
  });

  test('costs HANA Cloud no write, a creation with a lost response included', () => {
    expect(writes()).toEqual([]);
    expect(environment.simulator.requests({ route: 'list' }).length).toBeGreaterThan(0);
  });

  test('is left as it is, but for the resource whose create response was lost', async () => {
    await restored.managed('unsure').untilReady(timeoutMs);
    const after = await Promise.all(state.objects.map(restored.current));
    const changed = after.filter(
      ({ metadata }, index) => metadata.resourceVersion !== before[index]?.metadata.resourceVersion,
    );
    expect(changed.map(({ kind, metadata: { name } }) => `${kind} ${name}`)).toEqual([
      'KymaInstanceMapping unsure',
    ]);
    // Nor was anything else written, events about what was known before included.
    const all = await environment.plane.auditEvents(environment.account.user);
    const writes = all.filter(
      ({ verb, objectRef }) =>
        !['get', 'list', 'watch'].includes(verb) && objectRef?.resource !== 'selfsubjectaccessreviews',
    );
    const about = writes.map(({ objectRef }) => `${objectRef?.resource} ${objectRef?.name?.split('.')[0]}`);
    expect([...new Set(about)]).toEqual(['kymainstancemappings unsure']);
  });

  test('goes on from its state: missing sources appear, a pause and a deletion end', async () => {
    const [returns, archive, leaving] = ['returns', 'archive', 'leaving'].map(restored.managed);
    await environment.giveSources('returns');
    await returns?.untilReady(timeoutMs);
    await archive?.annotate({ 'crossplane.io/paused': null });
    await archive?.untilReason('Synced', 'ReconcileSuccess', timeoutMs);
    await environment.giveCredentials('leaving');
    await leaving?.untilGone(timeoutMs);
    expect(writes()).toEqual([`create ${instanceOf('returns')}`, `delete ${instanceOf('leaving')}`]);
  });

  test('keeps its configurations while they are used, and removes their finalizers with the last user', async () => {
    const { config: type, usage: usages } = hanaConfigKinds.namespaced;
    const configs = [
      { user: 'reports', config: configObject(environment.management, undefined, 'team') },
      {
        user: 'mail',
        config: configObject(environment.management, { type, usages, namespace: 'mail' }, 'own'),
      },
    ];
    await Promise.all(
      configs.map(async ({ user, config }) => {
        expect(await config.usages()).toHaveLength(1);
        await config.delete();
        await eventually(
          async () =>
            expect((await config.find())?.status?.conditions).toEqual([
              expect.objectContaining({ type: 'Terminating', reason: 'InUse' }),
            ]),
          { timeoutMs },
        );
        await restored.managed(user).delete();
        await restored.managed(user).untilGone(timeoutMs);
        await eventually(async () => expect(await config.find()).toBeUndefined(), { timeoutMs });
        expect(await config.usages()).toEqual([]);
      }),
    );
  });
});

test(
  'the version of package.json is recorded, with the state of this work tree',
  async () => {
    const version = await currentVersion();
    expect(await recordedVersions()).toContain(version);
    expect(conditionTexts(await recorded)).toEqual(conditionTexts(await readStoredState(version)));
  },
  wholeMs,
);
