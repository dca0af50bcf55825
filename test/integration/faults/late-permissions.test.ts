/** What the provider needs of the management cluster comes after it: a control plane of this file's own. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import { eventually } from '../../environment/eventually.ts';
import { installCrds, packageCrds } from '../../environment/install-crds.ts';
import { addProviderAccount } from '../harness/provider/provider-account.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';
import { type FaultEnvironment, startFaultEnvironment } from './fault-environment.ts';

let management: ControlPlane;
let environment: FaultEnvironment;
beforeAll(async () => {
  management = await startControlPlane({ name: 'late' });
  environment = await startFaultEnvironment({ management });
});
afterAll(async () => {
  await environment?.stop();
  await management?.stop();
});

test('a provider without permissions and CRDs continues once both exist', async () => {
  const account = await addProviderAccount(management);
  const provider = await environment.run({
    kubeconfig: account.kubeconfig,
    args: ['--leader-election', '--leader-election-namespace=default'],
  });
  const readyz = async () => (await provider.get('/readyz')).body;
  await eventually(async () =>
    expect(await readyz()).toMatch(/managed\/kymainstancemapping.* failed: .*forbidden/),
  );
  expect((await provider.get('/healthz')).status).toBe(200);
  // Then the wait for the next attempt is the longest, 5 s.
  await eventually(async () => {
    const events = await management.auditEvents(account.user);
    const refused = events.filter(({ objectRef }) => objectRef?.resource === 'kymainstancemappings');
    const groups = Map.groupBy(refused, ({ objectRef }) => objectRef?.apiGroup);
    for (const attempts of groups.values()) expect(attempts.length).toBeGreaterThanOrEqual(4);
    expect(groups.size).toBe(2);
  });
  await expectAlive(provider);

  await account.grantCrossplaneRole();
  await eventually(async () =>
    expect(await readyz()).toMatch(/managed\/kymainstancemapping.* ok: waits for kymainstancemappings\./),
  );
  await expectAlive(provider);

  await installCrds(management, await packageCrds());
  const fleet = await environment.fleet(1);
  await fleet.applyClusterIDs();
  await fleet.create();
  await fleet.untilReady();
  expect(fleet.mappings()).toEqual(fleet.wanted());
  await eventually(async () => expect(await readyz()).toContain('readyz check passed'));
  await expectAlive(provider);
}, 120_000);

async function expectAlive(provider: ProviderProcess): Promise<void> {
  expect(provider.isRunning()).toBe(true);
  expect((await provider.get('/healthz')).status).toBe(200);
}
