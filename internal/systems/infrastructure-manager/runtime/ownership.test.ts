/** Runtimes that name what belongs to another Runtime: by a copied label, a copied name, or both; and a Runtime whose label was changed. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { shoots } from '../../../../apis/gardener/kinds.ts';
import {
  type GardenerCluster,
  gardenerClusters,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import {
  type Runtime,
  runtimes,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../../test/simulators/gardener/simulated-gardener.ts';
import { ProviderError } from '../../../framework/base/errors/errors.ts';
import { apiError } from '../../../framework/kube/fakes/memory-client.ts';
import { configMaps, findCondition, secrets } from '../../../framework/kube/index.ts';
import { annotationRuntime } from '../gardenercluster/metadata.ts';
import { annotationRuntimeId, annotationSuspendPatch, finalizer, labels } from '../metadata.ts';
import { requiredLabels } from '../rendering/fixtures/rendering.fixture.ts';
import { createdRuntime, stopWithoutErrors } from './fixtures/created-runtime.fixture.ts';
import { NAMESPACE, runtimeOf, SHOOT } from './fixtures/runtime.fixture.ts';
import { type RuntimeHarness, startRuntimeHarness } from './fixtures/runtime-harness.fixture.ts';

let h: RuntimeHarness<SimulatedGardener>;
afterEach(() => stopWithoutErrors(h));

const key = { namespace: NAMESPACE, name: 'runtime-1' };
const copyKey = { namespace: NAMESPACE, name: 'runtime-2' };

async function ready(): Promise<void> {
  h = await createdRuntime(startSimulatedGardener);
  expect(h.shown('Configured')).toMatch(/^Ready True/);
}

/** Another Runtime, by default with all labels of the first. */
const copyOf = (shoot: string, runtimeId = 'runtime-1'): Runtime =>
  runtimeOf(
    { name: shoot },
    { name: 'runtime-2', labels: { ...requiredLabels, [labels.runtimeId]: runtimeId } },
  );
const copy = () => h.client.peek(runtimes, copyKey);
const shownOf = (runtime: Runtime | undefined, type = 'Provisioned') => {
  const condition = findCondition(runtime?.status?.conditions ?? [], type);
  return `${runtime?.status?.state} ${condition?.status} ${condition?.reason} ${condition?.message}`;
};
/** What belongs to the first Runtime, by uid. */
const owned = () => ({
  shoot: h.shoot()?.metadata.uid,
  id: h.shoot()?.metadata.annotations?.[annotationRuntimeId],
  cluster: h.client.peek(gardenerClusters, key)?.metadata.uid,
  secret: h.client.peek(secrets, { namespace: NAMESPACE, name: 'kubeconfig-runtime-1' })?.metadata.uid,
});
const writes = () =>
  [h.client, h.gardener.client].flatMap(({ requests }) =>
    requests.filter(
      ({ verb, subresource }) =>
        !['get', 'list', 'watch'].includes(verb) && subresource !== 'adminkubeconfig',
    ),
  ).length;

describe.each([
  [
    'the label of another Runtime',
    'two',
    'runtime-1',
    'KubeconfigReady',
    /False KubernetesErr .*runtime-id must differ$/,
  ],
  [
    'the Shoot of another Runtime',
    SHOOT,
    'runtime-2',
    'Provisioned',
    /^Failed False ShootNotOwned cannot adopt Shoot garden-kyma\/one: it belongs to Runtime kcp-system\/runtime-1, not to Runtime kcp-system\/runtime-2: /,
  ],
  ['label and Shoot of another Runtime', SHOOT, 'runtime-1', 'Provisioned', /^Failed False ShootNotOwned /],
] as const)('a Runtime with %s', (_what, shoot, runtimeId, type, shown) => {
  test('is refused, changes nothing of the other, and its deletion ends without it', async () => {
    await ready();
    const before = owned();
    await h.client.otherProgram().create(runtimes, copyOf(shoot, runtimeId));
    await h.wait(60_000);
    expect(shownOf(copy(), type)).toMatch(shown);
    const written = writes();
    await h.wait(1_800_000);
    await h.restart();
    await h.wait(600_000);
    expect(writes()).toBe(written);
    await h.client.otherProgram().delete(runtimes, copyKey);
    await h.wait(300_000);
    expect(copy()).toBeUndefined();
    expect(h.gardener.client.peekAll(shoots).map(({ metadata }) => metadata.name)).toEqual([SHOOT]);
    expect(owned()).toEqual(before);
    expect(h.shown('Configured')).toMatch(/^Ready True/);
    expect(writes() - written).toBeLessThan(20);
  });

  test('keeps nothing of the other from its deletion', async () => {
    await ready();
    await h.client.otherProgram().create(runtimes, copyOf(shoot, runtimeId));
    await h.wait(60_000);
    const { shoot: uid } = owned();
    await h.delete();
    await h.wait(300_000);
    expect(h.stored()).toBeUndefined();
    // The name is free now.
    expect(h.shoot()?.metadata.uid).not.toBe(uid);
    expect(shownOf(copy(), 'Configured')).toMatch(/^Ready True/);
  });
});

test('of two Runtimes that name one Shoot before it exists the older creates it', async () => {
  h = await startRuntimeHarness(startSimulatedGardener);
  const end = h.gardener.client.onRequest(({ verb, type }) => {
    if (verb === 'create' && type.kind === shoots.kind) throw apiError(503, 'ServiceUnavailable', 'away');
  });
  await h.create(runtimeOf());
  await h.wait(2000);
  await h.client.otherProgram().create(runtimes, copyOf(SHOOT, 'runtime-2'));
  await h.wait(2000);
  expect(shownOf(copy())).toMatch(/ShootNotOwned/);
  end();
  await h.wait(120_000);
  expect(h.shown('Configured')).toMatch(/^Ready True/);
  expect(shownOf(copy())).toMatch(/ShootNotOwned/);
});

test('of two Runtimes that name one Shoot before it exists the younger goes at once, and leaves what is stored for the Shoot', async () => {
  h = await startRuntimeHarness(startSimulatedGardener);
  const end = h.gardener.client.onRequest(({ verb, type }) => {
    if (verb === 'create' && type.kind === shoots.kind) throw apiError(503, 'ServiceUnavailable', 'away');
  });
  const configs = () => h.gardener.client.peekAll(configMaps).map(({ metadata }) => metadata.uid);
  await h.create(runtimeOf());
  await h.wait(2000);
  const before = configs();
  expect(before).not.toEqual([]);
  const { metadata, ...younger } = copyOf(SHOOT, 'runtime-2');
  // It named another Shoot before, or was restored from a backup.
  const finalizers = [finalizer];
  await h.client.otherProgram().create(runtimes, { ...younger, metadata: { ...metadata, finalizers } });
  await h.wait(2000);
  expect(shownOf(copy())).toMatch(/ShootNotOwned/);
  await h.restart();
  await h.client.otherProgram().delete(runtimes, copyKey);
  await h.wait(10_000);
  expect([copy(), configs()]).toEqual([undefined, before]);
  end();
});

test('a GardenerCluster that goes while its deletion is requested is no failure of the deletion', async () => {
  await ready();
  let left = 1;
  h.client.onRequest(({ verb, type }) => {
    if (verb === 'delete' && type.kind === gardenerClusters.kind && left-- > 0)
      throw apiError(404, 'NotFound');
  });
  await h.delete();
  await h.wait(600_000);
  expect([left, h.stored()]).toEqual([-1, undefined]);
  expect(h.statuses().filter((status) => status.includes('Deprovisioned=False'))).toEqual([]);
});

test('of two Runtimes that are there before either was looked at the older creates the Shoot they name', async () => {
  h = await startRuntimeHarness(startSimulatedGardener);
  const at = (runtime: Runtime, creationTimestamp: string) => ({
    ...runtime,
    metadata: { ...runtime.metadata, creationTimestamp },
  });
  h.client.seed(runtimes, at(copyOf(SHOOT, 'runtime-2'), '2023-01-02T00:00:00Z'));
  h.client.seed(runtimes, at(runtimeOf(), '2023-01-01T00:00:00Z'));
  await h.wait(120_000);
  expect(h.shown('Configured')).toMatch(/^Ready True/);
  expect(shownOf(copy())).toMatch(/ShootNotOwned/);
});

test('a copy does not get the Shoot by the ID that the Runtime of the Shoot had for a moment', async () => {
  await ready();
  const { shoot } = owned();
  h.client.onRequest(({ verb, type }) => {
    if (verb === 'create' && type.kind === gardenerClusters.kind)
      throw apiError(503, 'ServiceUnavailable', 'away');
  });
  await h.patch({ metadata: { labels: { [labels.runtimeId]: 'runtime-2' } } });
  await h.wait(60_000);
  expect(owned()).toMatchObject({ shoot, id: 'runtime-2' });
  await h.patch({ metadata: { labels: { [labels.runtimeId]: null } } });
  await h.client.otherProgram().create(runtimes, copyOf(SHOOT, 'runtime-2'));
  await h.wait(60_000);
  expect(shownOf(copy())).toMatch(/^Failed False ShootNotOwned /);
  await h.client.otherProgram().delete(runtimes, copyKey);
  await h.wait(300_000);
  expect([copy(), owned().shoot]).toEqual([undefined, shoot]);
});

test.each([
  ['changed', 'other'],
  ['removed', null],
])(
  'the label %s after the creation: GardenerClusters and kubeconfigs go with the Runtime',
  async (_what, id) => {
    await ready();
    await h.patch({ metadata: { labels: { [labels.runtimeId]: id } } });
    await h.wait(60_000);
    await h.delete();
    await h.wait(300_000);
    expect(h.stored()).toBeUndefined();
    expect([h.shoot(), h.client.peekAll(gardenerClusters), h.client.peekAll(secrets)]).toEqual([
      undefined,
      [],
      [],
    ]);
  },
);

describe('the GardenerCluster of a former ID', () => {
  const namesOf = () => [
    h.client.peekAll(gardenerClusters).map(({ metadata: { name } }) => name),
    h.client.peekAll(secrets).map(({ metadata: { name } }) => name),
  ];
  const label = async (id: string) => {
    await h.patch({ metadata: { labels: { [labels.runtimeId]: id } } });
    await h.wait(120_000);
  };

  test('goes with its kubeconfig when the label is corrected, and another Runtime gets the ID', async () => {
    await ready();
    const before = owned();
    await label('runtime-2');
    await h.client.otherProgram().create(runtimes, copyOf('two', 'runtime-2'));
    await h.wait(60_000);
    expect(shownOf(copy(), 'KubeconfigReady')).toMatch(/runtime-id must differ$/);
    await label('runtime-1');
    await h.wait(120_000);
    expect(shownOf(copy(), 'Configured')).toMatch(/^Ready True/);
    expect(h.shown('Configured')).toMatch(/^Ready True/);
    expect(owned()).toEqual(before);
    expect(namesOf()).toEqual([
      ['runtime-1', 'runtime-2'],
      ['kubeconfig-runtime-1', 'kubeconfig-runtime-2'],
    ]);
  });

  test('stays if the Runtime has that name: the other label is probably a mistake', async () => {
    await ready();
    const before = owned();
    await label('runtime-2');
    await label('runtime-3');
    await h.wait(3_600_000);
    expect(namesOf()[0]).toEqual(['runtime-1', 'runtime-3']);
    expect(owned()).toEqual({ ...before, id: 'runtime-3' });
  });

  test('stays while the Shoot has that ID, by which its owner is found', async () => {
    await ready();
    await label('runtime-2');
    const suspended = { [annotationSuspendPatch]: 'true' };
    await h.patch({ metadata: { annotations: suspended } });
    await label('runtime-3');
    await h.wait(3_600_000);
    expect(namesOf()[0]).toEqual(['runtime-1', 'runtime-2', 'runtime-3']);
  });

  test('stays if it is not recorded as that of this Runtime', async () => {
    await ready();
    await label('runtime-2');
    const annotations = { [annotationRuntime]: null };
    await h.client.otherProgram().mergePatch(gardenerClusters, copyKey, { metadata: { annotations } });
    await label('runtime-1');
    await h.wait(3_600_000);
    expect(namesOf()[0]).toEqual(['runtime-1', 'runtime-2']);
  });
});

test('objects of the Kyma infrastructure manager, which has no records, go with their Runtime', async () => {
  await ready();
  const annotations = { [annotationRuntime]: null };
  await h.client.otherProgram().mergePatch(gardenerClusters, key, { metadata: { annotations } });
  await h.client.otherProgram().create(runtimes, copyOf(SHOOT, 'runtime-2'));
  await h.restart();
  await h.wait(60_000);
  expect(shownOf(copy())).toMatch(/ShootNotOwned/);
  await h.client.otherProgram().delete(runtimes, copyKey);
  await h.delete();
  await h.wait(300_000);
  expect([h.stored(), h.shoot(), h.client.peekAll(gardenerClusters)]).toEqual([undefined, undefined, []]);
});

test('a copy of a GardenerCluster has no owner: it stays when the Runtime is deleted', async () => {
  await ready();
  const { metadata, spec, apiVersion, kind } = h.client.peek(gardenerClusters, key) as GardenerCluster;
  const { labels: given = {}, annotations = {} } = metadata;
  const at = { namespace: NAMESPACE, name: 'copy' };
  const secret = { ...spec.kubeconfig.secret, name: 'kubeconfig-copy' };
  await h.client.otherProgram().create(gardenerClusters, {
    apiVersion,
    kind,
    metadata: { ...at, labels: given, annotations },
    spec: { ...spec, kubeconfig: { secret } },
  });
  await h.delete();
  await h.wait(300_000);
  expect([h.stored(), h.shoot()]).toEqual([undefined, undefined]);
  expect(h.client.peekAll(gardenerClusters).map(({ metadata: { name } }) => name)).toEqual(['copy']);
});

test('a Runtime that is restored from a backup adopts what belonged to it', async () => {
  await ready();
  const { metadata, spec } = h.stored() ?? runtimeOf();
  const before = owned();
  // As with a control plane that is lost: nothing is deleted by the program.
  await h.client.otherProgram().mergePatch(runtimes, key, { metadata: { finalizers: null } });
  await h.client.otherProgram().delete(runtimes, key);
  const { labels: own = {}, name, namespace } = metadata;
  await h.create({
    ...runtimeOf(),
    metadata: { name, namespace: namespace ?? '', labels: own },
    ...(spec && { spec }),
  });
  await h.restart();
  await h.wait(60_000);
  expect(h.shown('Configured')).toMatch(/^Ready True/);
  expect(owned()).toEqual(before);
  expect(h.client.peek(gardenerClusters, key)?.metadata.annotations?.[annotationRuntime]).toBe(
    `${NAMESPACE}/runtime-1/${h.stored()?.metadata.uid} ${NAMESPACE}/runtime-1`,
  );
  await h.delete();
  await h.wait(300_000);
  expect([h.stored(), h.shoot(), h.client.peekAll(gardenerClusters)]).toEqual([undefined, undefined, []]);
});

test('a Runtime that is restored with an older spec changes its Shoot to that', async () => {
  await ready();
  expect(h.shoot()?.spec?.purpose).toBe('development');
  await h.client.otherProgram().mergePatch(runtimes, key, { metadata: { finalizers: null } });
  await h.client.otherProgram().delete(runtimes, key);
  await h.create(runtimeOf({ purpose: 'production' }));
  await h.wait(120_000);
  expect(h.shown('Configured')).toMatch(/^Ready True/);
  expect(h.shoot()?.spec?.purpose).toBe('production');
});

test('a Shoot of a Runtime elsewhere is neither adopted nor deleted', async () => {
  h = await startRuntimeHarness(startSimulatedGardener);
  await h.create(runtimeOf());
  await h.wait(10);
  const shoot = { namespace: h.gardener.namespace, name: SHOOT };
  await h.gardener.client.otherProgram().mergePatch(shoots, shoot, {
    metadata: { annotations: { [annotationRuntimeId]: 'of-another-landscape' } },
  });
  await h.client.otherProgram().mergePatch(runtimes, key, { metadata: { finalizers: null } });
  await h.client.otherProgram().delete(runtimes, key);
  await h.client
    .otherProgram()
    .delete(gardenerClusters, key)
    .catch(() => undefined);
  const uid = h.shoot()?.metadata.uid;
  await h.create(runtimeOf());
  await h.wait(60_000);
  expect(h.shown()).toMatch(/ShootNotOwned .*it belongs to Runtime with the ID of-another-landscape/);
  await h.delete();
  await h.wait(300_000);
  expect([h.stored(), h.shoot()?.metadata.uid]).toEqual([undefined, uid]);
});

describe('a Shoot that is not found', () => {
  test('by a 404 of a gateway is no proof: the deletion waits, and says why', async () => {
    await ready();
    const uid = h.shoot()?.metadata.uid;
    let isAway = true;
    h.gardener.client.onRequest(({ verb, type }) => {
      if (isAway && type.kind === shoots.kind && verb !== 'watch')
        throw apiError(404, '', 'no route to the backend');
    });
    await h.delete();
    await h.wait(120_000);
    expect(h.shoot()?.metadata.uid).toBe(uid);
    expect(h.shown('Deprovisioned')).toMatch(/cannot tell whether Shoot garden-kyma\/one on .* is deleted/);
    isAway = false;
    await h.wait(300_000);
    expect([h.stored(), h.shoot()]).toEqual([undefined, undefined]);
  });

  test.each([false, true])(
    'after a create without an answer, which followed a refused one, may still come (restarted: %s)',
    async (isRestarted) => {
      h = await startRuntimeHarness(startSimulatedGardener);
      let answer: 'refused' | 'lost' | undefined = 'refused';
      let body: unknown;
      h.gardener.client.onRequest((request) => {
        if (
          request.verb !== 'create' ||
          request.type.kind !== shoots.kind ||
          request.subresource !== undefined
        )
          return;
        if (answer === 'refused') throw apiError(422, 'Invalid', 'spec.x: invalid');
        if (answer !== 'lost') return;
        body = request.body;
        throw new ProviderError('transient', 'timed out after 3 s: a request to Gardener');
      });
      await h.create(runtimeOf());
      await h.wait(2000);
      expect(h.shown()).toMatch(/^Pending False GardenerErr/);
      answer = 'lost';
      await h.patch({ spec: { shoot: { purpose: 'evaluation' } } });
      await h.wait(5000);
      await h.delete();
      if (isRestarted) await h.restart();
      await h.wait(5000);
      expect(h.stored()).toBeDefined();
      answer = undefined;
      await h.gardener.client.otherProgram().create(shoots, body as never);
      await h.wait(200_000);
      expect([h.stored(), h.shoot()]).toEqual([undefined, undefined]);
    },
  );

  test('of a Runtime whose create was refused: its deletion ends at once', async () => {
    h = await startRuntimeHarness(startSimulatedGardener);
    h.gardener.client.onRequest(({ verb, type }) => {
      if (verb === 'create' && type.kind === shoots.kind) throw apiError(422, 'Invalid', 'spec.x: invalid');
    });
    await h.create(runtimeOf());
    await h.wait(2000);
    await h.delete();
    await h.wait(1000);
    expect(h.stored()).toBeUndefined();
  });
});
