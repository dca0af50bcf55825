import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { diagnosisOf, problemsIn } from '../../harness/diagnosis.ts';
import { startWorld, type World } from '../../harness/test-environment.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  expect(world.simulator.violations()).toEqual([]);
  await world.stop();
});

test('doctor follows the chain of a namespaced mapping', async () => {
  const scenario = await world.scenario({ scope: 'namespaced' });
  await scenario.createReady();
  const diagnosis = await diagnosisOf(world, scenario);
  expect(problemsIn(diagnosis)).toEqual([]);
  expect(diagnosis).toMatchObject({ mapping: `${scenario.namespace}/${scenario.name}`, healthy: true });
  expect(diagnosis.checks.find(({ hop }) => hop === 'kubeconfig')?.object).toBe(
    `Secret ${scenario.namespace}/${scenario.name}`,
  );
  await scenario.remove('config');
  expect(problemsIn(await diagnosisOf(world, scenario))).toMatchObject([
    { hop: 'ConfigMap', status: 'waiting', detail: 'not found' },
  ]);
});

test('doctor names a reference that leads out of the namespace, and the command that opens the mapping', async () => {
  const scenario = await world.scenario({ sources: 'local', scope: 'namespaced' });
  await scenario.create({ forProvider: { adminBindingRef: { name: 'admin', namespace: 'kube-system' } } });
  const resource = 'kymainstancemappings.inventory.hana.m.orchestrate.cloud.sap';
  expect(problemsIn(await diagnosisOf(world, scenario))).toMatchObject([
    {
      hop: 'references',
      status: 'failed',
      detail: expect.stringContaining('adminBindingRef names the namespace "kube-system"'),
      mend: `kubectl -n ${scenario.namespace} edit ${resource} ${scenario.name}`,
    },
  ]);
});

test('doctor looks for a namespaced mapping in the namespace it is told, and for no other', async () => {
  const scenario = await world.scenario({ scope: 'namespaced' });
  await scenario.applySources();
  await scenario.create();
  expect(problemsIn(await diagnosisOf(world, scenario.name))).toMatchObject([
    { hop: 'resource', mend: 'kubectl get kymainstancemappings.inventory.hana.orchestrate.cloud.sap' },
  ]);
});
