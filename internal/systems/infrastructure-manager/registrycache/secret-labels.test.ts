/** Which Secrets lead to a runtime, without the controller of GardenerClusters, which puts their labels right. */
import { expect, test } from '@jest/globals';
import { gardenerClusters } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { runtimes } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { createDeps } from '../../../framework/base/deps.ts';
import { nopLogger } from '../../../framework/base/telemetry/telemetry.ts';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { createInformers } from '../../../framework/kube/cache/informers.ts';
import { createMemoryClient } from '../../../framework/kube/fakes/memory-client.ts';
import { createCluster, createClusterPool, secrets } from '../../../framework/kube/index.ts';
import { createFakeRecorder, gatedKind } from '../../../framework/managed/fakes/index.ts';
import {
  gardenerClusterOf,
  secretKey,
} from '../gardenercluster/fixtures/gardener-cluster-harness.fixture.ts';
import { labelManagedBy, labelShootName, MANAGED_BY } from '../gardenercluster/metadata.ts';
import { labels } from '../metadata.ts';
import { registryCacheConfigs } from '../registry-cache-config.ts';
import { runtimeOf } from '../runtime/fixtures/runtime.fixture.ts';
import { cacheConfig, installKyma } from './fixtures/registry-module.fixture.ts';
import { registryCacheKind } from './kind.ts';

const kubeconfig = `
clusters: [{ name: one, cluster: { server: 'https://api.example.org' } }]
users: [{ name: admin, user: { token: secret } }]
contexts: [{ name: one, context: { cluster: one, user: admin } }]
current-context: one
`;

const own = { [labels.runtimeId]: 'runtime-1', [labelManagedBy]: MANAGED_BY, [labelShootName]: 'one' };

test.each([
  ['of another program', { ...own, [labelManagedBy]: 'others' }],
  ['without the ID of a Runtime', { [labelManagedBy]: MANAGED_BY, [labelShootName]: 'one' }],
  ['without labels', {}],
])('[I72] [N91] a runtime whose Secret is %s is not asked until it has the labels', async (_, given) => {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const runtime = createMemoryClient({ clock, clusterName: 'cluster one' });
  await installKyma(runtime.otherProgram());
  runtime.seed(registryCacheConfigs, cacheConfig('one', { upstream: 'docker.io' }));
  client.seed(runtimes, { ...runtimeOf(), status: { state: 'Ready' } });
  client.seed(gardenerClusters, gardenerClusterOf());
  client.seed(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...secretKey, labels: given },
    data: { config: Buffer.from(kubeconfig).toString('base64') },
  });
  const deps = createDeps({ clock, log: nopLogger });
  const management = createCluster({ ...deps, client });
  const { objectWatcher } = management;
  const clusters = createClusterPool({
    ...{ ...deps, client, objectWatcher },
    connect: (_config, settings) => createCluster({ ...deps, ...settings, client: runtime }),
  });
  const common = { ...deps, client, informers: createInformers({ ...deps, client }) };
  const run = gatedKind(registryCacheKind({ clusters }), {
    ...common,
    recorderFor: () => createFakeRecorder(),
  }).build();
  const end = run.start();
  run.controller.watch();
  run.controller.work();
  const before = runtime.requests.length;
  const caches = () =>
    client.peek(runtimes, { namespace: secretKey.namespace, name: 'runtime-1' })?.spec?.imageRegistryCache;
  await clock.advance(30_000);
  expect(runtime.requests.length).toBe(before);
  expect(caches()).toBeUndefined();
  await client.otherProgram().mergePatch(secrets, secretKey, { metadata: { labels: own } });
  await clock.advance(1000);
  expect(caches()).toMatchObject([{ name: 'one', config: { upstream: 'docker.io' } }]);
  await run.controller.stop();
  end();
  clusters.close();
  await management.close();
});
