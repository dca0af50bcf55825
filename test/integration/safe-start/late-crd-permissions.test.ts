/** Crossplane v1 and packages without safe-start grant no right to follow CRDs; it may come later. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import { eventually } from '../../environment/eventually.ts';
import { type Crd, installCrds, packageCrds } from '../../environment/install-crds.ts';
import { type FaultEnvironment, startFaultEnvironment } from '../faults/fault-environment.ts';
import { addProviderAccount } from '../harness/provider/provider-account.ts';
import { controllerOf, untilKinds } from './kind-states.ts';

let management: ControlPlane;
let environment: FaultEnvironment;
let crds: Crd[];
beforeAll(async () => {
  crds = await packageCrds();
  management = await startControlPlane({ name: 'no-safe-start' });
  environment = await startFaultEnvironment({ management });
}, 120_000);
afterAll(async () => {
  await environment?.stop();
  await management?.stop();
}, 120_000);

test('denied, all kinds run and a missing one is waited for; granted, kinds follow their CRDs without a restart', async () => {
  const isMissing = ({ metadata }: Crd) => metadata.name.startsWith('instancemappings.');
  const missing = crds.filter(isMissing);
  await installCrds(
    management,
    crds.filter((crd) => !isMissing(crd)),
  );
  const account = await addProviderAccount(management);
  await account.grantCrossplaneRole({ safeStart: false });
  const provider = await environment.run({ kubeconfig: account.kubeconfig });
  await untilKinds(
    provider,
    Object.fromEntries(missing.map((crd) => [controllerOf(crd), 'its kind is not installed'])),
  );
  const { body } = await provider.get('/readyz');
  expect(body).toContain('[+]customresourcedefinitions ok: they may not be followed');
  const [reported] = provider.logged(
    'cannot watch CRDs: all kinds run, installed or not, until the right is granted',
  );
  expect(reported).toMatchObject({
    missing: 'get, list, watch customresourcedefinitions.apiextensions.k8s.io',
  });
  const before = await environment.scenario();
  await before.createReady();

  await account.grantCrossplaneRole({ safeStart: true });
  await untilKinds(
    provider,
    Object.fromEntries(missing.map((crd) => [controllerOf(crd), `waits for ${crd.metadata.name}`])),
  );
  await before.reconcile();
  await installCrds(management, crds);
  const raw = environment.instanceMapping();
  await raw.createReady();
  await eventually(async () => expect((await provider.get('/readyz')).body).toContain('readyz check passed'));
  expect(await account.refusals()).toEqual([]);
}, 300_000);
