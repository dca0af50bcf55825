/** Connections to both clusters are reset every second: a proxy before each API server, for the provider alone. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sleep, systemClock } from '../../../internal/framework/base/time/clock.ts';
import { editKubeconfig } from '../harness/access/kubeconfigs.ts';
import { type CuttingProxy, startCuttingProxy } from '../kube/cutting-proxy.ts';
import { type FaultEnvironment, startFaultEnvironment } from './fault-environment.ts';

let environment: FaultEnvironment;
let proxies: Record<'management' | 'kyma', CuttingProxy>;
beforeAll(async () => {
  environment = await startFaultEnvironment();
  proxies = {
    management: await startCuttingProxy(environment.planes.management.server),
    kyma: await startCuttingProxy(environment.planes.kyma.server),
  };
});
afterAll(async () => {
  await environment?.stop();
  await proxies?.management.close();
  await proxies?.kyma.close();
});

const ROUNDS = 10;

test('fifty mappings that are created, supplied and changed while every connection is cut each second miss no event', async () => {
  const { management, kyma } = proxies;
  const through = ({ url }: CuttingProxy, kubeconfig: string) =>
    editKubeconfig(kubeconfig, { cluster: { server: url } });
  const provider = await environment.run({ kubeconfig: through(management, environment.account.kubeconfig) });
  const fleet = await environment.fleet(50, {
    kubeconfig: through(kyma, environment.planes.kyma.kubeconfig),
  });

  let cuts = 0;
  const cutting = (async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await sleep(systemClock, 1000);
      cuts += management.cut() + kyma.cut();
    }
  })();
  await sleep(systemClock, 500);
  await fleet.create();
  await sleep(systemClock, 2000);
  // Their sources appear on the other cluster, whose watches are cut as well.
  await fleet.applyClusterIDs();
  await sleep(systemClock, 2000);
  await fleet.patch({ spec: { forProvider: { isDefault: true } } });
  await cutting;
  expect(cuts).toBeGreaterThan(ROUNDS);

  await fleet.untilReady(60_000);
  expect(fleet.mappings()).toEqual(fleet.wanted({ isDefault: true }));
  expect(provider.isRunning()).toBe(true);

  await fleet.delete();
  management.cut();
  await fleet.untilGone(60_000);
  expect(fleet.mappings()).toEqual([]);
}, 180_000);
