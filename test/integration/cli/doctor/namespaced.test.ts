import { expect, test } from '@jest/globals';
import { causesIn, diagnosisOf, problemsIn } from '../../harness/diagnosis.ts';
import { forFile, withoutViolations } from '../../harness/for-file.ts';
import { startTestEnvironment } from '../../harness/test-environment.ts';

const environment = forFile(startTestEnvironment, withoutViolations);

test('doctor follows the chain of a namespaced mapping', async () => {
  const scenario = await environment.scenario({ scope: 'namespaced' });
  await scenario.createReady();
  const diagnosis = await diagnosisOf(environment, scenario);
  expect(problemsIn(diagnosis)).toEqual([]);
  expect(diagnosis).toMatchObject({ mapping: `${scenario.namespace}/${scenario.name}`, healthy: true });
  expect(diagnosis.checks.find(({ name }) => name === 'kubeconfig')?.object).toBe(
    `Secret ${scenario.namespace}/${scenario.name}`,
  );
  await scenario.remove('config');
  expect(causesIn(await diagnosisOf(environment, scenario))).toMatchObject([
    { name: 'ConfigMap', status: 'waiting', detail: 'not found' },
  ]);
});

test('doctor names a reference that leads out of the namespace, and the command that opens the mapping', async () => {
  const scenario = await environment.scenario({ sources: 'local', scope: 'namespaced' });
  await scenario.create({ forProvider: { adminBindingRef: { name: 'admin', namespace: 'kube-system' } } });
  const resource = 'kymainstancemappings.inventory.hana.m.orchestrate.cloud.sap';
  expect(causesIn(await diagnosisOf(environment, scenario))).toMatchObject([
    {
      name: 'references',
      status: 'failed',
      detail: expect.stringContaining('adminBindingRef names the namespace "kube-system"'),
      remediation: `kubectl -n ${scenario.namespace} edit ${resource} ${scenario.name}`,
    },
  ]);
});

test('doctor reads a namespaced mapping in the given namespace, and in no other', async () => {
  const scenario = await environment.scenario({ scope: 'namespaced' });
  await scenario.applySources();
  await scenario.create();
  expect(problemsIn(await diagnosisOf(environment, scenario.name))).toMatchObject([
    {
      name: 'resource',
      remediation: 'kubectl get kymainstancemappings.inventory.hana.orchestrate.cloud.sap',
    },
  ]);
});
