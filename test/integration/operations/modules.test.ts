/** What `--controllers` chooses, with a running provider. */
import { expect, test } from '@jest/globals';
import { forFile } from '../harness/for-file.ts';
import { startTestEnvironment } from '../harness/test-environment.ts';
import { configObject } from '../runtime/config-environment.ts';

const environment = forFile(() =>
  startTestEnvironment({ flags: { controllers: 'config', maxReconcileRate: 7 } }),
);

/** Controllers that /readyz has a line for. */
const controllers = async () => {
  const page = await environment.provider.get('/readyz');
  return [...page.matchAll(/^\[\+\]((?:managed|providerconfig)\/\S+)/gm)].map(([, name]) => name).sort();
};

const configControllers = [
  'providerconfig/clusterproviderconfig.hana.m.sap.crossplane.io',
  'providerconfig/providerconfig.hana.m.sap.crossplane.io',
  'providerconfig/providerconfig.hana.sap.crossplane.io',
];

test('--controllers=config reconciles provider configurations and leaves mappings alone', async () => {
  const scenario = await environment.scenario();
  await scenario.applySources();
  const { metadata } = await scenario.create();
  const config = configObject(environment.management);
  await config.create();
  await config.untilUsers(0);
  expect(await controllers()).toEqual(configControllers);
  expect(await environment.provider.get('/metrics')).not.toMatch(/instancemapping|hana_api/i);
  expect(await scenario.get()).toMatchObject({ metadata: { resourceVersion: metadata.resourceVersion } });
  expect(scenario.mappings()).toEqual([]);
  await config.delete();
  await config.untilGone();
});

test('with the default modules the same mapping becomes ready', async () => {
  const scenario = await environment.scenario();
  await scenario.applySources();
  await scenario.create();
  await environment.restartProvider({ controllers: 'config,inventory' });
  await scenario.untilReady();
  expect(await controllers()).toEqual([
    'managed/instancemapping.inventory.hana.m.orchestrate.cloud.sap',
    'managed/instancemapping.inventory.hana.orchestrate.cloud.sap',
    'managed/kymainstancemapping.inventory.hana.m.orchestrate.cloud.sap',
    'managed/kymainstancemapping.inventory.hana.orchestrate.cloud.sap',
    ...configControllers,
  ]);
});

test('each controller has as many workers as --max-reconcile-rate says, and that of configurations one', async () => {
  const page = await environment.provider.get('/metrics');
  const workers = new Map(
    [
      ...page.matchAll(
        /^controller_runtime_max_concurrent_reconciles\{[^}]*controller="([^"]+)".*\} (\d+)$/gm,
      ),
    ].map(([, controller, value]) => [controller, value]),
  );
  const written = (await controllers()).map((name = '') => [
    name,
    name.startsWith('providerconfig/') ? '1' : '7',
  ]);
  expect(Object.fromEntries(workers)).toEqual(Object.fromEntries(written));
});
