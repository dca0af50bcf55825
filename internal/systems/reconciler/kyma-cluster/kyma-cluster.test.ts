import { describe, expect, test } from '@jest/globals';
import {
  type KymaCluster,
  type KymaClusterParameters,
  kymaCluster,
  kymaClusterTypes,
} from '../../../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import { ProviderError } from '../../../framework/base/errors/errors.ts';
import { ResponseError } from '../../../framework/http/index.ts';
import { secrets } from '../../../framework/kube/object/resource-type.ts';
import type { ClusterStatus } from '../client/mothership-client.ts';
import { digestOf } from './document.ts';
import { kubeconfigSecretOf } from './kubeconfig.ts';
import {
  type KymaClusterGiven,
  namespace,
  readyKymaCluster as ready,
  createKymaClusterHarness as setUp,
} from './kyma-cluster.fixture.ts';

describe('observation', () => {
  test('a cluster is registered, its external name is the runtimeID, and the next poll comes soon', async () => {
    const { reconcile, stored, mothership, shown, atProvider } = setUp();
    expect(await reconcile()).toMatchObject({ type: 'requeue-after', delayMs: 5000, poll: true });
    expect(stored()?.metadata.annotations?.['crossplane.io/external-name']).toBe('r-1');
    expect(mothership.clusters.get('r-1')?.document).toMatchObject({
      runtimeInput: { name: 'team/shop' },
      kubeconfig: 'kubeconfig: 1',
      kymaConfig: { version: '2.20.0', components: [{ component: 'a', namespace: 'kyma-system' }] },
    });
    expect(shown('Ready')).toBe('False/Creating the cluster is reconcile_pending');
    expect(atProvider()).toMatchObject({
      status: 'reconcile_pending',
      clusterVersion: 1,
      configurationVersion: 11,
      kymaVersion: '2.20.0',
      kubeconfigDigest: digestOf('kubeconfig: 1'),
      failures: [],
    });
  });

  test('without a runtimeID its UID is the id', async () => {
    const { reconcile, stored, mothership } = setUp({ forProvider: { runtimeID: undefined } as never });
    await reconcile();
    expect([...mothership.clusters.keys()]).toEqual([stored()?.metadata.uid]);
  });

  test.each<[ClusterStatus, string, number]>([
    ['ready', 'True/Available', 60_000],
    ['reconcile_disabled', 'False/Unavailable the cluster is reconcile_disabled', 60_000],
    ['error', 'False/Unavailable the cluster is error: a: boom', 60_000],
    [
      'reconcile_error_retryable',
      'False/Unavailable the cluster is reconcile_error_retryable: a: boom',
      5000,
    ],
    ['delete_error', 'False/Unavailable the cluster is delete_error: a: boom', 60_000],
    ['deleting', 'False/Deleting the cluster is deleting: a: boom', 5000],
  ])('%s: Ready is %s, and the next observation is after %d ms', async (status, condition, delayMs) => {
    const { reconcile, shown, mothership } = setUp();
    await reconcile();
    const failures = ['ready', 'reconcile_disabled'].includes(status)
      ? []
      : [{ component: 'a', reason: 'boom' }];
    mothership.becomes('r-1', status, failures);
    expect(await reconcile()).toMatchObject({ delayMs });
    expect(shown('Ready')).toBe(condition);
    expect(shown('Synced')).toMatch(/^True/);
    expect(mothership.writes).toEqual(['put r-1']);
  });

  test('a periodic run over a ready cluster keeps it ready; a run of another configuration does not', async () => {
    const { reconcile, shown, mothership } = await ready();
    mothership.becomes('r-1', 'reconciling');
    for (let poll = 0; poll < 3; poll++) {
      await reconcile();
      expect(shown('Ready')).toBe('True/Available');
    }
    mothership.becomes('r-1', 'reconciling', [{ component: 'a', reason: 'boom' }]);
    await reconcile();
    expect(shown('Ready')).toBe('False/Creating the cluster is reconciling: a: boom');
    mothership.becomes('r-1', 'reconciling');
    const entry = mothership.clusters.get('r-1');
    if (entry) entry.configurationVersion++;
    await reconcile();
    expect(shown('Ready')).toBe('False/Creating the cluster is reconciling');
  });

  test('failures are in the status with their reasons, at most 50 with 1,024 characters each', async () => {
    const { reconcile, atProvider, mothership } = await ready();
    const failures = Array.from({ length: 60 }, (_, n) => ({
      component: `c${n}`,
      reason: 'x'.repeat(100_000),
    }));
    mothership.becomes('r-1', 'error', failures);
    await reconcile();
    expect(atProvider()?.failures).toHaveLength(50);
    expect(JSON.stringify(atProvider()?.failures).length).toBeLessThan(60_000);
  });
});

describe('changes', () => {
  test.each<[string, Partial<KymaClusterParameters>, string]>([
    ['version', { version: '2.21.0' }, 'version'],
    ['profile', { profile: 'production' }, 'profile'],
    ['component', { components: [{ component: 'a' }, { component: 'b' }] }, 'components'],
    ['name', { name: 'other' }, 'name'],
    ['metadata', { metadata: { region: 'eu' } }, 'metadata'],
    ['administrators', { administrators: ['ann'] }, 'administrators'],
  ])('a changed %s is registered once', async (_, forProvider, field) => {
    const { reconcile, patch, shown, mothership } = await ready();
    await patch({ spec: { forProvider } });
    await reconcile();
    expect(shown('UpToDate')).toBe(`False/UpdateRequested differs in ${field}`);
    await reconcile();
    await reconcile();
    expect(mothership.writes).toEqual(['put r-1', 'put r-1']);
  });

  test('the Secret of the kubeconfig is watched, and a rotated kubeconfig is registered once', async () => {
    const { reconcile, rotate, mothership, atProvider } = await ready();
    const { targets = [] } = await reconcile();
    expect(targets.map(({ description }) => description)).toEqual(['Secret kubeconfig found']);
    await rotate('kubeconfig: 2');
    expect((await reconcile()).targets).toHaveLength(1);
    await reconcile();
    expect(mothership.writes).toEqual(['put r-1', 'put r-1']);
    expect(mothership.clusters.get('r-1')?.document.kubeconfig).toBe('kubeconfig: 2');
    expect(atProvider()?.kubeconfigDigest).toBe(digestOf('kubeconfig: 2'));
  });

  test('without Update a difference is shown, and nothing is registered', async () => {
    const { reconcile, patch, shown, mothership } = await ready({
      spec: { managementPolicies: ['Observe', 'Create', 'Delete', 'LateInitialize'] },
    });
    await patch({ spec: { forProvider: { version: '2.21.0' } } });
    await reconcile();
    expect(shown('UpToDate')).toBe('False/UpdateRestricted differs in version');
    expect(mothership.writes).toEqual(['put r-1']);
  });

  test.each<[string, Partial<KymaClusterParameters>, string]>([
    [
      'JSON that is none',
      { components: [{ component: 'a', configuration: [{ key: 'k', value: '{', format: 'JSON' }] }] },
      'the value k of component a is no JSON',
    ],
    ...[
      [
        'that is nested deeply',
        `${'['.repeat(40_000)}${']'.repeat(40_000)}`,
        'that is nested deeper than 56 levels',
      ],
      ['of many values', `[${'[],'.repeat(30_000)}0]`, 'of more than 20000 values'],
      ['of megabytes', `"${'x'.repeat(1_000_000)}"`, 'of more than 100000 characters'],
      ['with a number that would become null', '{"a":1e999}', 'with a number that is too large'],
    ].map(([what = '', value = '', why = '']): [string, Partial<KymaClusterParameters>, string] => [
      `JSON ${what}`,
      { components: [{ component: 'a', configuration: [{ key: 'k', value, format: 'JSON' }] }] },
      `the value k of component a is a JSON text ${why}`,
    ]),
    [
      'no Secret in a namespace',
      { kubeconfigSecretRef: undefined } as never,
      'a namespaced KymaCluster needs spec.forProvider.kubeconfigSecretRef',
    ],
  ])('%s is refused, and not repeated', async (_, forProvider, message) => {
    const { reconcile, shown, mothership } = setUp({ forProvider });
    await reconcile();
    await reconcile();
    expect(shown('Synced')).toContain(message);
    expect(mothership.writes).toEqual([]);
  });
});

describe('the kubeconfig', () => {
  test('while its Secret is missing, the resource waits for it', async () => {
    const { reconcile, shown, mothership } = setUp({ kubeconfig: null });
    const { targets = [] } = await reconcile();
    expect(shown('Synced')).toBe('False/Waiting Secret team/kubeconfig not found');
    expect(targets.map(({ description }) => description)).toEqual(['Secret kubeconfig absent']);
    expect(mothership.writes).toEqual([]);
  });

  test('one that no registration can hold is refused', async () => {
    const { reconcile, shown } = setUp({ kubeconfig: 'x'.repeat(90_001) });
    await reconcile();
    expect(shown('Synced')).toContain('Secret team/kubeconfig: key config is too long for a kubeconfig');
  });

  test('a cluster-scoped resource without a Secret leaves it to the mothership', async () => {
    const { reconcile, mothership } = setUp({
      clusterScoped: true,
      forProvider: { kubeconfigSecretRef: undefined } as never,
    });
    await reconcile();
    const document = mothership.clusters.get('r-1')?.document;
    expect(document).toMatchObject({ runtimeInput: { name: 'shop' } });
    expect(document).not.toHaveProperty('kubeconfig');
  });
});

describe('the registered kubeconfig', () => {
  test('is registered again if its registration got no answer, also if it is that of before', async () => {
    const { reconcile, rotate, mothership } = await ready();
    await rotate('kubeconfig: 2');
    mothership.loseAnswer(new ProviderError('transient', 'no answer in time'));
    await reconcile();
    await rotate('kubeconfig: 1');
    for (let times = 0; times < 3; times++) await reconcile();
    expect(mothership.writes).toEqual(['put r-1', 'put r-1', 'put r-1']);
    expect(mothership.clusters.get('r-1')?.document.kubeconfig).toBe('kubeconfig: 1');
  });

  test('goes once it is named no more', async () => {
    const { reconcile, patch, mothership, atProvider } = await ready({ clusterScoped: true });
    await patch({ spec: { forProvider: { kubeconfigSecretRef: null as never } } });
    for (let times = 0; times < 3; times++) await reconcile();
    expect(mothership.writes).toEqual(['put r-1', 'put r-1']);
    expect(mothership.clusters.get('r-1')?.document).not.toHaveProperty('kubeconfig');
    expect(atProvider()).not.toHaveProperty('kubeconfigDigest');
  });
});

describe('the owner of a cluster', () => {
  test.each([
    ['of another namespace', 'other/shop'],
    ['of an administrator', 'shop'],
    ['of a namespace with the same beginning', 'team-b/shop'],
  ])('a namespaced resource does not get hold of a cluster %s', async (_, name) => {
    const { reconcile, shown, mothership, delete: remove, stored } = setUp();
    await mothership.client.putCluster(
      {
        runtimeID: 'r-1',
        runtimeInput: { name, description: '' },
        kymaConfig: { version: '1', profile: '', components: [], administrators: [] },
      } as never,
      { signal: new AbortController().signal },
    );
    mothership.becomes('r-1', 'ready');
    await reconcile();
    expect(shown('Synced')).toContain('cannot manage cluster r-1: it was not registered from this namespace');
    expect(shown('Ready')).not.toContain('True');
    await remove();
    await reconcile();
    expect(stored()).toBeUndefined();
    expect(mothership.writes).toEqual(['put r-1']);
  });

  test('a resource whose cluster another namespace has registered since is deleted, and the cluster stays', async () => {
    const { reconcile, mothership, delete: remove, stored } = await ready();
    const entry = mothership.clusters.get('r-1');
    if (entry?.document.runtimeInput) Object.assign(entry.document.runtimeInput, { name: 'other/shop' });
    await remove();
    for (let times = 0; times < 3; times++) await reconcile();
    expect([stored(), mothership.writes, mothership.clusters.size]).toEqual([undefined, ['put r-1'], 1]);
  });

  describe('that another resource of the namespace has registered', () => {
    const setUpWithOther = async () => {
      const harness = setUp();
      const { client, mothership, reconcile } = harness;
      const { metadata } = client.seed(
        kymaClusterTypes.namespaced,
        kymaCluster({
          name: 'first',
          namespace,
          spec: { forProvider: { version: '1' } } as KymaCluster['spec'],
        }),
      );
      await mothership.client.putCluster(
        {
          runtimeID: 'r-1',
          runtimeInput: { name: 'team/first', description: `KymaCluster team/first/${metadata.uid}` },
          kymaConfig: { version: '1', profile: '', components: [], administrators: [] },
        } as never,
        { signal: new AbortController().signal },
      );
      mothership.becomes('r-1', 'ready');
      await reconcile();
      return harness;
    };

    test('is neither changed nor deleted', async () => {
      const { reconcile, shown, mothership, delete: remove, stored } = await setUpWithOther();
      expect(shown('Synced')).toContain(
        'cannot adopt cluster r-1: it belongs to KymaCluster team/first, not to KymaCluster team/shop',
      );
      await remove();
      await reconcile();
      expect(stored()).toBeUndefined();
      expect(mothership.writes).toEqual(['put r-1']);
    });

    test('is adopted once that resource is gone', async () => {
      const { reconcile, client, mothership } = await setUpWithOther();
      await client.delete(kymaClusterTypes.namespaced, { name: 'first', namespace });
      await reconcile();
      expect(mothership.writes).toEqual(['put r-1', 'put r-1']);
      expect(mothership.clusters.get('r-1')?.document.runtimeInput?.description).toMatch(
        /^KymaCluster team\/shop\/./,
      );
    });
  });

  test('of a resource that is gone, without a kubeconfig, becomes that of the resource which adopts it', async () => {
    const given = { clusterScoped: true as const, forProvider: { kubeconfigSecretRef: undefined } as never };
    const { reconcile, mothership, stored } = setUp(given);
    await reconcile();
    const entry = mothership.clusters.get('r-1');
    Object.assign(entry?.document.runtimeInput ?? {}, { description: 'KymaCluster /shop/earlier-uid' });
    mothership.becomes('r-1', 'ready');
    await reconcile();
    expect(mothership.writes).toEqual(['put r-1', 'put r-1']);
    expect(mothership.clusters.get('r-1')?.document.runtimeInput?.description).toContain(
      stored()?.metadata.uid,
    );
  });

  test('a cluster-scoped resource adopts any cluster', async () => {
    const { reconcile, mothership } = setUp({ clusterScoped: true });
    const other = setUp();
    await other.reconcile();
    const entry = other.mothership.clusters.get('r-1');
    if (entry) mothership.clusters.set('r-1', entry);
    await reconcile();
    expect(mothership.clusters.get('r-1')?.document.runtimeInput?.name).toBe('shop');
  });
});

describe('deletion', () => {
  test('the cluster is deleted, and the resource stays until the mothership does not know it any more', async () => {
    const { reconcile, stored, shown, mothership, delete: remove, client } = await ready();
    await client.delete(secrets, { name: 'kubeconfig', namespace });
    await remove();
    await reconcile();
    expect(mothership.writes).toEqual(['put r-1', 'delete r-1']);
    expect(await reconcile()).toMatchObject({ delayMs: 5000 });
    expect(shown('Ready')).toMatch(/^False\/Deleting/);
    mothership.becomes('r-1', 'deleting');
    await reconcile();
    expect(stored()).toBeDefined();
    mothership.clusters.delete('r-1');
    await reconcile();
    expect(stored()).toBeUndefined();
    expect(mothership.writes).toEqual(['put r-1', 'delete r-1']);
  });

  test('a deletion that failed for good is requested again', async () => {
    const { reconcile, mothership, delete: remove } = await ready();
    await remove();
    await reconcile();
    mothership.becomes('r-1', 'delete_error', [{ component: 'a', reason: 'finalizers' }]);
    await reconcile();
    expect(mothership.writes).toEqual(['put r-1', 'delete r-1', 'delete r-1']);
  });

  test.each<[string, KymaClusterGiven['spec']]>([
    ['managementPolicies without Delete', { managementPolicies: ['Observe', 'Create', 'Update'] }],
    ['only Observe', { managementPolicies: ['Observe'] }],
  ])('with %s the cluster stays', async (_, spec) => {
    const { reconcile, stored, patch, mothership, delete: remove } = await ready();
    await patch({ spec });
    await reconcile();
    await remove();
    await reconcile();
    expect(stored()).toBeUndefined();
    expect(mothership.clusters.has('r-1')).toBe(true);
    expect(mothership.writes).toEqual(['put r-1']);
  });

  test('with only Observe a cluster that is missing is not registered', async () => {
    const { reconcile, shown, mothership } = setUp({ spec: { managementPolicies: ['Observe'] } });
    await reconcile();
    expect(shown('Synced')).toMatch(/^False/);
    expect(mothership.writes).toEqual([]);
  });
});

describe('credentials that cannot be read', () => {
  const missing = new ProviderError('waiting', 'Secret team/mothership not found');

  test('leave a ready cluster ready', async () => {
    const { reconcile, shown, failToConnect } = await ready();
    failToConnect(missing);
    await reconcile();
    expect(shown('Ready')).toBe('True/Available');
    expect(shown('Synced')).toMatch(/^False.* Secret team\/mothership not found$/);
  });

  test('are why a new one is not ready', async () => {
    const { reconcile, shown, failToConnect } = setUp();
    failToConnect(missing);
    await reconcile();
    expect(shown('Ready')).toBe('False/Unavailable Secret team/mothership not found');
  });
});

describe('answers of the mothership', () => {
  const answered = (status: number, kind: ConstructorParameters<typeof ProviderError>[0]) =>
    new ResponseError(`GET answered ${status}`, { kind, status, route: 'GET' });

  test.each([
    ['401', answered(401, 'auth')],
    ['403', answered(403, 'auth')],
    ['404 of a proxy', answered(404, 'transient')],
    ['500', answered(500, 'transient')],
    ['503', answered(503, 'transient')],
    ['none', new ProviderError('transient', 'ECONNREFUSED')],
  ])(
    '%s: the resource is not synced, stays ready, keeps its status and finalizer, and is retried',
    async (_, error) => {
      const { reconcile, stored, shown, atProvider, mothership, delete: remove } = await ready();
      const before = atProvider();
      mothership.failWith(error);
      expect(await reconcile()).toMatchObject({ type: 'requeue' });
      expect(shown('Synced')).toBe(`False/ReconcileError observe failed: ${error.message}`);
      expect(shown('Ready')).toBe('True/Available');
      expect(atProvider()).toEqual(before);
      await remove();
      await reconcile();
      expect(stored()).toBeDefined();
      mothership.failWith(undefined);
      await reconcile();
      expect(mothership.writes).toEqual(['put r-1', 'delete r-1']);
    },
  );

  test.each([
    [400, 'the cluster of the kubeconfig does not answer'],
    [500, 'internal error, see the log'],
  ])('%d to a registration: the message is shown, and it is repeated', async (status, said) => {
    const { reconcile, shown, stored, mothership } = setUp();
    const { putCluster } = mothership.client;
    const message = `PUT /v1/clusters answered ${status}: ${said}`;
    const error = new ResponseError(message, { kind: 'transient', status, route: 'PUT' });
    Object.assign(mothership.client, { putCluster: () => Promise.reject(error) });
    expect(await reconcile()).toMatchObject({ type: 'requeue' });
    expect(shown('Synced')).toBe(`False/ReconcileError create failed: ${message}`);
    expect(shown('Ready')).toBe('False/Creating');
    Object.assign(mothership.client, { putCluster });
    await reconcile();
    expect(mothership.writes).toEqual(['put r-1']);
    expect(stored()?.metadata.annotations?.['crossplane.io/external-name']).toBe('r-1');
  });

  test('a state that cannot be read while the status can is no absent cluster', async () => {
    const { reconcile, shown, mothership } = await ready();
    const { clusterState } = mothership.client;
    Object.assign(mothership.client, {
      clusterState: async () => {
        throw new ProviderError('not-found', 'GET answered 404');
      },
    });
    await reconcile();
    expect(shown('Synced')).toContain('the mothership cannot read the state of cluster r-1');
    Object.assign(mothership.client, { clusterState });
    await reconcile();
    expect(mothership.writes).toEqual(['put r-1']);
  });
});

test('a namespaced resource has its kubeconfig from its own namespace, whatever it names', () => {
  const of = (own: string | undefined) =>
    kubeconfigSecretOf({
      metadata: { name: 'a', ...(own === undefined ? {} : { namespace: own }) },
      spec: { forProvider: { kubeconfigSecretRef: { name: 'kubeconfig', namespace: 'kcp-system' } } },
    } as unknown as KymaCluster);
  expect([of('team'), of(undefined)]).toEqual([
    { name: 'kubeconfig', namespace: 'team' },
    { name: 'kubeconfig', namespace: 'kcp-system' },
  ]);
});
