/** What Argo CD, Flux and kstatus say of ServiceInstances as a real API server stores them. */
import '../harness/timeout.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import { argoHealthChecks } from '../../gitops/argo-health.ts';
import { type BtpPhase, btpVerdicts } from '../../gitops/btp-phases.ts';
import { fluxHealthChecks } from '../../gitops/flux-health.ts';
import { kstatus } from '../../gitops/kstatus.ts';
import { type BtpEnvironment, startBtpEnvironment } from './btp-environment.ts';
import type { InstanceOfTest } from './objects-of-test.ts';

let environment: BtpEnvironment;
const argo = await argoHealthChecks();
const flux = await fluxHealthChecks();
beforeAll(async () => {
  environment = await startBtpEnvironment();
});
afterAll(() => environment?.stop());

async function expectPhase(instance: InstanceOfTest, phase: BtpPhase): Promise<void> {
  const object = (await instance.find()) as KubeObject | undefined;
  if (object === undefined) throw new Error(`it is gone, and should be ${phase}`);
  const health = await argo.healthOf(object);
  expect({ phase, argo: health?.status, flux: flux.statusOf(object), kstatus: kstatus(object) }).toEqual({
    phase,
    ...btpVerdicts[phase],
  });
}

test('[B12.10] an instance is led through its phases', async () => {
  const { simulator } = environment;
  const instance = await environment.instance();
  await instance.create();
  await expectPhase(instance, 'not observed');
  const refuse = (route: 'createInstance' | 'updateInstance' | 'deleteInstance') =>
    simulator.faults.add({
      on: { route },
      do: { kind: 'status', status: 400, body: { error: 'BadRequest', description: 'no quota' } },
    });
  refuse('createInstance');
  const provider = await environment.start();
  await instance.until('Succeeded', /^False CreateFailed/);
  await expectPhase(instance, 'create failed');
  simulator.faults.clear();
  await instance.until('Succeeded', /^True Created/);
  await expectPhase(instance, 'ready to use');

  refuse('updateInstance');
  await instance.patch({ parameters: { size: 2 } });
  await instance.until('Succeeded', /^False UpdateFailed/);
  await expectPhase(instance, 'update failed');
  simulator.faults.clear();
  await instance.until('Succeeded', /^True Updated/);

  const never = { async: { polls: 1_000_000, outcome: 'succeeded' as const } };
  simulator.modes.add({ on: { name: instance.name, operation: 'update' }, mode: never });
  await instance.patch({ parameters: { size: 3 } });
  await instance.until('Succeeded', /^False UpdateInProgress/);
  await expectPhase(instance, 'being updated');

  const other = await environment.instance();
  await other.create({ servicePlanName: 'private', shared: true });
  await other.until('Shared', /ShareNotSupported/);
  await expectPhase(other, 'sharing refused');
  refuse('deleteInstance');
  await other.delete();
  await other.until('Succeeded', /^False DeleteFailed/);
  await expectPhase(other, 'deletion failed');
  simulator.faults.clear();
  await other.untilGone();

  const gone = await environment.instance();
  await gone.create();
  await gone.until('Succeeded', /^True Created/);
  await provider.kill();
  await gone.patch({ parameters: { size: 2 } });
  await expectPhase(gone, 'changed, not observed');
  simulator.store.removeInstance(gone.external()[0]?.id ?? '');
  await environment.start();
  await gone.until('Ready', /^False NotFound/);
  await expectPhase(gone, 'gone in Service Manager');
});
