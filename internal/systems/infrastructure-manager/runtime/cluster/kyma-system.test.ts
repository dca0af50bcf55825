/** The namespace of Kyma and what is stored there, in a cluster that answers and in one that does not. */
import { afterEach, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { seeds } from '../../../../../apis/gardener/kinds.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../../../test/simulators/gardener/simulated-gardener.ts';
import { apiError } from '../../../../framework/kube/fakes/memory-client.ts';
import { configMaps, namespaces } from '../../../../framework/kube/index.ts';
import { runtimeOf } from '../fixtures/runtime.fixture.ts';
import { type RuntimeHarness, startRuntimeHarness } from '../fixtures/runtime-harness.fixture.ts';
import { clusterRoleBindings, openIdConnectType } from './access.ts';

let h: RuntimeHarness<SimulatedGardener>;
const started = async () => {
  h = await startRuntimeHarness(startSimulatedGardener);
};
afterEach(() => h.stop());

const KYMA_SYSTEM = { name: 'kyma-system' };
const INFO = { namespace: 'kyma-system', name: 'kyma-provisioning-info' };
const metadata = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
const info = () => h.runtime.peek(configMaps, INFO);
const writes = () => h.runtime.requests.filter(({ verb }) => !['get', 'list'].includes(verb)).length;

test('[N38] [N54] a cluster gets the namespace, and the Runtime is Ready', async () => {
  await started();
  await h.create(runtimeOf());
  await h.wait();
  expect(h.runtime.peek(namespaces, KYMA_SYSTEM)).toBeDefined();
  expect(h.shown('KymaSystemNSCreated')).toBe(
    'Ready True KymaSystemNSReady Creation of kyma-system Namespace',
  );
  expect(h.shown('Configured')).toBe(
    'Ready True AdministratorsConfigured Cluster admin configuration completed',
  );
  expect(h.stored()?.status).toMatchObject({ state: 'Ready', provisioningCompleted: true });
  expect(h.stored()?.status?.conditions?.map(({ type }) => type)).toEqual([
    'Provisioned',
    'KubeconfigReady',
    'KymaSystemNSCreated',
    'OidcAndConfigMapConfigured',
    'Configured',
  ]);
});

test('[N39] a cluster that has the namespace keeps it, and a ConfigMap of a former program its other keys', async () => {
  await started();
  const former = h.runtime.otherProgram();
  const { uid } = (await former.create(namespaces, metadata('kyma-system'))).metadata;
  await former.create(configMaps, {
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: INFO },
    data: { other: 'y' },
  });
  await h.create(runtimeOf());
  await h.wait();
  expect(h.shown('KymaSystemNSCreated')).toMatch(/^Ready True /);
  expect(h.runtime.peek(namespaces, KYMA_SYSTEM)?.metadata.uid).toBe(uid);
  expect(info()?.data).toEqual({ other: 'y', details: expect.stringContaining('runtimeID') });
});

test.each([
  ['[N40]', 'KymaSystemNSCreated', 'Namespace', 403, 'False KymaSystemNSError'],
  ['[N40]', 'KymaSystemNSCreated', 'Namespace', 503, 'Unknown KymaSystemNSError'],
  [
    '[N46]',
    'OidcAndConfigMapConfigured',
    configMaps.kind,
    503,
    'Unknown ConfigMapErr Failed to apply kyma-provisioning-info config map, scheduling for retry: .*',
  ],
  [
    '[N47]',
    'OidcAndConfigMapConfigured',
    openIdConnectType.kind,
    503,
    'Unknown OidcConfigurationErr Failed to create OpenIDConnect resource. Scheduling for retry: .*',
  ],
  ['[N53]', 'Configured', clusterRoleBindings.kind, 503, 'False ConfigurationError .*'],
] as const)(
  '%s %s is retried while the cluster answers for a %s with HTTP %i',
  async (_, type, kind, status, shown) => {
    await started();
    const end = h.runtime.onRequest((request) => {
      if (request.type.kind === kind) throw apiError(status, 'Refused', 'why');
    });
    await h.create(runtimeOf());
    await h.wait();
    expect(h.shown(type)).toMatch(new RegExp(`^Pending ${shown}.*why$`));
    end();
    await h.wait(300_000);
    expect(h.shown(type)).toMatch(/^Ready True /);
  },
);

test('[N46] the region of the control plane is requested once for all Runtimes, and again after an error', async () => {
  await started();
  const isSeed = ({ verb, type }: (typeof h.gardener.client.requests)[number]) =>
    verb === 'get' && type.kind === seeds.kind;
  const end = h.gardener.client.onRequest((request) => {
    if (isSeed(request)) throw apiError(403, 'Forbidden', 'no seeds');
  });
  await h.create(runtimeOf());
  await h.wait();
  expect(h.shown('OidcAndConfigMapConfigured')).toMatch(/^Pending False ConfigMapErr .*no seeds$/);
  end();
  await h.wait(300_000);
  expect(parse(info()?.data?.details ?? '')).toMatchObject({
    seedRegion: 'eu-central-1',
    runtimeID: 'runtime-1',
  });
  const before = h.gardener.client.requests.filter(isSeed).length;
  await h.wait(3_700_000);
  expect(h.gardener.client.requests.filter(isSeed).length).toBe(before);
});

test('a new cluster is asked six times; a namespace that others deleted with the ConfigMap comes back', async () => {
  await started();
  // As an API server, which has nothing in a namespace that does not exist.
  h.runtime.onRequest(({ verb, type, key }) => {
    if (
      verb === 'create' &&
      type.kind === 'ConfigMap' &&
      h.runtime.peek(namespaces, KYMA_SYSTEM) === undefined
    )
      throw apiError(404, 'NotFound', `namespaces "${key?.namespace}" not found`);
  });
  await h.create(runtimeOf());
  await h.wait();
  expect(h.runtime.requests.map(({ verb, type }) => `${verb} ${type.kind}`)).toEqual([
    'create Namespace',
    'create ConfigMap',
    'list OpenIDConnect',
    'apply OpenIDConnect',
    'list ClusterRoleBinding',
    'create ClusterRoleBinding',
  ]);
  const others = h.runtime.otherProgram();
  await others.delete(configMaps, INFO);
  await others.delete(namespaces, KYMA_SYSTEM);
  await h.wait(3_600_000);
  expect([h.runtime.peek(namespaces, KYMA_SYSTEM), info()]).not.toContain(undefined);
  expect(h.shown('Configured')).toMatch(/^Ready True /);
});

test('the ConfigMap that others deleted comes back with the next change, also without its namespace', async () => {
  await started();
  await h.create(runtimeOf());
  await h.wait();
  const others = h.runtime.otherProgram();
  await others.delete(configMaps, INFO);
  await others.delete(namespaces, KYMA_SYSTEM);
  h.runtime.onRequest(({ verb, type, key }) => {
    if (
      verb === 'create' &&
      type.kind === 'ConfigMap' &&
      h.runtime.peek(namespaces, KYMA_SYSTEM) === undefined
    )
      throw apiError(404, 'NotFound', `namespaces "${key?.namespace}" not found`);
  });
  await h.patch({ spec: { shoot: { purpose: 'production' } } });
  await h.wait();
  expect([h.runtime.peek(namespaces, KYMA_SYSTEM), info()]).not.toContain(undefined);
  expect(h.stored()?.status?.state).toBe('Ready');
});

test('the ConfigMap is written when it differs, and keeps keys of others', async () => {
  await started();
  await h.create(runtimeOf());
  await h.wait();
  expect(info()?.metadata.labels).toEqual({
    'reconciler.kyma-project.io/managed-by': 'infrastructure-manager',
  });
  const before = writes();
  await h.wait(3_700_000);
  expect(writes()).toBe(before);
  await h.runtime.otherProgram().mergePatch(configMaps, INFO, { data: { details: 'x', other: 'y' } });
  await h.wait(3_700_000);
  expect(info()?.data).toMatchObject({ other: 'y', details: expect.stringContaining('runtimeID') });
});
