/**
 * Doctor follows the same chain as Connect and Observe: what it reports for a broken check, and that the condition
 * agrees.
 */
import { describe, expect, test } from '@jest/globals';
import type { Check } from '../../../../internal/framework/module/diagnosis.ts';
import { causesIn, diagnosisOf, problemsIn } from '../../harness/diagnosis.ts';
import { forFile } from '../../harness/for-file.ts';
import { named } from '../../harness/mappings/blocked.ts';
import { nextSecond } from '../../harness/mappings/next-second.ts';
import type { Scenario } from '../../harness/mappings/scenario.ts';
import { startTestEnvironment } from '../../harness/test-environment.ts';

const environment = forFile(startTestEnvironment);

interface Case {
  readonly what: string;
  /** Done to a scenario where everything is in order, before its mapping is created. */
  readonly spoil: (scenario: Scenario) => Promise<void>;
  readonly name: string;
  readonly status: Check['status'];
  readonly object: string;
  readonly field?: string;
  readonly remediation: string;
  /** The expected message of the condition, from the check in doctor's report. */
  readonly reported: (check: Check) => string;
}

const alone = ({ detail }: Check) => detail;
const withObject = ({ object, detail, cluster }: Check) =>
  `${detail.replace(/^|(?<=; )/g, `${object} `)} (on ${cluster})`;
const observe = (reported: Case['reported']) => (check: Check) => `observe failed: ${reported(check)}`;

const kubeconfigSecret = {
  name: 'kubeconfig',
  object: 'Secret default/<name>',
  field: 'kubeconfig',
  remediation:
    'kubectl -n default create secret generic <name> --from-file=kubeconfig=FILE --dry-run=client --output=yaml | kubectl apply --filename=-',
};
const instance = { name: 'ServiceInstance', object: 'ServiceInstance <namespace>/hana' };
const edit = 'kubectl edit kymainstancemappings.inventory.hana.orchestrate.cloud.sap <name>';
const onBinding = (verb: string) =>
  `kubectl --kubeconfig=FILE -n <namespace> ${verb} servicebindings.services.cloud.sap.com hana-admin`;
const recreateBinding = `${onBinding('get')} -o yaml | kubectl --kubeconfig=FILE replace --force --filename=-`;

/** One of each class; `remedies.long.test.ts` executes all remedies. */
const cases: Case[] = [
  {
    what: 'the kubeconfig Secret is missing',
    spoil: (scenario) => scenario.removeKubeconfig(),
    ...kubeconfigSecret,
    status: 'waiting',
    reported: alone,
  },
  {
    what: 'the instance is missing',
    spoil: (scenario) => scenario.remove('instance'),
    ...instance,
    status: 'waiting',
    field: 'spec.forProvider.serviceInstanceRef',
    remediation: edit,
    reported: withObject,
  },
  {
    what: 'the client secret is not accepted',
    spoil: async (scenario) => {
      const { fields } = await environment.simulator.credentials(scenario.instanceID);
      const uaa = JSON.stringify({ ...JSON.parse(fields.uaa ?? ''), clientsecret: 'not-this-one' });
      await scenario.apply('secret', { data: { ...fields, uaa } });
    },
    name: 'token',
    object: '<token endpoint>',
    status: 'failed',
    remediation: recreateBinding,
    reported: observe(({ detail }) =>
      detail.replace(/^.*?: /, `cannot list the mappings of instance <instance>: `),
    ),
  },
  {
    what: 'the API refuses the instance',
    spoil: async ({ instanceID }) => {
      environment.simulator.faults.add({
        on: { route: 'list', instance: instanceID },
        do: { kind: 'status', status: 403, body: { error: 'not yours' } },
      });
    },
    name: 'API',
    object: '<API>, mapping <external name>',
    status: 'failed',
    field: 'spec.forProvider.adminBindingRef',
    remediation: edit,
    reported: observe(alone),
  },
];

const fill = (scenario: Scenario, text: string) =>
  named(scenario, text)
    .replace('<token endpoint>', `${environment.simulator.tokenUrl}/oauth/token`)
    .replace('<API>', environment.simulator.apiUrl)
    .replace('<external name>', scenario.externalName)
    .replace('<instance>', scenario.instanceID);

test('a mapping that is Ready is healthy, check by check', async () => {
  const scenario = await environment.scenario();
  await scenario.createReady();
  const { healthy, checks } = await diagnosisOf(environment, scenario.name);
  expect(checks.map(({ name, status }) => [name, status])).toEqual(
    [
      'resource',
      'conditions',
      'permissions',
      'kubeconfig',
      'ServiceInstance',
      'ServiceBinding',
      'Secret',
      'ConfigMap',
      'permissions',
      'token',
      'API',
    ].map((name) => [name, 'ok']),
  );
  expect(healthy).toBe(true);
});

test('a mapping that is not Synced is not healthy, although all that it needs is there', async () => {
  const owner = await environment.scenario();
  await owner.createReady();
  await nextSecond();
  const rival = await owner.createRival();
  const { message } = await rival.untilReason('Synced', 'Conflict');
  const diagnosis = await diagnosisOf(environment, rival);
  expect(diagnosis.healthy).toBe(false);
  expect(problemsIn(diagnosis)[0]).toMatchObject({
    name: 'conditions',
    status: 'failed',
    detail: expect.stringContaining(`Synced is False, Conflict: ${message}`),
  });
});

describe('a broken check is named with its object, field and a command, in the words of the condition', () => {
  test.each(cases)('$what', async ({ spoil, reported, what: _, ...wanted }) => {
    const scenario = await environment.scenario();
    await scenario.applySources();
    await spoil(scenario);
    await scenario.create();
    await scenario.untilReason('Synced', wanted.status === 'waiting' ? 'Waiting' : 'ReconcileError');

    const diagnosis = await diagnosisOf(environment, scenario.name);
    const [conditions, problem, ...others] = problemsIn(diagnosis);
    expect(conditions?.name).toBe('conditions');
    if (problem === undefined) throw new Error('every check succeeds');
    expect(problem).toMatchObject({
      ...wanted,
      object: fill(scenario, wanted.object),
      remediation: fill(scenario, wanted.remediation),
    });
    expect(others).toEqual([]);
    expect(diagnosis.healthy).toBe(false);
    const synced = await scenario.condition('Synced');
    expect(synced?.message).toBe(fill(scenario, reported(problem)));
  });
});

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
