/** What is done for a Runtime whose Shoot is complete, by their numbers (test/scenarios.test.ts). */
import { afterEach, expect, test } from '@jest/globals';
import { shoots } from '../../../../../apis/gardener/kinds.ts';
import { gardenerClusters } from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import {
  type Runtime,
  runtimes,
} from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../../../test/simulators/gardener/simulated-gardener.ts';
import { apiError } from '../../../../framework/kube/fakes/memory-client.ts';
import { type KubeObject, secrets } from '../../../../framework/kube/index.ts';
import { type Owner, placedRecord } from '../../../../framework/ownership/ownership.ts';
import { annotationRuntime } from '../../gardenercluster/metadata.ts';
import { annotationForcePatch } from '../../metadata.ts';
import { configurationOf } from '../../rendering/fixtures/rendering.fixture.ts';
import { NAMESPACE, runtimeOf, SHOOT } from '../fixtures/runtime.fixture.ts';
import { type RuntimeHarness, startRuntimeHarness } from '../fixtures/runtime-harness.fixture.ts';
import { type ClusterRoleBinding, clusterRoleBindings, openIdConnectType } from './access.ts';

let h: RuntimeHarness<SimulatedGardener>;
afterEach(async () => {
  await h.stop();
  expect(h.gardener.errors).toEqual([]);
});

async function started(): Promise<void> {
  h = await startRuntimeHarness(startSimulatedGardener);
}

async function created(runtime: Runtime = runtimeOf()): Promise<void> {
  await started();
  await h.create(runtime);
  await h.wait();
}

const key = { namespace: NAMESPACE, name: 'runtime-1' };
const cluster = () => h.client.peek(gardenerClusters, key);
const issuers = () =>
  h.runtime.peekAll(openIdConnectType).map(({ metadata, spec }) => [metadata.name, spec?.issuerURL]);
const admins = () =>
  h.runtime.peekAll(clusterRoleBindings).flatMap(({ subjects = [] }) => subjects.map(({ name }) => name));
const runtimeWrites = () =>
  h.runtime.requests.filter(({ verb }) => !['get', 'list', 'watch'].includes(verb)).length;

test('[I10.2] [I27] a Runtime without a GardenerCluster gets one', async () => {
  await started();
  const end = h.gardener.client.onRequest(({ subresource }) => {
    if (subresource === 'adminkubeconfig') throw apiError(503, 'ServiceUnavailable', 'down');
  });
  await h.create(runtimeOf());
  await h.wait();
  expect(cluster()).toMatchObject({
    metadata: {
      labels: {
        'kyma-project.io/runtime-id': 'runtime-1',
        'kyma-project.io/platform-region': 'cf-eu10',
        'kyma-project.io/region': 'eu-central-1',
        'kyma-project.io/shoot-name': SHOOT,
        'operator.kyma-project.io/managed-by': 'infrastructure-manager',
        'operator.kyma-project.io/internal': 'true',
        'operator.kyma-project.io/kyma-name': 'kyma-1',
      },
      annotations: { 'skr-domain': `${SHOOT}.dev.example.org` },
    },
    spec: {
      shoot: { name: SHOOT },
      kubeconfig: { secret: { name: 'kubeconfig-runtime-1', namespace: NAMESPACE, key: 'config' } },
    },
  });
  // The condition of the Runtime says why it waits.
  expect(h.shown('KubeconfigReady')).toMatch(
    /^Pending Unknown GardenerClusterCRCreated Gardener Cluster CR created, waiting for readiness: Failed to get kubeconfig\. Error: .*down$/,
  );
  end();
  await h.wait(20_000);
  expect(h.shown('KubeconfigReady')).toBe('Ready True GardenerClusterCRReady Gardener Cluster CR is ready.');
});

test('[I28] a GardenerCluster that is not Ready is waited for, without a further write', async () => {
  await started();
  // So that only the test writes its state.
  h.client.onRequest(({ type, subresource }) => {
    if (type.kind === gardenerClusters.kind && subresource === 'status')
      throw apiError(503, 'ServiceUnavailable', 'not now');
  });
  await h.create(runtimeOf());
  await h.wait();
  const others = h.client.otherProgram();
  await others.mergePatch(gardenerClusters, key, { status: { state: 'Pending' } }, { subresource: 'status' });
  await h.wait();
  const before = h.statuses().length;
  await h.wait(120_000);
  expect(h.shown('KubeconfigReady')).toMatch(/^Pending Unknown GardenerClusterCRCreated /);
  expect(issuers()).toEqual([]);
  expect(h.statuses().length).toBe(before);
});

test('[I29] a Runtime whose kubeconfig is known to be ready has its cluster configured', async () => {
  await created();
  await h.patchStatus({ state: 'Pending' });
  const before = h.statuses().length;
  await h.patch({ spec: { security: { administrators: ['b@example.org'] } } });
  await h.wait();
  expect(admins()).toEqual(['b@example.org']);
  expect(h.statuses().slice(before)).not.toContain('Pending KubeconfigReady=True GardenerClusterCRReady');
});

test('[I30] a GardenerCluster that gets Ready is stored in the Runtime before its cluster is configured', async () => {
  await created();
  expect(h.statuses().slice(-2)).toEqual([
    'Pending KubeconfigReady=True GardenerClusterCRReady',
    'Ready Configured=True AdministratorsConfigured',
  ]);
  expect(h.shown('Configured')).toBe(
    'Ready True AdministratorsConfigured Cluster admin configuration completed',
  );
  expect(h.stored()?.status?.provisioningCompleted).toBe(true);
});
test('[I50] [I51] administrators get bindings once', async () => {
  await created();
  expect(admins()).toEqual(['admin@example.org']);
  const before = runtimeWrites();
  await h.restart();
  await h.wait(7_200_000);
  expect(runtimeWrites()).toBe(before);
  expect(h.shown('Configured')).toMatch(/^Ready True /);
});

test('changed administrators are the only ones', async () => {
  await created();
  await h.patch({ spec: { security: { administrators: ['b@example.org', 'c@example.org'] } } });
  await h.wait();
  expect(admins().sort()).toEqual(['b@example.org', 'c@example.org']);
  expect(h.shown('Configured')).toMatch(/^Ready True AdministratorsConfigured/);
});

test.each([
  [
    'Configured',
    'False ConfigurationError failed to update kubeconfig admin access',
    clusterRoleBindings.kind,
  ],
  [
    'OidcAndConfigMapConfigured',
    'Unknown OidcConfigurationErr Failed to create OpenIDConnect resource. Scheduling for retry',
    openIdConnectType.kind,
  ],
])(
  '[I10.4] [I10.5] [I52] a cluster that does not respond is shown as %s, and is no failure',
  async (type, shown, kind) => {
    await started();
    const end = h.runtime.onRequest((request) => {
      if (request.type.kind === kind) throw apiError(503, 'ServiceUnavailable', 'away');
    });
    await h.create(runtimeOf());
    await h.wait();
    expect(h.shown(type)).toMatch(new RegExp(`^Pending ${shown}: .*away$`));
    expect(h.statuses().filter((status) => status.startsWith('Failed'))).toEqual([]);
    end();
    await h.wait(120_000);
    expect(h.shown(type)).toMatch(/^Ready True /);
  },
);

test('a cluster that refuses its configuration leaves a new Runtime Pending, until it accepts it', async () => {
  await started();
  const end = h.runtime.onRequest(({ type, verb }) => {
    if (type.kind === openIdConnectType.kind && verb === 'apply') throw apiError(422, 'Invalid', 'no issuer');
  });
  await h.create(runtimeOf());
  await h.wait();
  expect(h.shown('OidcAndConfigMapConfigured')).toMatch(
    /^Pending False OidcConfigurationErr Failed to create OpenIDConnect resource. Scheduling for retry: .*no issuer$/,
  );
  const before = h.statuses().length;
  await h.wait(60_000);
  expect(h.statuses().length).toBe(before);
  end();
  await h.wait(300_000);
  expect(h.shown('OidcAndConfigMapConfigured')).toMatch(/^Ready True /);
});

test('what others change in the cluster is put right within an hour, and a cluster that is away keeps the Runtime Ready', async () => {
  await created();
  const [binding] = h.runtime.peekAll(clusterRoleBindings);
  const others = h.runtime.otherProgram();
  await others.delete(clusterRoleBindings, { name: binding?.metadata.name ?? '' });
  await others.mergePatch(openIdConnectType, { name: 'kyma-oidc-0' }, { spec: { clientID: 'of others' } });
  await h.wait(3_600_000);
  expect(admins()).toEqual(['admin@example.org']);
  expect(h.runtime.peekAll(openIdConnectType)[0]?.spec?.clientID).toBe(
    configurationOf().cluster.defaultSharedIASTenant.clientID,
  );
  const end = h.runtime.onRequest(() => {
    throw apiError(503, 'ServiceUnavailable', 'away');
  });
  await h.wait(3_600_000);
  expect(h.shown('OidcAndConfigMapConfigured')).toMatch(/^Ready Unknown ConfigMapErr .*: cannot .*away$/);
  const key = { namespace: h.gardener.namespace, name: SHOOT };
  const hibernates = (hibernated: boolean) =>
    h.gardener.client
      .otherProgram()
      .mergePatch(shoots, key, { status: { hibernated } }, { subresource: 'status' });
  await hibernates(true);
  await h.wait(600_000);
  expect(h.shown('OidcAndConfigMapConfigured')).toMatch(
    /^Ready Unknown .*: the Shoot is hibernated: .*away$/,
  );
  await hibernates(false);
  end();
  await h.wait(600_000);
  expect(h.shown('OidcAndConfigMapConfigured')).toMatch(/^Ready True /);
});

test('a change is applied to the cluster where it differs; a forced patch, and each hour, look at all', async () => {
  await created();
  const requestsOf = async (change: () => Promise<unknown>, ms = 60_000) => {
    const before = h.runtime.requests.length;
    await change();
    await h.wait(ms);
    return h.runtime.requests.slice(before).map(({ verb, type }) => `${verb} ${type.kind}`);
  };
  const others = h.runtime.otherProgram();
  await others.delete(clusterRoleBindings, { name: binding().metadata.name });
  const admin = (name: string) => ({ spec: { security: { administrators: [name] } } });
  expect(
    await requestsOf(() => h.patch({ metadata: { labels: { 'kyma-project.io/subaccount-id': 'moved' } } })),
  ).toEqual(['patch ConfigMap']);
  expect(await requestsOf(() => h.patch(admin('other@example.org')))).toEqual([
    'list ClusterRoleBinding',
    'create ClusterRoleBinding',
  ]);
  await others.delete(clusterRoleBindings, { name: binding().metadata.name });
  const forced = { metadata: { annotations: { [annotationForcePatch]: 'true' } } };
  await requestsOf(() => h.patch(forced));
  expect(admins()).toEqual(['other@example.org']);
  await others.delete(openIdConnectType, { name: 'kyma-oidc-0' });
  await requestsOf(() => h.patch(admin('third@example.org')), 3_600_000);
  expect(issuers()).toHaveLength(1);
  // Once, whenever each part was applied.
  const checked = await requestsOf(async () => undefined, 3_600_000);
  expect(checked.toSorted()).toEqual(['get ConfigMap', 'list ClusterRoleBinding', 'list OpenIDConnect']);
});

test('a cluster that lost the extension for issuers is checked once an hour, as others are', async () => {
  await created();
  const key = { namespace: h.gardener.namespace, name: SHOOT };
  const extensions = h
    .shoot()
    ?.spec?.extensions?.map((each) =>
      each.type === 'shoot-oidc-service' ? { ...each, disabled: true } : each,
    );
  await h.gardener.client.otherProgram().mergePatch(shoots, key, { spec: { extensions } });
  await h.wait(60_000);
  const before = h.runtime.requests.length;
  // With an hour's requests at once, the clock would not go on.
  h.runtime.onRequest(() => {
    if (h.runtime.requests.length - before > 100) throw apiError(404, 'NotFound', 'too many requests');
  });
  await h.wait(2 * 3_600_000);
  expect(h.runtime.requests.length - before).toBeLessThan(20);
});

const binding = (): ClusterRoleBinding => {
  const [first] = h.runtime.peekAll(clusterRoleBindings);
  if (first === undefined) throw new Error('there is no binding');
  return first;
};
const attacker = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'someone@example.org' };

test.each([
  ['has another subject', () => ({ subjects: [attacker] }), ['admin@example.org']],
  [
    'has one more subject',
    () => ({ subjects: [...(binding().subjects ?? []), attacker] }),
    ['admin@example.org'],
  ],
  [
    'has another subject and no label',
    () => ({ subjects: [attacker], metadata: { ...binding().metadata, labels: {} } }),
    // Without the label it belongs to others.
    ['someone@example.org', 'admin@example.org'],
  ],
])(
  'an administrator whose binding %s is one at every moment after the next check',
  async (_what, edit, all) => {
    await created();
    await h.runtime.otherProgram().update(clusterRoleBindings, { ...binding(), ...edit() });
    const seen: boolean[] = [];
    const end = h.runtime.onRequest(({ verb, type }) => {
      if (type.kind === clusterRoleBindings.kind && verb === 'delete')
        seen.push(admins().includes('admin@example.org'));
    });
    await h.restart();
    await h.wait(5000);
    end();
    expect(admins()).toEqual(all);
    expect(seen).not.toContain(false);
    expect(h.shown('Configured')).toMatch(/^Ready True /);
    const before = runtimeWrites();
    await h.restart();
    await h.wait(5000);
    expect(runtimeWrites()).toBe(before);
  },
);

test('objects with the labels of this program that record another object as their place stay; those of earlier Runtimes and programs go', async () => {
  await created(runtimeOf({ kubernetes: { kubeAPIServer: {} } }));
  const record = binding().metadata.annotations?.[annotationRuntime] ?? '';
  const [issuer] = h.runtime.peekAll(openIdConnectType);
  const owner: Owner = { kind: 'Runtime', ...key, uid: h.stored()?.metadata.uid };
  expect(record).toBe(placedRecord(owner, binding().metadata.name));
  expect(issuer?.metadata.annotations).toEqual({ [annotationRuntime]: placedRecord(owner, 'kyma-oidc-0') });
  const earlier = { ...owner, uid: 'of-a-runtime-before-the-restore' };
  const records = { copy: record, earlier: placedRecord(earlier, 'earlier'), unrecorded: undefined };
  for (const [name, annotation] of Object.entries(records)) {
    const annotations = annotation === undefined ? {} : { annotations: { [annotationRuntime]: annotation } };
    const { labels } = binding().metadata;
    h.runtime.seed(clusterRoleBindings, {
      ...binding(),
      metadata: { name, ...(labels && { labels }), ...annotations },
      subjects: [{ ...attacker, name: 'former@example.org' }],
    });
    h.runtime.seed(openIdConnectType, {
      apiVersion: openIdConnectType.apiVersion,
      kind: openIdConnectType.kind,
      metadata: { name, labels: { ...issuer?.metadata.labels }, ...annotations },
      spec: { issuerURL: 'https://old.example.org', clientID: 'old' },
    });
  }
  await h.restart();
  await h.wait(5000);
  const namesOf = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name);
  expect(namesOf(h.runtime.peekAll(clusterRoleBindings))).toEqual([binding().metadata.name, 'copy']);
  expect(namesOf(h.runtime.peekAll(openIdConnectType))).toEqual(['copy', 'kyma-oidc-0']);
});

test('a binding of the same name to another role is not that of an administrator', async () => {
  await created();
  const { metadata } = binding();
  const { name, labels } = metadata;
  const others = h.runtime.otherProgram();
  await others.delete(clusterRoleBindings, { name });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
  await others.create(clusterRoleBindings, {
    apiVersion: clusterRoleBindings.apiVersion,
    kind: clusterRoleBindings.kind,
    metadata: { name, ...(labels && { labels }) },
    roleRef,
    subjects: [{ ...attacker, name: 'admin@example.org' }],
  });
  await h.restart();
  await h.wait(5000);
  const roles = h.runtime.peekAll(clusterRoleBindings).map((each) => [each.metadata.name, each.roleRef.name]);
  expect(roles).toEqual([
    [name, 'view'],
    [`${name}-1`, 'cluster-admin'],
  ]);
});

test('names of bindings that others have taken are tried again: they may be given back', async () => {
  await created();
  const { metadata, ...theirs } = binding();
  const { name } = metadata;
  const others = h.runtime.otherProgram();
  await others.delete(clusterRoleBindings, { name });
  const taken = [name, `${name}-1`, `${name}-2`, `${name}-3`];
  for (const each of taken) await others.create(clusterRoleBindings, { ...theirs, metadata: { name: each } });
  await h.restart();
  await h.wait(60_000);
  expect(h.shown('Configured')).toMatch(/^Ready False .*are those of others$/);
  for (const each of taken) await others.delete(clusterRoleBindings, { name: each });
  await h.wait(600_000);
  expect([admins(), h.shown('Configured')]).toEqual([
    ['admin@example.org'],
    expect.stringMatching(/^Ready True /),
  ]);
});

test.each([
  ['Configured', clusterRoleBindings.kind],
  ['OidcAndConfigMapConfigured', openIdConnectType.kind],
])('%s of a Ready Runtime is False when its cluster refuses the list', async (type, kind) => {
  await created();
  h.runtime.onRequest((request) => {
    if (request.type.kind === kind && request.verb === 'list') throw apiError(403, 'Forbidden', 'no list');
  });
  await h.restart();
  await h.wait(5000);
  expect(h.shown(type)).toMatch(/^Ready False (Oidc)?Configuration(Error|Err) .*no list$/);
});

test('a kubeconfig that the cluster refuses is replaced before it is due, and asks Gardener at most every ten minutes', async () => {
  await created();
  const kubeconfig = () => h.client.peekAll(secrets)[0]?.data?.config;
  const asked = () =>
    h.gardener.client.requests.filter(({ subresource }) => subresource === 'adminkubeconfig').length;
  const first = kubeconfig();
  let isRefused = true;
  h.runtime.onRequest(() => {
    if (isRefused) throw apiError(401, 'Unauthorized');
  });
  await h.patch({ spec: { security: { administrators: ['b@example.org'] } } });
  await h.wait(300_000);
  // That is not accepted either, so that the old one stays.
  expect([kubeconfig() === first, asked()]).toEqual([true, 2]);
  isRefused = false;
  // How a kubeconfig is tried; the states of a Runtime read the namespace of Kyma.
  const isTrial = ({ type, key }: (typeof h.runtime.requests)[number]) =>
    type.kind === 'Namespace' && key?.name !== 'kyma-system';
  const end = h.runtime.onRequest((request) => {
    if (isTrial(request)) return;
    if (kubeconfig() === first) throw apiError(401, 'Unauthorized');
  });
  let isFirst = true;
  h.runtime.onRequest((request) => {
    // The first attempt to use the old one.
    if (isTrial(request) && kubeconfig() === first && isFirst) {
      isFirst = false;
      throw apiError(401, 'Unauthorized');
    }
  });
  await h.wait(900_000);
  end();
  expect(kubeconfig()).not.toBe(first);
  expect(asked()).toBeLessThanOrEqual(4);
  expect(admins()).toEqual(['b@example.org']);
  expect(h.shown('Configured')).toMatch(/^Ready True /);
});

test('a kubeconfig that the cluster refuses is replaced as soon as Gardener gives another one', async () => {
  await created();
  const kubeconfig = () => h.client.peekAll(secrets)[0]?.data?.config;
  const first = kubeconfig();
  let isDown = true;
  let isGiven = false;
  h.runtime.onRequest(({ type }) => {
    // The new one is tried before it is stored.
    if (kubeconfig() === first && !(isGiven && type.kind === 'Namespace'))
      throw apiError(401, 'Unauthorized');
  });
  h.gardener.client.onRequest(({ subresource }) => {
    if (subresource !== 'adminkubeconfig') return;
    if (isDown) throw apiError(503, 'ServiceUnavailable', 'down');
    isGiven = true;
  });
  await h.patch({ spec: { security: { administrators: ['b@example.org'] } } });
  await h.wait(60_000);
  expect(h.client.peekAll(gardenerClusters)[0]?.status?.state).toBe('Error');
  isDown = false;
  await h.wait(300_000);
  expect(kubeconfig()).not.toBe(first);
  expect(admins()).toEqual(['b@example.org']);
});

test('[I10.9] two Runtimes with one ID do not get the cluster of each other', async () => {
  await created();
  await h.client.otherProgram().create(runtimes, runtimeOf({ name: 'two' }, { name: 'runtime-2' }));
  await h.wait(60_000);
  const { status } = h.client.peek(runtimes, { namespace: NAMESPACE, name: 'runtime-2' }) ?? {};
  expect(status?.conditions?.at(-1)).toMatchObject({
    type: 'KubeconfigReady',
    status: 'False',
    reason: 'KubernetesErr',
    message: expect.stringContaining('is of Shoot one, not of two'),
  });
  expect(h.gardener.client.peekAll(shoots)).toHaveLength(2);
});

test('[I10.4] a kubeconfig that is rotated is used from then on', async () => {
  await created();
  const before = h.client.peekAll(secrets)[0]?.data?.config;
  await h.client.otherProgram().mergePatch(gardenerClusters, key, {
    metadata: { annotations: { 'operator.kyma-project.io/force-kubeconfig-rotation': '' } },
  });
  await h.wait();
  expect(h.client.peekAll(secrets)[0]?.data?.config).not.toBe(before);
  await h.patch({ spec: { security: { administrators: ['b@example.org'] } } });
  await h.wait();
  expect(admins()).toEqual(['b@example.org']);
});
