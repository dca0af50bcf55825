import { expect, test } from '@jest/globals';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import { condition, rendered } from './rendered.ts';
import { kymaRuntime } from './stages.ts';

const { name } = kymaRuntime;
const nameOf = ({ metadata }: KubeObject) =>
  metadata.annotations?.['crossplane.io/composition-resource-name'] ?? '';
/** By their names in the Composition. */
async function composedAt(
  stage: (typeof kymaRuntime.stages)[number],
): Promise<Record<string, KubeObject & { readonly spec: object }>> {
  const { composed } = await rendered(name, stage);
  return Object.fromEntries(composed.map((object) => [nameOf(object), object]));
}

test('a cluster is composed with all that its mapping reads, connected by one kubeconfig', async () => {
  const composed = await composedAt('ready');
  const kubeconfig = 'kubeconfig-shop';
  expect(composed.runtime).toMatchObject({
    kind: 'Runtime',
    metadata: { name: 'shop', labels: { 'kyma-project.io/runtime-id': 'shop' } },
    spec: { shoot: { name: 'shop', region: 'eu-central-1' } },
  });
  expect(composed.kyma?.spec).toMatchObject({
    forProvider: { kubeconfigSecretRef: { name: kubeconfig, key: 'config' } },
  });
  expect(composed.connection?.spec).toEqual({
    credentials: {
      source: 'Secret',
      secretRef: { namespace: 'kcp-system', name: kubeconfig, key: 'config' },
    },
  });
  expect(composed.mapping?.spec).toMatchObject({
    forProvider: {
      kymaConnectionRef: { secretRef: { name: kubeconfig }, kubeconfigKey: 'config' },
      serviceInstanceRef: { namespace: 'shop', name: 'shop' },
      adminBindingRef: { namespace: 'shop', name: 'shop-admin' },
      targetNamespace: 'shop',
    },
  });
});

test.each(['database', 'access', 'binding'])(
  '%s is on the new cluster, and as ready as the object there',
  async (part) => {
    expect((await composedAt('ready'))[part]?.spec).toMatchObject({
      providerConfigRef: { kind: 'ProviderConfig', name: 'shop' },
      readiness: { policy: 'DeriveFromObject' },
      watch: true,
      forProvider: { manifest: { metadata: { namespace: 'shop' } } },
    });
  },
);

test('the namespace is not deleted before the cluster', async () => {
  expect((await composedAt('composed')).namespace?.spec).toMatchObject({
    managementPolicies: expect.not.arrayContaining(['*', 'Delete']),
  });
});

test('what is used is deleted after its user', async () => {
  const composed = await composedAt('ready');
  const named = (part: string) => {
    const { apiVersion, kind, metadata } = composed[part] ?? {};
    return { apiVersion, kind, resourceRef: { name: metadata?.name } };
  };
  const usages = Object.entries(composed).filter(([, { kind }]) => kind === 'Usage');
  expect(usages.map(([part]) => part).sort()).toEqual([
    'access-of-kyma',
    'database-of-kyma',
    'kyma-of-connection',
    'kyma-of-runtime',
    'mapping-of-binding',
    'mapping-of-database',
  ]);
  for (const [part, { spec }] of usages) {
    const [user = '', used = ''] = part.split('-of-');
    expect(spec).toEqual({ replayDeletion: true, of: named(used), by: named(user) });
  }
});

test('each stage composes what the one before it composed: what is left out would be deleted', async () => {
  let before: readonly string[] = [];
  for (const stage of kymaRuntime.stages) {
    const now = Object.keys(await composedAt(stage));
    expect(now).toEqual(expect.arrayContaining([...before]));
    before = now;
  }
});

test('the first stage has one resource of each kind', async () => {
  const { composed } = await rendered(name, 'composed');
  const kinds = composed.map(({ kind, apiVersion }) => `${apiVersion} ${kind}`);
  expect(new Set(kinds).size).toBe(kinds.length);
});

test.each([
  ['composed', undefined],
  ['provisioning', 'Runtime: Retryable gardener errors during cluster provisioning'],
  ['connected', 'KymaCluster shop: '],
  ['waiting', 'KymaInstanceMapping shop: '],
  ['ready', undefined],
] as const)('%s: the status says where it stands and what it waits for', async (stage, message) => {
  const { composite } = await rendered(name, stage);
  const said = composite.status.message;
  if (message === undefined) expect(said).toBeUndefined();
  else expect(said).toEqual(expect.stringContaining(message));
  expect(condition(composite, 'Ready')?.status).toBe(stage === 'ready' ? 'True' : 'False');
});

test('the status has the state of the Runtime, which has no condition Ready', async () => {
  expect((await rendered(name, 'provisioning')).composite.status.runtime).toBe('Pending');
  expect((await rendered(name, 'ready')).composite.status).toMatchObject({
    runtime: 'Ready',
    kyma: 'ready',
    clusterID: 'c-runtime',
    mapping: '2f4b7a3e-7c1d-4b52-9c57-5f0f3c1f6d10/c-runtime/shop',
  });
});
