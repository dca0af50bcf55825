/** Doctor follows the same chain as Connect and Observe: what it says of a broken hop, and that both agree. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Check } from '../../../../internal/controllers/module/diagnosis.ts';
import { editKubeconfig } from '../../harness/access/kubeconfigs.ts';
import { diagnosisOf, problemsIn } from '../../harness/diagnosis.ts';
import { named } from '../../harness/mappings/blocked.ts';
import type { Scenario } from '../../harness/mappings/scenario.ts';
import { startWorld, type World } from '../../harness/test-environment.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

interface Case {
  readonly what: string;
  /** Done to a scenario where everything is in order, before its mapping is created. */
  readonly spoil: (scenario: Scenario) => Promise<void>;
  readonly hop: string;
  readonly status: Check['status'];
  readonly object: string;
  readonly field?: string;
  readonly mend: string;
  /** The condition's message, made of what doctor says of the hop. */
  readonly told: (check: Check) => string;
}

const alone = ({ detail }: Check) => detail;
const withObject = ({ object, detail, cluster }: Check) =>
  `${detail.replace(/^|(?<=; )/g, `${object} `)} (on ${cluster})`;
const connect = (told: Case['told']) => (check: Check) => `connect failed: ${told(check)}`;
const observe = (told: Case['told']) => (check: Check) => `observe failed: ${told(check)}`;

const kubeconfigSecret = {
  hop: 'kubeconfig',
  object: 'Secret default/<name>',
  field: 'kubeconfig',
  mend: 'kubectl -n default create secret generic <name> --from-file=kubeconfig=FILE',
};
const instance = { hop: 'ServiceInstance', object: 'ServiceInstance <namespace>/hana' };
const binding = { hop: 'ServiceBinding', object: 'ServiceBinding <namespace>/hana-admin' };
const secret = { hop: 'Secret', object: `${binding.object}: secret <namespace>/hana-admin-credentials` };
const showBinding = 'kubectl -n <namespace> get servicebindings.services.cloud.sap.com hana-admin -o yaml';

const cases: Case[] = [
  {
    what: 'the kubeconfig Secret is missing',
    spoil: (scenario) => scenario.removeKubeconfig(),
    ...kubeconfigSecret,
    status: 'waiting',
    told: alone,
  },
  {
    what: 'the kubeconfig would run a program',
    spoil: ({ applyKubeconfig }) => {
      const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'false' };
      const kubeconfig = editKubeconfig(world.planes.kyma.kubeconfig, { credentials: { exec } });
      return applyKubeconfig({ kubeconfig });
    },
    ...kubeconfigSecret,
    status: 'failed',
    told: connect(alone),
  },
  {
    what: 'the instance is missing',
    spoil: (scenario) => scenario.remove('instance'),
    ...instance,
    status: 'waiting',
    mend: 'kubectl -n <namespace> get serviceinstances hana -o yaml',
    told: withObject,
  },
  {
    what: 'the instance has no status',
    spoil: async (scenario) => {
      await scenario.remove('instance');
      await scenario.apply('instance', { status: null });
    },
    ...instance,
    status: 'waiting',
    field: 'status.instanceID, status.conditions',
    mend: 'kubectl -n <namespace> describe serviceinstances.services.cloud.sap.com hana',
    told: withObject,
  },
  {
    what: 'the binding names its Secret in a way that nobody understands',
    spoil: (scenario) => scenario.apply('binding', { spec: { secretName: ['hana-admin'] } }),
    ...binding,
    status: 'failed',
    field: 'spec.secretName',
    mend: showBinding,
    told: connect(withObject),
  },
  {
    what: 'the Secret has no credentials',
    spoil: (scenario) => scenario.apply('secret', { data: { other: 'x', more: 'y' } }),
    ...secret,
    status: 'waiting',
    field: 'baseurl, uaa',
    mend: showBinding,
    told: withObject,
  },
  {
    what: 'the cluster ID is empty',
    spoil: (scenario) => scenario.apply('config', { data: { CLUSTER_ID: '' } }),
    hop: 'ConfigMap',
    object: 'ConfigMap <namespace>/cluster-id',
    status: 'waiting',
    field: 'CLUSTER_ID',
    mend: 'kubectl -n <namespace> get configmap cluster-id -o yaml',
    told: withObject,
  },
  {
    what: 'the client secret is not accepted',
    spoil: async (scenario) => {
      const { fields } = await world.simulator.credentials(scenario.instanceID);
      const uaa = JSON.stringify({ ...JSON.parse(fields.uaa ?? ''), clientsecret: 'not-this-one' });
      await scenario.apply('secret', { data: { ...fields, uaa } });
    },
    hop: 'token',
    object: '<token endpoint>',
    status: 'failed',
    mend: showBinding,
    told: observe(({ detail }) =>
      detail.replace(/^.*?: /, `cannot list the mappings of instance <instance>: `),
    ),
  },
  {
    what: 'the API refuses the instance',
    spoil: async ({ instanceID }) => {
      world.simulator.faults.add({
        on: { route: 'list', instance: instanceID },
        do: { kind: 'status', status: 403, body: { error: 'not yours' } },
      });
    },
    hop: 'API',
    object: '<API>, mapping <external name>',
    status: 'failed',
    mend: 'kubectl describe kymainstancemappings.inventory.hana.orchestrate.cloud.sap <name>',
    told: observe(alone),
  },
];

const fill = (scenario: Scenario, text: string) =>
  named(scenario, text)
    .replace('<token endpoint>', `${world.simulator.tokenUrl}/oauth/token`)
    .replace('<API>', world.simulator.apiUrl)
    .replace('<external name>', scenario.externalName)
    .replace('<instance>', scenario.instanceID);

test('a mapping that is Ready is healthy, hop by hop', async () => {
  const scenario = await world.scenario();
  await scenario.createReady();
  const { healthy, checks } = await diagnosisOf(world, scenario.name);
  expect(checks.map(({ hop, status }) => [hop, status])).toEqual(
    [
      'resource',
      'permissions',
      'kubeconfig',
      'ServiceInstance',
      'ServiceBinding',
      'Secret',
      'ConfigMap',
      'permissions',
      'token',
      'API',
    ].map((hop) => [hop, 'ok']),
  );
  expect(healthy).toBe(true);
});

describe('a broken hop is named with its object, field and a command, in the words of the condition', () => {
  test.each(cases)('$what', async ({ spoil, told, what: _, ...wanted }) => {
    const scenario = await world.scenario();
    await scenario.applySources();
    await spoil(scenario);
    await scenario.create();
    await scenario.untilReason('Synced', wanted.status === 'waiting' ? 'Waiting' : 'ReconcileError');

    const diagnosis = await diagnosisOf(world, scenario.name);
    const [problem, ...others] = problemsIn(diagnosis);
    if (problem === undefined) throw new Error('every hop holds');
    expect(problem).toMatchObject({
      ...wanted,
      object: fill(scenario, wanted.object),
      mend: fill(scenario, wanted.mend),
    });
    expect(others).toEqual([]);
    expect(diagnosis.healthy).toBe(false);
    const synced = await scenario.condition('Synced');
    expect(synced?.message).toBe(fill(scenario, told(problem)));
  });
});
