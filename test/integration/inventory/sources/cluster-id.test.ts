/** The ID of the management cluster is read where its BTP service operator has it, without a copy. */
import { expect, test } from '@jest/globals';
import { configMaps, namespaces } from '../../../../internal/framework/kube/object/resource-type.ts';
import { eventually } from '../../../environment/eventually.ts';
import { configMapManifest, namespaceManifest } from '../../../environment/manifests.ts';
import { uniqueName } from '../../harness/control-planes/control-planes.ts';
import { causesIn, diagnosisOf, expectRightDiagnosis } from '../../harness/diagnosis.ts';
import { forFile } from '../../harness/for-file.ts';
import type { CreateOptions } from '../../harness/mappings/scenario.ts';
import { startTestEnvironment } from '../../harness/test-environment.ts';

const environment = forFile(() =>
  startTestEnvironment({
    flags: { clusterIdConfigMap: `${place.namespace}/${place.name}` },
  }),
);
const place = { namespace: uniqueName('sap-btp-operator'), name: 'sap-btp-operator-config' };
const installed = async (clusterID: string) => {
  await environment.management.apply(namespaces, namespaceManifest(place.namespace));
  await environment.management.apply(configMaps, configMapManifest(place, { CLUSTER_ID: clusterID }));
};

/** No reference of the mapping names the ConfigMap. */
const withoutRef = { forProvider: { clusterIdConfigMapRef: undefined } } as unknown as CreateOptions;

async function mapped(options?: CreateOptions) {
  const scenario = await environment.scenario({ sources: 'local', scope: 'namespaced' });
  await scenario.applySources(['instance', 'binding', 'secret']);
  await scenario.create({ ...withoutRef, ...options });
  return scenario;
}

test('a namespaced mapping uses the ID of the chart in another namespace; a new installation with another ID replaces it', async () => {
  const first = uniqueName('id');
  await installed(first);
  const scenario = await mapped();
  await scenario.untilReady();
  expect(scenario.mappings()).toMatchObject([{ primaryID: first }]);
  await expectRightDiagnosis(environment, scenario);

  const second = uniqueName('id');
  await installed(second);
  await scenario.reconcile();
  await eventually(() => expect(scenario.mappings()).toMatchObject([{ primaryID: second }]));
  await scenario.untilReady();
});

test('while the ConfigMap of the provider is missing doctor names the variable, with which the mapping becomes Ready', async () => {
  await installed(uniqueName('id'));
  await environment.restartProvider({ clusterIdConfigMap: `${place.namespace}/no-such` });
  const scenario = await mapped();
  await scenario.untilReason('Synced', 'Waiting');
  await expectRightDiagnosis(environment, scenario);
  const [cause] = causesIn(await diagnosisOf(environment, scenario));
  expect(cause).toMatchObject({
    name: 'ConfigMap',
    field: 'CLUSTER_ID_CONFIG_MAP',
    remediation: expect.stringContaining('set CLUSTER_ID_CONFIG_MAP=NAMESPACE/sap-btp-operator-config'),
  });
  await environment.restartProvider({ clusterIdConfigMap: `${place.namespace}/${place.name}` });
  await scenario.untilReady();
  await expectRightDiagnosis(environment, scenario);
});
