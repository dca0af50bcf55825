/**
 * What earlier versions stored, taken over by this one. With RECORD=1 (`make record-stored-state`) what this version
 * stores is recorded first, under the version of package.json.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hanaConfigKinds } from '../../../internal/controllers/config/provider-configs.ts';
import { eventually } from '../../environment/eventually.ts';
import { installCrds, packageCrds } from '../../environment/install-crds.ts';
import {
  currentVersion,
  readStoredState,
  recordedVersions,
  type StoredObject,
  type StoredState,
  sayings,
  writeStoredState,
} from '../../upgrade/stored-state.ts';
import { configObject } from '../providerconfig/config-environment.ts';
import { recordLives } from './recorded-resources.ts';
import { type Restored, restore } from './restore.ts';
import { instanceOf, type Stage, startStage } from './upgrade-environment.ts';

const patienceMs = 120_000;
const wholeMs = 10 * 60_000;

async function recordNow(): Promise<StoredState> {
  const stage = await startStage(await packageCrds());
  try {
    return await recordLives(stage);
  } finally {
    await stage.stop();
  }
}

if (process.env.RECORD === '1') await writeStoredState(await currentVersion(), await recordNow());

test(
  'the version of package.json is recorded, with what this work tree says',
  async () => {
    const version = await currentVersion();
    expect(await recordedVersions()).toContain(version);
    expect(sayings(await recordNow())).toEqual(sayings(await readStoredState(version)));
  },
  wholeMs,
);

describe.each(await recordedVersions())('what version %s stored', (version) => {
  let state: StoredState;
  let stage: Stage;
  let restored: Restored;
  /** As the API server showed them once the CRDs of now had come, and before this version's provider did. */
  let before: StoredObject[];
  /** To storing them once more, with nothing unknown let through. */
  let answers: Awaited<ReturnType<Restored['storeAgain']>>;

  /** Every request of a kind that HANA Cloud would change something by. */
  const writes = () =>
    stage.simulator
      .requests()
      .filter(({ route }) => route === 'create' || route === 'delete')
      .map(({ route, instance }) => `${route} ${instance}`);

  beforeAll(async () => {
    state = await readStoredState(version);
    stage = await startStage(state.crds);
    restored = await restore(stage, state);
    await installCrds(stage.plane, await packageCrds());
    before = await Promise.all(state.objects.map(restored.current));
    answers = (await Promise.all(before.map(restored.storeAgain))).flat();
    await restored.untilLookedAt(await stage.run());
  }, wholeMs);
  afterAll(async () => {
    expect(stage.simulator.violations()).toEqual([]);
    expect(await stage.account.refusals()).toEqual([]);
    await stage.stop();
  }, patienceMs);

  test('is served whole with the CRDs of now, and is taken again as it is', () => {
    for (const [index, object] of state.objects.entries()) expect(before[index]).toMatchObject(object);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(answers.length).toBeGreaterThan(state.objects.length);
  });

  test('costs HANA Cloud no write, a creation that nobody heard of included', () => {
    expect(writes()).toEqual([]);
    expect(stage.simulator.requests({ route: 'list' }).length).toBeGreaterThan(0);
  });

  test('is left as it is, but for the resource whose creation nobody heard of', async () => {
    await restored.managed('unsure').untilReady(patienceMs);
    const after = await Promise.all(state.objects.map(restored.current));
    const changed = after.filter(
      ({ metadata }, index) => metadata.resourceVersion !== before[index]?.metadata.resourceVersion,
    );
    expect(changed.map(({ kind, metadata: { name } }) => `${kind} ${name}`)).toEqual([
      'KymaInstanceMapping unsure',
    ]);
    // Nor was anything else written, events about what was known before included.
    const all = await stage.plane.auditEvents(stage.account.user);
    const writes = all.filter(
      ({ verb, objectRef }) =>
        !['get', 'list', 'watch'].includes(verb) && objectRef?.resource !== 'selfsubjectaccessreviews',
    );
    const about = writes.map(({ objectRef }) => `${objectRef?.resource} ${objectRef?.name?.split('.')[0]}`);
    expect([...new Set(about)]).toEqual(['kymainstancemappings unsure']);
  });

  test('goes on where it stood: what was missing comes, a pause and a deletion end', async () => {
    const [returns, archive, leaving] = ['returns', 'archive', 'leaving'].map(restored.managed);
    await stage.giveSources('returns');
    await returns?.untilReady(patienceMs);
    await archive?.annotate({ 'crossplane.io/paused': null });
    await archive?.untilReason('Synced', 'ReconcileSuccess', patienceMs);
    await stage.giveCredentials('leaving');
    await leaving?.untilGone(patienceMs);
    expect(writes()).toEqual([`create ${instanceOf('returns')}`, `delete ${instanceOf('leaving')}`]);
  });

  test('keeps its configurations while they are used, and lets them go with their users', async () => {
    const { config: type, usage: usages } = hanaConfigKinds.modern;
    const configs = [
      { user: 'reports', config: configObject(stage.management, undefined, 'team') },
      {
        user: 'mail',
        config: configObject(stage.management, { type, usages, namespace: 'mail' }, 'own'),
      },
    ];
    for (const { user, config } of configs) {
      expect(await config.usages()).toHaveLength(1);
      await config.delete();
      await eventually(
        async () =>
          expect((await config.find())?.status?.conditions).toEqual([
            expect.objectContaining({ type: 'Terminating', reason: 'InUse' }),
          ]),
        { timeoutMs: patienceMs },
      );
      await restored.managed(user).delete();
      await restored.managed(user).untilGone(patienceMs);
      await eventually(async () => expect(await config.find()).toBeUndefined(), { timeoutMs: patienceMs });
      expect(await config.usages()).toEqual([]);
    }
  });
});
