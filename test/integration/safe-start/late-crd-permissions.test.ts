/** Crossplane v1 and packages without safe-start grant no right to follow CRDs; it may come later. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import { eventually } from '../../environment/eventually.ts';
import { type Crd, installCrds, packageCrds } from '../../environment/install-crds.ts';
import { type FaultyWorld, startFaultyWorld } from '../faults/fault-environment.ts';
import { addProviderAccount } from '../harness/provider/provider-account.ts';
import { controllerOf, untilKinds } from './kind-states.ts';

let management: ControlPlane;
let world: FaultyWorld;
let crds: Crd[];
beforeAll(async () => {
  crds = await packageCrds();
  management = await startControlPlane({ name: 'no-safe-start' });
  world = await startFaultyWorld({ management });
}, 120_000);
afterAll(async () => {
  await world?.stop();
  await management?.stop();
}, 120_000);

test('denied, all kinds run and a missing one is waited for; granted, it goes by the CRDs without a restart', async () => {
  const isMissing = ({ metadata }: Crd) => metadata.name.startsWith('instancemappings.');
  const missing = crds.filter(isMissing);
  await installCrds(
    management,
    crds.filter((crd) => !isMissing(crd)),
  );
  const account = await addProviderAccount(management);
  await account.grantCrossplaneRole({ safeStart: false });
  const provider = await world.run({ kubeconfig: account.kubeconfig });
  await untilKinds(
    provider,
    Object.fromEntries(missing.map((crd) => [controllerOf(crd), 'its kind is not installed'])),
  );
  const { body } = await provider.get('/readyz');
  expect(body).toContain('[+]customresourcedefinitions ok: they may not be followed');
  const [told] = provider.logged(
    'CRDs may not be followed: all kinds run, installed or not, and the right is asked for again',
  );
  expect(told).toMatchObject({ missing: 'get, list, watch customresourcedefinitions.apiextensions.k8s.io' });
  const before = await world.scenario();
  await before.createReady();

  await account.grantCrossplaneRole({ safeStart: true });
  await untilKinds(
    provider,
    Object.fromEntries(missing.map((crd) => [controllerOf(crd), `waits for ${crd.metadata.name}`])),
  );
  await before.reconcile();
  await installCrds(management, crds);
  const raw = world.instanceMapping();
  await raw.createReady();
  await eventually(async () => expect((await provider.get('/readyz')).body).toContain('readyz check passed'));
  expect(await account.refusals()).toEqual([]);
}, 300_000);
