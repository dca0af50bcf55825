import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { Shoot } from '../../../../../apis/gardener/kinds.ts';
import type { Runtime } from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { createMemoryClient } from '../../../../framework/kube/fakes/memory-client.ts';
import { type ConfigMap, configMaps } from '../../../../framework/kube/index.ts';
import { runtimeOf, worker } from '../fixtures/runtime.fixture.ts';
import { applyProvisioningInfo, provisioningInfo } from './provisioning-info.ts';

const shootOf = (networking: object = {}): Shoot =>
  ({
    spec: {
      networking,
      provider: { type: 'aws', infrastructureConfig: { kind: 'InfrastructureConfig' } },
    },
  }) as unknown as Shoot;

const updated = '2026-01-02T03:04:05Z';
const lastOperation = {
  ...{ description: '', lastUpdateTime: updated, progress: 100 },
  ...{ state: 'Succeeded', type: 'Reconcile' },
};
const reconciled = (runtime: Runtime): Runtime => ({
  ...runtime,
  status: { state: 'Ready', shootLastOperation: lastOperation },
});

const infoOf = (runtime: Runtime, shoot = shootOf(), seedRegion?: string) =>
  parse(provisioningInfo(runtime, shoot, seedRegion));

test('[N48] what components of a runtime know about it, with its keys in order', () => {
  const text = provisioningInfo(reconciled(runtimeOf()), shootOf(), 'eu-central-5');
  expect(text).toBe(`environmentInstanceID: instance-1
globalAccountID: account-1
infrastructureConfig:
  kind: InfrastructureConfig
instanceID: instance-1
instanceName: kyma-1
lastReconcileTime: "${updated}"
networkDetails:
  dualStackIPEnabled: false
platformRegion: cf-eu10
region: eu-central-1
runtimeID: runtime-1
seedRegion: eu-central-5
subaccountID: subaccount-1
workerPools:
  kyma:
    autoScalerMax: 3
    autoScalerMin: 1
    haZones: false
    machineType: m6i.large
    name: cpu-worker-0
`);
});

test.each([
  [0, false],
  [1, false],
  [2, false],
  [3, true],
  [4, false],
  [5, true],
])('[N49] a pool with zones: %i', (count, haZones) => {
  const zones = Array.from({ length: count }, (_, index) => String(index));
  const pools = [worker({ zones }), worker({ name: 'extra', zones })] as const;
  const provider = { type: 'aws', workers: [pools[0]], additionalWorkers: [pools[1]] } as const;
  const { workerPools } = infoOf(
    runtimeOf({ provider: { ...provider, workers: [pools[0]], additionalWorkers: [pools[1]] } }),
  );
  expect(workerPools).toMatchObject({ kyma: { haZones }, custom: [{ name: 'extra', haZones }] });
});

test.each([
  [{ ipFamilies: ['IPv4', 'IPv6'] }, true],
  [{ ipFamilies: ['IPv6', 'IPv4'] }, true],
  [{ ipFamilies: ['IPv4', 'IPv6', 'IPv4'] }, false],
  [{ ipFamilies: ['IPv4'] }, false],
  [{}, false],
])('[N50] families of addresses %j', (networking, dualStackIPEnabled) => {
  expect(infoOf(runtimeOf(), shootOf(networking)).networkDetails).toEqual({ dualStackIPEnabled });
});

describe('[N51] who may connect to the API server', () => {
  test.each([
    ['aws', ['1.2.3.4/32'], { acl: ['1.2.3.4/32'] }],
    ['aws', [], undefined],
    ['aws', undefined, undefined],
    ['gcp', ['1.2.3.4/32'], undefined],
  ] as const)('on %s with %j', (type, allowedCIDRs, expected) => {
    const acl = allowedCIDRs === undefined ? {} : { acl: { allowedCIDRs: [...allowedCIDRs] } };
    const runtime = runtimeOf({
      kubernetes: { kubeAPIServer: acl },
      provider: { type, workers: [worker()] },
    });
    expect(infoOf(runtime).networkDetails.kubeAPIServer).toEqual(expected);
  });
});

test('[N52] what is not known is left out', () => {
  const { networkDetails, workerPools, ...others } = infoOf(
    runtimeOf({ platformRegion: '' }, { labels: {} }),
    { spec: { provider: { type: 'aws' } } } as unknown as Shoot,
  );
  expect(others).toEqual({ region: 'eu-central-1' });
  expect([networkDetails, Object.keys(workerPools)]).toEqual([{ dualStackIPEnabled: false }, ['kyma']]);
});

describe('the ConfigMap in the cluster', () => {
  const key = { namespace: 'kyma-system', name: 'kyma-provisioning-info' };
  const ofOthers = (data: Record<string, string>, labels: Record<string, string> = {}): ConfigMap => ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...key, labels }, data },
  });
  const setup = () => {
    const client = createMemoryClient({ clock: createFakeClock() });
    const { signal } = new AbortController();
    const cluster = { client, signal, assertMayWrite: () => undefined, isNew: false };
    return { client, cluster };
  };

  test('gets the label of its manager, though its content is as it must be', async () => {
    const { client, cluster } = setup();
    client.seed(configMaps, ofOthers({ details: 'same', other: 'x' }, { own: 'y' }));
    await applyProvisioningInfo(cluster, 'same');
    const found = client.peek(configMaps, key);
    expect(found?.metadata.labels).toEqual({
      own: 'y',
      'reconciler.kyma-project.io/managed-by': 'infrastructure-manager',
    });
    expect(found?.data).toEqual({ details: 'same', other: 'x' });
  });

  test.each(['deleted', 'replaced'])('that others have %s since it was written is written', async (how) => {
    const { client, cluster } = setup();
    const { uid } = await applyProvisioningInfo(cluster, 'before');
    await client.delete(configMaps, key);
    if (how === 'replaced') client.seed(configMaps, ofOthers({ other: 'x' }));
    const written = await applyProvisioningInfo(cluster, 'now', uid);
    expect(written.uid).not.toBe(uid);
    expect(client.peek(configMaps, key)?.data).toEqual({
      details: 'now',
      ...(how === 'replaced' ? { other: 'x' } : {}),
    });
  });
});
