import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { messageInUse } from '../../../../internal/framework/managed/providerconfig/model/messages.ts';
import { hanaConfigKinds } from '../../../../internal/systems/inventory/config/provider-configs.ts';
import { eventually } from '../../../environment/eventually.ts';
import { type ArgoHealthChecks, argoHealthChecks } from '../../../gitops/argo-health.ts';
import { startTestEnvironment, type TestEnvironment } from '../../harness/test-environment.ts';
import { createConfig } from '../../runtime/config-environment.ts';

let environment: TestEnvironment;
let argo: ArgoHealthChecks;
beforeAll(async () => {
  [environment, argo] = await Promise.all([startTestEnvironment(), argoHealthChecks()]);
});
afterAll(() => environment.stop());

const { cluster, namespaced } = hanaConfigKinds;

test.each([
  { what: 'a ProviderConfig of all', scope: 'cluster', type: cluster.config, usages: cluster.usage },
  {
    what: 'a ClusterProviderConfig',
    scope: 'namespaced',
    type: namespaced.clusterConfig,
    usages: namespaced.usage,
  },
  {
    what: 'a ProviderConfig of a namespace',
    scope: 'namespaced',
    type: namespaced.config,
    usages: namespaced.usage,
  },
] as const)(
  'Argo CD shows that $what is in use, and why it is not deleted',
  async ({ scope, type, usages }) => {
    const scenario = await environment.scenario({ scope });
    const home = type.namespaced ? { namespace: scenario.namespace } : {};
    const config = await createConfig(environment.management, { type, usages, ...home });
    const { name } = config;
    await scenario.createReady({
      spec:
        scope === 'cluster'
          ? { providerConfigRef: { name } }
          : { providerConfigRef: { name, kind: type.kind } },
    });

    expect(await argo.healthOf(await config.untilUsers(1))).toEqual({
      status: 'Healthy',
      message: 'Users: 1',
    });

    await config.delete();
    await eventually(async () => {
      const found = await config.find();
      if (found === undefined) throw new Error('it went before its user');
      expect(await argo.healthOf(found)).toEqual({
        status: 'Progressing',
        message: expect.stringContaining(`Being deleted: ${messageInUse}`),
      });
    });
    await scenario.delete();
    await scenario.untilGone();
    await config.untilGone();
  },
);
