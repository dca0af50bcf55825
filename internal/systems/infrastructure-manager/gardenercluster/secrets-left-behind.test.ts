import { afterEach, describe, expect, test } from '@jest/globals';
import { gardenerClusters } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { startSimulatedGardener } from '../../../../test/simulators/gardener/simulated-gardener.ts';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { formatTimestamp } from '../../../framework/base/time/formats.ts';
import { apiError } from '../../../framework/kube/fakes/memory-client.ts';
import { type Secret, secrets } from '../../../framework/kube/index.ts';
import {
  clusterKey,
  gardenerClusterOf,
  secretKey,
  startGardenerClusterHarness,
} from './fixtures/gardener-cluster-harness.fixture.ts';
import { annotationLastSync } from './metadata.ts';

const HOUR = 3_600_000;

const h = forEachTest(() => startGardenerClusterHarness((clock) => startSimulatedGardener({ clock })));
afterEach(() => expect(h.gardener.errors).toEqual([]));

async function created(): Promise<void> {
  await h.create();
  await h.wait();
}

const others = () => h.client.otherProgram();

describe('a Secret without its GardenerCluster', () => {
  /** The Secret as a backup has it. */
  const kept = (): Secret => {
    const secret = h.secret();
    if (secret === undefined) throw new Error('there is no Secret');
    const { uid: _, resourceVersion: __, creationTimestamp: ___, ...metadata } = secret.metadata;
    return { ...secret, metadata };
  };

  test('of which nothing says that the GardenerCluster existed stays, and is adopted as it is when that is created', async () => {
    await created();
    const secret = kept();
    const { 'operator.kyma-project.io/cluster': __, ...annotations } = secret.metadata.annotations ?? {};
    await h.stopProcess();
    await others().delete(secrets, secretKey);
    await others().delete(gardenerClusters, clusterKey);
    await h.restart();
    await others().create(secrets, { ...secret, metadata: { ...secret.metadata, annotations } });
    await h.wait(600_000);
    expect(h.secret()?.data).toEqual(secret.data);
    await h.create();
    await h.wait();
    expect(h.shown()).toMatch(/^Ready True /);
    expect([h.secret()?.data, h.requests()]).toEqual([secret.data, 1]);
    // This process saw that the GardenerCluster owned it.
    await h.delete();
    await h.wait();
    expect(h.secret()).toBeUndefined();
  });

  test('of a backup stays until its GardenerCluster is restored, which owns it then', async () => {
    await created();
    const secret = kept();
    await h.delete();
    await h.wait(HOUR);
    expect(h.secret()).toBeUndefined();
    await others().create(secrets, secret);
    await h.restart();
    await h.wait();
    expect(h.secret()?.data).toEqual(secret.data);
    await h.create();
    await h.wait();
    const { namespace, name } = clusterKey;
    const annotations = {
      'operator.kyma-project.io/cluster': `${namespace}/${name}/${h.stored()?.metadata.uid} ${namespace}/${secretKey.name}`,
    };
    expect(h.secret()).toMatchObject({ data: secret.data, metadata: { annotations } });
    await h.delete();
    await h.wait();
    expect(h.secret()).toBeUndefined();
  });

  test.each([
    { seconds: 60, stays: false },
    { seconds: 61, stays: true },
  ])('that was created $seconds s after its kubeconfig', async ({ seconds, stays }) => {
    await created();
    const { metadata, ...secret } = kept();
    await h.stopProcess();
    await others().delete(secrets, secretKey);
    await others().delete(gardenerClusters, clusterKey);
    const annotations = {
      ...metadata.annotations,
      [annotationLastSync]: formatTimestamp(h.client.now() - seconds * 1000),
    };
    await others().create(secrets, { ...secret, metadata: { ...metadata, annotations } });
    await h.restart();
    await h.wait();
    expect(h.secret() !== undefined).toBe(stays);
  });

  test('of the same Shoot, beside another one, stays', async () => {
    await created();
    const secret = kept();
    const { labels = {} } = secret.metadata;
    const second = { namespace: secretKey.namespace, name: 'copy' };
    await others().create(secrets, {
      ...secret,
      metadata: { ...second, labels: { ...labels, 'operator.kyma-project.io/cluster-name': 'other' } },
    });
    await h.wait(600_000);
    expect(h.client.peek(secrets, second)).toBeDefined();
    await h.delete();
    await h.wait();
    expect([h.secret(), h.client.peek(secrets, second)?.data]).toEqual([undefined, secret.data]);
  });

  test('stays while a 404 is not about that GardenerCluster', async () => {
    await created();
    await h.stopProcess();
    await others().delete(gardenerClusters, clusterKey);
    const end = h.client.onRequest(({ verb, type, key }) => {
      if (type.kind === gardenerClusters.kind && (verb === 'get' || (verb === 'list' && !key)))
        throw apiError(404, 'NotFound', '404 page not found');
    });
    await h.restart();
    await h.wait(60_000);
    expect(h.secret()).toBeDefined();
    end();
    await h.wait(300_000);
    expect(h.secret()).toBeUndefined();
  });

  test('in another namespace than its GardenerCluster is kept while that exists, and goes with it', async () => {
    const elsewhere = { namespace: 'elsewhere', name: secretKey.name };
    const cluster = gardenerClusterOf();
    const secret = { ...elsewhere, key: 'config' };
    await others().create(gardenerClusters, {
      ...cluster,
      spec: { ...cluster.spec, kubeconfig: { secret } },
    });
    await h.wait(60_000);
    expect([h.client.peek(secrets, elsewhere)?.type, h.requests()]).toEqual(['Opaque', 1]);
    await h.delete();
    await h.wait();
    expect(h.client.peek(secrets, elsewhere)).toBeUndefined();
  });
});
