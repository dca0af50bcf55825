/** What a change of a Runtime, of its Shoot or of the configuration makes of the Shoot, and what the Runtime shows meanwhile. */

import { afterEach, describe, expect, test } from '@jest/globals';
import { type Shoot, shoots, type Worker } from '../../../../apis/gardener/kinds.ts';
import { gardenerClusters } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { outcomes } from '../../../../test/simulators/gardener/gardenlet/stages.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../../test/simulators/gardener/simulated-gardener.ts';
import { apiError } from '../../../framework/kube/fakes/memory-client.ts';
import { configMaps, secrets } from '../../../framework/kube/index.ts';
import { annotationAppliedFields } from '../gardener/shoot-fields.ts';
import { configurationOf } from '../rendering/fixtures/rendering.fixture.ts';
import { createShootRendering } from '../rendering/shoot-rendering.ts';
import { openIdConnectType } from './cluster/access.ts';
import { createdRuntime, stopWithoutErrors } from './fixtures/created-runtime.fixture.ts';
import { runtimeOf, SHOOT, worker } from './fixtures/runtime.fixture.ts';
import {
  type RuntimeHarness,
  type RuntimeHarnessOptions,
  startRuntimeHarness,
} from './fixtures/runtime-harness.fixture.ts';

let h: RuntimeHarness<SimulatedGardener>;
afterEach(() => stopWithoutErrors(h));

async function ready(runtime = runtimeOf(), options: RuntimeHarnessOptions = {}): Promise<void> {
  h = await createdRuntime(startSimulatedGardener, { ...options, runtime });
  expect(h.shown()).toMatch(/^Ready True ShootCreationCompleted/);
}

const key = () => ({ namespace: h.gardener.namespace, name: SHOOT });
const byOthers = (spec: object) => h.gardener.client.otherProgram().mergePatch(shoots, key(), { spec });
const writesOfShoots = () =>
  h.gardener.client.requests.filter(
    ({ verb, type, subresource }) =>
      type.kind === 'Shoot' && subresource === undefined && !['get', 'list', 'watch'].includes(verb),
  ).length;
const withPool = (more: Partial<Worker> = {}) => ({
  provider: { type: 'aws' as const, workers: [worker(more)] },
});
const pool = () => h.shoot()?.spec?.provider.workers?.[0];
describe('fields that are taken out of a Runtime go from its Shoot', () => {
  const annotations = { a: 'b' };
  const clusterAutoscaler = { maxNodeProvisionTime: '10m0s' };
  const full = {
    annotations,
    labels: annotations,
    taints: [{ key: 'a', effect: 'NoSchedule' }],
    clusterAutoscaler,
  };

  test.each([
    ['of this version', async () => undefined],
    [
      'of a version before, which wrote no record',
      async () => {
        const metadata = { annotations: { [annotationAppliedFields]: null } };
        await h.gardener.client.otherProgram().mergePatch(shoots, key(), { metadata });
      },
    ],
  ])('[N26] %s', async (_, prepare) => {
    await ready(runtimeOf(withPool(full)));
    expect(pool()).toMatchObject(full);
    await prepare();
    const before = writesOfShoots();
    await h.wait(600_000);
    await h.restart();
    await h.wait(600_000);
    expect(writesOfShoots()).toBe(before);
    await h.patch({ spec: { shoot: withPool() } });
    await h.wait(10_000);
    for (const field of Object.keys(full)) expect(pool()).not.toHaveProperty(field);
    expect(h.shown()).toMatch(/^Ready True ConfigurationCompleted/);
  });

  test('of the kind of licence', async () => {
    const licence = 'infrastructuremanager.kyma-project.io/licence-type';
    await ready(runtimeOf({ licenceType: 'TestDevelopmentAndDemo' }));
    expect(h.shoot()?.metadata.annotations).toHaveProperty([licence]);
    await h.patch({ spec: { shoot: { licenceType: null } } });
    await h.wait(10_000);
    expect(h.shoot()?.metadata.annotations).not.toHaveProperty([licence]);
  });

  test('but not what others set', async () => {
    await ready(runtimeOf(withPool(full)));
    const theirs = { ...pool(), labels: { ...annotations, theirs: 'x' }, priority: 3 };
    await byOthers({ provider: { workers: [theirs] }, hibernation: { enabled: true } });
    await h.patch({ spec: { shoot: withPool() } });
    await h.wait(10_000);
    expect(pool()).toMatchObject({ labels: { theirs: 'x' }, priority: 3 });
    expect(h.shoot()?.spec?.hibernation).toEqual({ enabled: true });
  });
});

describe('a Shoot that its owner or Gardener has moved away from a field', () => {
  const cases: readonly [string, object, object][] = [
    [
      'to a CredentialsBinding',
      { secretBindingName: null, credentialsBindingName: 'theirs' },
      { credentialsBindingName: 'theirs' },
    ],
    [
      'to structured authentication of its own',
      {
        kubernetes: {
          kubeAPIServer: { structuredAuthentication: { configMapName: 'theirs' } },
        },
      },
      { kubernetes: { kubeAPIServer: { structuredAuthentication: { configMapName: 'theirs' } } } },
    ],
    [
      'to a newer version of Kubernetes',
      { kubernetes: { version: '1.32.2' } },
      { kubernetes: { version: '1.32.2' } },
    ],
    [
      'to another catalog',
      { cloudProfileName: null, cloudProfile: { kind: 'NamespacedCloudProfile', name: 'theirs' } },
      { cloudProfile: { kind: 'NamespacedCloudProfile', name: 'theirs' } },
    ],
  ];
  test.each(cases)('%s keeps it, and the Runtime goes on', async (_, change, kept) => {
    await ready();
    const before = writesOfShoots();
    await byOthers(change);
    await h.wait(600_000);
    expect(writesOfShoots()).toBe(before);
    await h.patch({ spec: { shoot: withPool({ maximum: 7 }) } });
    await h.wait(10_000);
    expect(pool()?.maximum).toBe(7);
    expect(h.shoot()?.spec).toMatchObject(kept);
    expect(h.statuses().filter((status) => status.startsWith('Failed'))).toEqual([]);
    expect(h.stored()?.status?.state).toBe('Ready');
  });
});

test('a refused correction of drift is shown with its owner and not sent again, later changes are, and the state stays', async () => {
  await ready();
  let refused = 0;
  h.gardener.client.onRequest(({ verb, type, body }) => {
    if (verb !== 'update' || type.kind !== 'Shoot' || (body as Shoot).spec?.purpose === 'evaluation') return;
    refused++;
    throw apiError(422, 'Invalid', 'spec.purpose: the quota has no other');
  });
  await byOthers({ purpose: 'evaluation' });
  await h.wait(600_000);
  expect(refused).toBe(1);
  expect(h.shown('DriftCorrected')).toMatch(
    /^Ready False DriftRefused Gardener refused to correct the Shoot: spec\.purpose( \(owned by .+\))?: .*has no other/,
  );
  await h.patch({ spec: { shoot: withPool({ maximum: 7 }) } });
  await h.wait(10_000);
  expect([refused, pool()?.maximum, h.shoot()?.spec?.purpose]).toEqual([2, 7, 'evaluation']);
  expect(h.stored()?.status?.state).toBe('Ready');
  expect(h.statuses().filter((status) => status.startsWith('Failed'))).toEqual([]);
  await byOthers({ purpose: 'development' });
  await h.wait(120_000);
  expect(h.shown('DriftCorrected')).toBeUndefined();
});

test('a refused correction of drift is tried again within two hours: what refused it may be gone', async () => {
  await ready();
  let refuses = true;
  h.gardener.client.onRequest(({ verb, type }) => {
    if (refuses && verb === 'update' && type.kind === 'Shoot') throw apiError(422, 'Invalid', 'not now');
  });
  await byOthers({ purpose: 'evaluation' });
  await h.wait(60_000);
  expect(h.shown('DriftCorrected')).toMatch(/not now$/);
  refuses = false;
  await h.wait(7_200_000);
  expect([h.shoot()?.spec?.purpose, h.shown('DriftCorrected')]).toEqual(['development', undefined]);
});

test('a change that Gardener refuses is Failed although others changed the Shoot too', async () => {
  await ready();
  await byOthers({ purpose: 'evaluation' });
  h.gardener.client.onRequest(({ verb, type }) => {
    if (verb === 'update' && type.kind === 'Shoot') throw apiError(422, 'Invalid', 'maximum: too many');
  });
  await h.patch({ spec: { shoot: withPool({ maximum: 7 }) } });
  await h.wait(120_000);
  expect(h.shown()).toMatch(/^Failed False ProcessingErr Gardener API shoot update error: .*too many/);
});

test('what Gardener stores in a form of its own is sent once', async () => {
  await ready();
  h.gardener.client.onRequest(({ verb, type, body }) => {
    if (verb === 'update' && type.kind === 'Shoot')
      (body as { spec: { purpose: string } }).spec.purpose = 'testing';
  });
  await h.patch({ spec: { shoot: { purpose: 'evaluation' } } });
  await h.wait(10_000);
  const before = writesOfShoots();
  await h.wait(600_000);
  expect([writesOfShoots() - before, h.stored()?.status?.state]).toEqual([0, 'Ready']);
});

test('a Runtime of another account has its labels on Shoot, GardenerCluster and Secret, without a new generation', async () => {
  await ready();
  const generation = h.shoot()?.metadata.generation;
  await h.patch({ metadata: { labels: { 'kyma-project.io/global-account-id': 'account-2' } } });
  await h.wait(10_000);
  expect(h.shoot()?.metadata).toMatchObject({ generation, labels: { account: 'account-2' } });
  const accounts = [...h.client.peekAll(gardenerClusters), ...h.client.peekAll(secrets)].map(
    ({ metadata }) => metadata.labels?.['kyma-project.io/global-account-id'],
  );
  expect(accounts).toEqual(['account-2', 'account-2']);
  const [info] = h.runtime.peekAll(configMaps);
  expect(info?.data?.details).toContain('globalAccountID: account-2');
  await h.gardener.client
    .otherProgram()
    .mergePatch(shoots, key(), { metadata: { labels: { account: 'x' } } });
  await h.wait(120_000);
  expect(h.shoot()?.metadata.labels?.account).toBe('account-2');
  expect(h.stored()?.status?.state).toBe('Ready');
});

describe('the ConfigMap with the authentication configuration', () => {
  const stored = () =>
    h.gardener.client
      .peekAll(configMaps)
      .filter(({ metadata }) => metadata.name.startsWith('structured-auth-config'));

  const others = () => h.gardener.client.otherProgram();

  test.each([
    ['', []],
    ['; also if a request fails in between', [503]],
    ['; also if Gardener refuses the Shoot in between', [422]],
  ])('follows a changed configuration, and Gardener reads it again%s', async (_, refusals) => {
    const withIssuer = (issuerURL: string) => {
      const { converter, ...others } = configurationOf();
      const defaultOperatorOidc = { ...converter.kubernetes.defaultOperatorOidc, issuerURL };
      return {
        ...others,
        converter: { ...converter, kubernetes: { ...converter.kubernetes, defaultOperatorOidc } },
      };
    };
    let configuration = withIssuer('https://first.example.org');
    let revision = 0;
    let changed: () => void = () => undefined;
    const source = { current: () => configuration, revision: () => revision };
    await ready(runtimeOf(), {
      rendering: createShootRendering(source),
      onConfigurationChange: (listener) => {
        changed = listener;
        return () => undefined;
      },
    });
    const generation = h.shoot()?.metadata.generation ?? 0;
    const left = [...refusals];
    h.gardener.client.onRequest(({ verb, type, subresource }) => {
      if (verb !== 'update' || type.kind !== 'Shoot' || subresource !== undefined) return;
      const status = left.shift();
      if (status !== undefined) throw apiError(status, 'Refused', 'not now');
    });
    configuration = withIssuer('https://second.example.org');
    revision++;
    changed();
    await h.wait(600_000);
    expect(stored()[0]?.data?.['config.yaml']).toContain('https://second.example.org');
    expect(h.shoot()?.metadata.generation).toBe(generation + 1);
    const before = writesOfShoots();
    await h.restart();
    await h.wait(600_000);
    expect(writesOfShoots()).toBe(before);
  });

  test.each([
    ['edited', (of: ReturnType<typeof stored>[0]) => others().update(configMaps, { ...of, data: { x: '' } })],
    ['deleted', ({ metadata }: ReturnType<typeof stored>[0]) => others().delete(configMaps, metadata)],
  ])('that others have %s is put right, while the Runtime is Ready', async (_what, change) => {
    await ready();
    const [config] = stored();
    if (config === undefined) throw new Error('no ConfigMap');
    const before = writesOfShoots();
    await h.wait(120_000);
    expect(writesOfShoots()).toBe(before);
    await change(config);
    await h.wait(120_000);
    expect(stored().map(({ data }) => data)).toEqual([config.data]);
    expect(h.stored()?.status?.state).toBe('Ready');
    const written = writesOfShoots();
    await h.wait(600_000);
    expect(writesOfShoots()).toBe(written);
  });

  const operation = 'gardener.cloud/operation';
  const oidcConfig = { issuerURL: 'https://other.example.org', clientID: 'c' };
  const withIssuer = { spec: { shoot: { kubernetes: { kubeAPIServer: { oidcConfig } } } } };
  /** The operations that updates of the Shoot have asked for since. */
  const asked = () => {
    const found: (string | undefined)[] = [];
    h.gardener.client.onRequest(({ verb, type, subresource, body }) => {
      if (verb === 'update' && type.kind === 'Shoot' && subresource === undefined)
        found.push((body as Shoot).metadata.annotations?.[operation]);
    });
    return found;
  };

  test.each([
    ['rotate-credentials-start', 'rotate-credentials-start'],
    ['maintain; rollout-workers=*', 'maintain; rollout-workers=*'],
    ['maintain', 'reconcile'],
  ])(
    'is read again without the loss of an operation that its owner has asked for: %s',
    async (given, wanted) => {
      await ready();
      const generation = h.shoot()?.metadata.generation ?? 0;
      await others().mergePatch(shoots, key(), { metadata: { annotations: { [operation]: given } } });
      const found = asked();
      await h.patch(withIssuer);
      await h.wait(120_000);
      expect(found).toEqual([wanted]);
      expect(h.shoot()?.metadata.generation).toBeGreaterThan(generation);
    },
  );

  test('is read again by a Shoot whose operation has failed, maybe because of it', async () => {
    await ready();
    const lastOperation = { ...h.shoot()?.status?.lastOperation, type: 'Reconcile', state: 'Failed' };
    const status = { lastOperation, lastErrors: [{ description: 'kube-apiserver is not ready' }] };
    await others().mergePatch(shoots, key(), { status }, { subresource: 'status' });
    await h.wait(60_000);
    const found = asked();
    await h.patch(withIssuer);
    await h.wait(600_000);
    expect([found, h.stored()?.status?.state]).toEqual([['retry'], 'Ready']);
  });

  test('of a Shoot that Gardener refused goes with the Runtime', async () => {
    h = await startRuntimeHarness(startSimulatedGardener);
    h.gardener.client.onRequest(({ verb, type, subresource }) => {
      if (verb === 'create' && type.kind === 'Shoot' && subresource === undefined)
        throw apiError(422, 'Invalid', 'why');
    });
    await h.create(runtimeOf());
    await h.wait();
    expect(stored()).toHaveLength(1);
    await h.delete();
    await h.wait(120_000);
    expect([h.stored(), stored()]).toEqual([undefined, []]);
  });
});

test('a change is one request of the Shoot to read it and one to write it, and a status before it and at its end: two requests to the control plane, one to its cluster, and no event', async () => {
  await ready();
  const inCluster = h.runtime.requests.length;
  const writes = writesOfShoots();
  const before = h.statuses().length;
  const events = h.recorder.events.length;
  const requests = h.client.requests.length;
  await h.patch({
    spec: { shoot: { purpose: 'production' } },
  });
  await h.wait(60_000);
  expect(h.stored()?.status?.state).toBe('Ready');
  const asked = h.runtime.requests.slice(inCluster).map(({ verb, type }) => `${verb} ${type.kind}`);
  expect(asked).toEqual(['patch ConfigMap']);
  expect(writesOfShoots()).toBe(writes + 1);
  expect(h.statuses().slice(before)).toEqual([
    'Pending Provisioned=Unknown Processing',
    'Ready Provisioned=True ConfigurationCompleted',
  ]);
  const sent = h.client.requests.slice(requests).map(({ verb, type }) => `${verb} ${type.kind}`);
  expect(sent).toEqual(['update Runtime', 'update Runtime']);
  expect(h.recorder.events.length).toBe(events);
});

test('a configuration that changes while a Shoot is patched, or its cluster configured, is not lost', async () => {
  const sourceOf = (n: number) => {
    const { converter, cluster, ...others } = configurationOf();
    const { defaultSharedIASTenant } = cluster;
    const kubernetes = { ...converter.kubernetes, enableKubernetesVersionAutoUpdate: n % 2 === 1 };
    const tenant = { ...defaultSharedIASTenant, issuerURL: `https://issuer-${n}.example.org` };
    return {
      ...others,
      converter: { ...converter, kubernetes },
      cluster: { defaultSharedIASTenant: tenant },
    };
  };
  let n = 0;
  let listener: () => void = () => undefined;
  const change = () => {
    n++;
    listener();
  };
  await ready(runtimeOf(), {
    rendering: createShootRendering({ current: () => sourceOf(n), revision: () => n }),
    onConfigurationChange: (given) => {
      listener = given;
      return () => undefined;
    },
  });
  const isUpdated = () => h.shoot()?.spec?.maintenance?.autoUpdate?.kubernetesVersion;
  const issuer = () => h.runtime.peekAll(openIdConnectType).map(({ spec }) => spec?.issuerURL);
  let left = 1;
  h.gardener.client.onRequest(({ verb, type }) => {
    if (verb === 'update' && type.kind === 'Shoot' && left-- > 0) change();
  });
  await h.patch({ spec: { shoot: withPool({ maximum: 7 }) } });
  await h.wait(120_000);
  expect([pool()?.maximum, isUpdated(), issuer()]).toEqual([7, true, ['https://issuer-1.example.org']]);
  let bindings = 1;
  h.runtime.onRequest(({ type }) => {
    if (type.kind === 'ClusterRoleBinding' && bindings-- > 0) change();
  });
  await h.patch({ spec: { security: { administrators: ['b@example.org'] } } });
  await h.wait(120_000);
  expect([isUpdated(), issuer()]).toEqual([false, ['https://issuer-2.example.org']]);
});

test('an annotation that selects another audit policy counts without a new generation', async () => {
  await ready();
  const policy = () =>
    h.shoot()?.spec?.kubernetes.kubeAPIServer?.auditConfig?.auditPolicy?.configMapRef?.name;
  const before = policy();
  const annotation = 'operator.kyma-project.io/experimental-audit-policy';
  await h.patch({ metadata: { annotations: { [annotation]: 'true' } } });
  await h.wait(120_000);
  expect(policy()).toBe('experimental-audit-policy');
  await h.patch({ metadata: { annotations: { [annotation]: null } } });
  await h.wait(120_000);
  expect([policy(), h.stored()?.status?.state]).toEqual([before, 'Ready']);
});

test('[N29] when bindings become CredentialsBindings, a Shoot moves to the one of the same name by one write', async () => {
  let enableCredentialBinding = false;
  let revision = 0;
  let changed: () => void = () => undefined;
  const source = {
    current: () => configurationOf({ gardener: { projectName: 'kyma', enableCredentialBinding } }),
    revision: () => revision,
  };
  await ready(runtimeOf(), {
    rendering: createShootRendering(source),
    onConfigurationChange: (listener) => {
      changed = listener;
      return () => undefined;
    },
  });
  const before = writesOfShoots();
  enableCredentialBinding = true;
  revision++;
  changed();
  await h.wait(60_000);
  expect(h.shoot()?.spec).toMatchObject({ credentialsBindingName: 'aws-binding' });
  expect(h.shoot()?.spec).not.toHaveProperty('secretBindingName');
  expect(writesOfShoots()).toBe(before + 1);
  await h.wait(600_000);
  expect(writesOfShoots()).toBe(before + 1);
});

describe('the state is true', () => {
  test('a Runtime is Pending before its change is sent, also for changes that concern only its cluster', async () => {
    await ready();
    const states: (string | undefined)[] = [];
    h.gardener.client.onRequest(({ verb, type }) => {
      if (verb === 'update' && type.kind === 'Shoot') states.push(h.stored()?.status?.state);
    });
    await h.patch({ spec: { shoot: withPool({ maximum: 7 }) } });
    await h.wait(10_000);
    let isDown = true;
    h.runtime.onRequest(() => {
      if (isDown) throw apiError(503, 'Unavailable');
    });
    await h.patch({ spec: { security: { administrators: ['other@example.org'] } } });
    await h.wait(600_000);
    expect(h.stored()?.status?.state).toBe('Pending');
    isDown = false;
    await h.wait(600_000);
    expect([h.stored()?.status?.state, states]).toEqual(['Ready', ['Pending', 'Pending']]);
  });

  test('a change is not sent while the stored state is Ready, also if the first write of the status fails', async () => {
    await ready();
    const states: (string | undefined)[] = [];
    h.gardener.client.onRequest(({ verb, type }) => {
      if (verb === 'update' && type.kind === 'Shoot') states.push(h.stored()?.status?.state);
    });
    let fails = 1;
    h.client.onRequest(({ subresource, type }) => {
      if (subresource === 'status' && type.kind === 'Runtime' && fails-- > 0)
        throw apiError(503, 'ServiceUnavailable', 'down');
    });
    await h.patch({ spec: { shoot: withPool({ maximum: 7 }) } });
    await h.wait(60_000);
    expect([fails < 0, states]).toEqual([true, ['Pending']]);
  });

  test('why Gardener fails is shown for creations, changes and deletions, with codes, and once', async () => {
    h = await startRuntimeHarness(startSimulatedGardener);
    const fail = (operation: 'Create' | 'Reconcile' | 'Delete', code: string) =>
      h.gardener.gardenlet.rules.add({ on: { operation, first: 1 }, stages: outcomes.failed(code) });
    const shown = () => h.shown('ShootOperationSucceeded');
    const text = (operation: string, code: string) =>
      `False ShootErrors Gardener reports errors of the Shoot: ${operation} Failed: ${code}: 1) task "Waiting until shoot worker nodes have been reconciled" failed (${code})`;
    fail('Create', 'ERR_INFRA_UNAUTHORIZED');
    await h.create(runtimeOf());
    await h.wait();
    expect(h.shown()).toBe('Failed False CreationErr Shoot creation failed: ERR_INFRA_UNAUTHORIZED');
    expect(shown()).toBe(`Failed ${text('Create', 'ERR_INFRA_UNAUTHORIZED')}`);
    const before = [h.statuses().length, h.recorder.events.length, h.unexpectedStops];
    await h.wait(600_000);
    expect([h.statuses().length, h.recorder.events.length, h.unexpectedStops]).toEqual(before);
    await h.gardener.gardenlet.begin(SHOOT);
    await h.wait();
    expect([h.stored()?.status?.state, shown()]).toEqual(['Ready', undefined]);
    fail('Reconcile', 'ERR_INFRA_QUOTA_EXCEEDED');
    await h.patch({ spec: { shoot: withPool({ maximum: 7 }) } });
    await h.wait();
    expect(shown()).toBe(`Pending ${text('Reconcile', 'ERR_INFRA_QUOTA_EXCEEDED')}`);
    fail('Delete', 'ERR_CLEANUP_CLUSTER_RESOURCES');
    await h.delete();
    await h.wait(30_000);
    expect(shown()).toBe(`Terminating ${text('Delete', 'ERR_CLEANUP_CLUSTER_RESOURCES')}`);
  });

  test.each([
    ['Restore', 'Succeeded', 'Ready'],
    ['Restore', 'Processing', 'Pending'],
    ['Migrate', 'Succeeded', 'Pending'],
    ['Rehearse', 'Succeeded', 'Ready'],
    ['Rehearse', 'Error', 'Pending'],
  ])('an operation %s that is %s after a change', async (type, state, expected) => {
    await ready();
    h.gardener.gardenlet.stageMs = Number.POSITIVE_INFINITY;
    await h.patch({ spec: { shoot: withPool({ maximum: 7 }) } });
    const observedGeneration = h.shoot()?.metadata.generation;
    const lastOperation = { ...h.shoot()?.status?.lastOperation, type, state };
    const status = { observedGeneration, lastOperation };
    await h.gardener.client.otherProgram().mergePatch(shoots, key(), { status }, { subresource: 'status' });
    await h.wait(120_000);
    expect(h.stored()?.status?.state).toBe(expected);
  });

  test('a Runtime that cannot be rendered counts as one unexpected stop', async () => {
    h = await startRuntimeHarness(startSimulatedGardener);
    await h.create(runtimeOf({}, { labels: { 'kyma-project.io/runtime-id': 'runtime-1' } }));
    await h.wait(600_000);
    expect(h.shown()).toMatch(/^Failed False ConversionErr Runtime conversion error missing required label/);
    expect(h.unexpectedStops).toBe(1);
  });
});

test.each(['a/b', '..', '', 'A'])(
  'a Runtime whose Shoot cannot have its name says so, and can be deleted: %j',
  async (name) => {
    h = await startRuntimeHarness(startSimulatedGardener);
    await h.create(runtimeOf({ name }));
    await h.wait();
    expect(h.shown()).toMatch(
      /^Failed False ConversionErr Runtime conversion error spec\.shoot\.name: .* cannot be the name of a Shoot/,
    );
    await h.delete();
    await h.wait(120_000);
    expect(h.stored()).toBeUndefined();
  },
);

test('a create without a response, after one that was refused, leaves no Shoot of a deleted Runtime', async () => {
  h = await startRuntimeHarness(startSimulatedGardener);
  let answer: Error | undefined = apiError(422, 'Invalid', 'why');
  let body: unknown;
  h.gardener.client.onRequest((request) => {
    if (request.verb !== 'create' || request.type.kind !== 'Shoot' || answer === undefined) return;
    body = request.body;
    throw answer;
  });
  await h.create(runtimeOf());
  await h.wait(2000);
  answer = apiError(504, 'Timeout', 'too late');
  await h.patch({ spec: { shoot: { purpose: 'evaluation' } } });
  await h.wait();
  expect(h.shown()).toMatch(
    /^Pending Unknown Pending Retryable gardener errors during cluster provisioning: .*too late/,
  );
  await h.delete();
  await h.wait(5000);
  answer = undefined;
  await h.gardener.client.otherProgram().create(shoots, body as Shoot);
  await h.wait(200_000);
  expect([h.stored(), h.shoot()]).toEqual([undefined, undefined]);
});
