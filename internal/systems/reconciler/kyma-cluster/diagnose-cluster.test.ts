import { describe, expect, test } from '@jest/globals';
import {
  clusterProviderConfig,
  clusterProviderConfigs,
} from '../../../../apis/reconciler.kyma-project.io/v1alpha1/providerconfigs.gen.ts';
import { createDeps } from '../../../framework/base/deps.ts';
import { ProviderError } from '../../../framework/base/errors/errors.ts';
import { secrets } from '../../../framework/kube/object/resource-type.ts';
import type { Check, Diagnosis } from '../../../framework/module/diagnosis.ts';
import { createMothershipTokens } from '../client/oauth-tokens.ts';
import { type ClusterDiagnosisOptions, diagnoseCluster } from './diagnose-cluster.ts';
import { fakeCluster, type KymaClusterGiven, namespace, readyKymaCluster } from './kyma-cluster.fixture.ts';

const URL = 'http://mothership:8080';

/** A KymaCluster that is ready, and the report on it. */
async function setUp(given?: KymaClusterGiven) {
  const harness = await readyKymaCluster(given);
  const { client, clock, mothership } = harness;
  client.seed(
    clusterProviderConfigs,
    clusterProviderConfig({ name: 'default', spec: { url: URL, credentials: { source: 'None' } } }),
  );
  const deps = createDeps({ clock });
  let closed = 0;
  const options: ClusterDiagnosisOptions = {
    kind: 'kymacluster',
    name: 'shop',
    namespace,
    client,
    cluster: fakeCluster,
    deps,
    env: {},
    flags: { allowPrivateEndpoints: false },
    readOnly: true,
    tokens: createMothershipTokens(deps),
    signal: new AbortController().signal,
    open: async () => ({
      mothership: { ...mothership.client, close: async () => void closed++ },
      credentials: [],
    }),
  };
  const report = (more: Partial<ClusterDiagnosisOptions> = {}) => diagnoseCluster({ ...options, ...more });
  return { ...harness, report, closed: () => closed };
}

const summary = ({ checks }: Diagnosis) =>
  checks.map(({ name, status, detail }) => `${name}: ${status}, ${detail}`);
const check = ({ checks }: Diagnosis, name: string): Partial<Check> =>
  checks.find((each) => each.name === name) ?? {};
const skipped = (...names: string[]) => names.map((name) => `${name}: skipped, an earlier check failed`);

test('a KymaCluster that is ready is healthy in each check, and the connection is closed', async () => {
  const { report, closed, mothership } = await setUp();
  const before = [...mothership.writes];
  const diagnosis = await report();
  expect(diagnosis).toMatchObject({ mapping: 'team/shop', healthy: true });
  expect(summary(diagnosis)).toEqual([
    'resource: ok, found',
    'conditions: ok, Synced and Ready: True',
    'kubeconfig: ok, found',
    `ProviderConfig: ok, ${URL}`,
    'credentials: ok, none: the mothership must run without login',
    'mothership: ok, it answers, and accepts the credentials',
    'inventory: ok, ready, version 11 of its configuration',
    'components: ok, none fails',
  ]);
  expect(closed()).toBe(1);
  expect(mothership.writes).toEqual(before);
});

describe('the report ends with the first check that fails', () => {
  test('no such resource', async () => {
    const { report } = await setUp();
    const diagnosis = await report({ name: 'other' });
    expect(summary(diagnosis)).toEqual([
      expect.stringMatching(/^resource: failed, /),
      ...skipped(
        'conditions',
        'kubeconfig',
        'ProviderConfig',
        'credentials',
        'mothership',
        'inventory',
        'components',
      ),
    ]);
    expect(check(diagnosis, 'resource').remediation).toBe(
      'kubectl -n team get kymaclusters.reconciler.m.kyma-project.io',
    );
  });

  test('no cluster-scoped resource, which is meant without a namespace', async () => {
    const { report } = await setUp();
    const { mapping, checks } = await report({ namespace: undefined } as never);
    expect({ mapping, status: checks[0]?.status, object: checks[0]?.object }).toEqual({
      mapping: 'shop',
      status: 'failed',
      object: 'KymaCluster shop',
    });
  });

  test('no ProviderConfig', async () => {
    const { report, client } = await setUp();
    await client.delete(clusterProviderConfigs, { name: 'default' });
    const diagnosis = await report();
    expect(summary(diagnosis).slice(3)).toEqual([
      expect.stringMatching(/^ProviderConfig: failed, .*not found/),
      ...skipped('credentials', 'mothership', 'inventory', 'components'),
    ]);
    expect(check(diagnosis, 'ProviderConfig')).toMatchObject({
      field: 'spec.providerConfigRef',
      remediation: 'kubectl get clusterproviderconfigs.reconciler.m.kyma-project.io',
    });
  });

  test('credentials that cannot be used', async () => {
    const { report } = await setUp();
    const open = async () => {
      throw new ProviderError('terminal', 'the credentials of the ProviderConfig are no bearer token');
    };
    const diagnosis = await report({ open });
    expect(summary(diagnosis).slice(4)).toEqual([
      'credentials: failed, the credentials of the ProviderConfig are no bearer token',
      ...skipped('mothership', 'inventory', 'components'),
    ]);
    expect(check(diagnosis, 'credentials').remediation).toBe(
      'kubectl edit clusterproviderconfigs.reconciler.m.kyma-project.io default',
    );
  });

  test.each([
    ['does not answer', new ProviderError('transient', 'ECONNREFUSED'), 'spec.url, spec.credentials'],
    ['refuses the login', new ProviderError('auth', 'GET answered 403'), 'spec.credentials'],
  ])('a mothership that %s', async (_, error, field) => {
    const { report, mothership, closed } = await setUp();
    mothership.failWith(error);
    const diagnosis = await report();
    expect(summary(diagnosis).slice(5)).toEqual([
      `mothership: failed, ${error.message}`,
      ...skipped('inventory', 'components'),
    ]);
    expect(check(diagnosis, 'mothership').field).toBe(field);
    expect(closed()).toBe(1);
  });
});

test('a missing kubeconfig has a command that stores one, and the other checks are made', async () => {
  const { report, client } = await setUp();
  await client.delete(secrets, { name: 'kubeconfig', namespace });
  const diagnosis = await report();
  expect(check(diagnosis, 'kubeconfig')).toMatchObject({
    status: 'failed',
    detail: 'Secret team/kubeconfig not found',
    remediation:
      'kubectl -n team create secret generic kubeconfig --from-file=config=FILE --dry-run=client --output=yaml | kubectl apply --filename=-',
  });
  expect(check(diagnosis, 'components').status).toBe('ok');
});

describe('the inventory', () => {
  test.each([
    [
      'reconcile_disabled',
      'failed, its runs are disabled, so that no change is applied',
      `provider-kyma clusters enable '--mothership-url=${URL}' -- r-1`,
    ],
    [
      'reconciling',
      'waiting, reconciling, version 11 of its configuration',
      `provider-kyma clusters get '--mothership-url=${URL}' -- r-1`,
    ],
    [
      'error',
      'failed, error, version 11 of its configuration',
      `provider-kyma clusters get '--mothership-url=${URL}' -- r-1`,
    ],
  ] as const)('%s', async (status, text, remediation) => {
    const { report, mothership } = await setUp();
    mothership.becomes('r-1', status);
    const diagnosis = await report();
    expect(diagnosis.healthy).toBe(false);
    expect(summary(diagnosis)[6]).toBe(`inventory: ${text}`);
    expect(check(diagnosis, 'inventory').remediation?.replace(/'/g, '')).toBe(remediation.replace(/'/g, ''));
  });

  test('does not have it', async () => {
    const { report, mothership } = await setUp();
    mothership.clusters.delete('r-1');
    expect(summary(await report()).slice(6)).toEqual([
      'inventory: failed, the mothership does not know it',
      ...skipped('components'),
    ]);
  });

  test('has it from another namespace', async () => {
    const { report, mothership } = await setUp();
    const entry = mothership.clusters.get('r-1');
    if (entry) entry.document = { ...entry.document, runtimeInput: { name: 'other/shop', description: '' } };
    const diagnosis = await report();
    expect(check(diagnosis, 'inventory')).toMatchObject({
      status: 'failed',
      field: 'spec.forProvider.runtimeID',
      remediation: 'kubectl -n team delete kymaclusters.reconciler.m.kyma-project.io shop',
    });
  });

  test('has another version than the spec', async () => {
    const { report, patch } = await setUp();
    await patch({ spec: { forProvider: { version: '2.21.0' } } });
    expect(summary(await report())[6]).toBe('inventory: waiting, differs in version');
  });
});

test('components that fail are listed with their reasons', async () => {
  const { report, mothership } = await setUp();
  mothership.becomes('r-1', 'reconcile_error_retryable', [
    { component: 'istio', reason: 'no image' },
    { component: 'eventing', reason: 'no NATS' },
  ]);
  const diagnosis = await report();
  expect(check(diagnosis, 'components')).toMatchObject({
    status: 'failed',
    detail: 'istio: no image; eventing: no NATS',
  });
});
