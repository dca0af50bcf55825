/**
 * Doctor follows the same chain as Connect and Observe: what it reports for a broken check, and that the condition
 * agrees.
 */
import { describe, expect, test } from '@jest/globals';
import type { Check } from '../../../../internal/framework/module/diagnosis.ts';
import {
  addRestrictedUser,
  documentedRole,
  type Grants,
  watcherRole,
} from '../../harness/access/restricted-user.ts';
import { diagnosisOf, problemsIn } from '../../harness/diagnosis.ts';
import { forFile } from '../../harness/for-file.ts';
import { named } from '../../harness/mappings/blocked.ts';
import type { Scenario } from '../../harness/mappings/scenario.ts';
import { addProviderAccount } from '../../harness/provider/provider-account.ts';
import { startTestEnvironment } from '../../harness/test-environment.ts';
import { noKubectlBecause, openUserShell } from '../../harness/user-shell/user-shell.ts';

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

const instance = { name: 'ServiceInstance', object: 'ServiceInstance <namespace>/hana' };
const edit = 'kubectl edit kymainstancemappings.inventory.hana.orchestrate.cloud.sap <name>';
const onBinding = (verb: string) =>
  `kubectl --kubeconfig=FILE -n <namespace> ${verb} servicebindings.services.cloud.sap.com hana-admin`;
const recreateBinding = `${onBinding('get')} -o yaml | kubectl --kubeconfig=FILE replace --force --filename=-`;

/** One of each class; `remedies.long.test.ts` executes all remedies. */
const cases: Case[] = [
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

/** Doctor checks the permissions of its user on both API servers, and prints the rule that grants what is missing. */

/** The commands that create a role of this name and rule, and bind it to a user. */
function grants(flags: string, role: string): unknown {
  const [kind, name] = role.split(' ');
  const kubectl = ['kubectl', flags, 'create'].filter((word) => word !== '').join(' ');
  return expect.stringContaining(
    `${kubectl} ${role} && ${kubectl} ${kind}binding ${name} --${kind}=${name} --`,
  );
}

async function diagnoseAs(grants: Grants) {
  const scenario = await environment.scenario();
  const user = await addRestrictedUser(environment.planes.kyma, scenario.namespace);
  await user.grant(grants);
  await scenario.applyKubeconfig({ kubeconfig: user.kubeconfig });
  await scenario.applySources();
  await scenario.create();
  return { scenario, diagnosis: await diagnosisOf(environment, scenario.name) };
}

describe('rights on the source cluster', () => {
  test('read and watch permissions are sufficient', async () => {
    const { diagnosis } = await diagnoseAs(watcherRole);
    expect(diagnosis.checks.filter(({ name }) => name === 'permissions')).toEqual([
      expect.objectContaining({ status: 'ok', detail: '7 of 7 granted' }),
      expect.objectContaining({ status: 'ok', detail: '8 of 8 granted' }),
    ]);
  });

  test('with the documented role the mapping works, and its cost is a warning', async () => {
    const { scenario } = await diagnoseAs(documentedRole);
    await scenario.untilReady();
    const diagnosis = await diagnosisOf(environment, scenario.name);
    expect(problemsIn(diagnosis)).toEqual([]);
    const warnings = diagnosis.checks.filter(({ status }) => status === 'warning');
    expect(warnings.map(({ object }) => object)).toEqual(
      [
        'serviceinstances.services.cloud.sap.com',
        'servicebindings.services.cloud.sap.com',
        'secrets',
        'configmaps',
      ].map((resource) => `watch ${resource} in ${scenario.namespace}`),
    );
    expect(warnings[0]).toMatchObject({
      detail: 'not allowed: what is missing is asked for every 5 s instead of being watched',
      remediation: grants(
        `--kubeconfig=FILE -n ${scenario.namespace}`,
        'role provider-kyma-watch-serviceinstances --verb=watch --resource=serviceinstances.services.cloud.sap.com',
      ),
    });
  });

  test('a source that may not be read fails, in the words of the condition and with the rule to add', async () => {
    const { scenario, diagnosis } = await diagnoseAs({ ...watcherRole, secrets: [] });
    const { message } = await scenario.untilReason('Synced', 'ReconcileError');
    const [, source, right, ...others] = problemsIn(diagnosis);
    expect(source).toMatchObject({
      name: 'Secret',
      status: 'failed',
      remediation: expect.stringContaining(' create role provider-kyma-get-secrets-hana-admin-credentials '),
    });
    expect(message).toBe(`connect failed: ${source?.object} ${source?.detail} (on ${scenario.clusterName})`);
    expect(right).toMatchObject({
      name: 'permissions',
      object: `get secrets in ${scenario.namespace}`,
      remediation: source?.remediation,
    });
    expect(others).toEqual([]);
  });
});

describe('rights on the management cluster', () => {
  test('a user who may not read the mapping gets the rule', async () => {
    const scenario = await environment.scenario();
    await scenario.create();
    const stranger = await environment.planes.management.addUser({ name: 'stranger' });
    const { healthy, checks } = await diagnosisOf(environment, scenario.name, { kubeconfig: stranger });
    expect(healthy).toBe(false);
    expect(checks[0]).toMatchObject({
      name: 'resource',
      status: 'failed',
      remediation: grants(
        '',
        `clusterrole provider-kyma-get-kymainstancemappings-${scenario.name} --verb=get --resource=kymainstancemappings.inventory.hana.orchestrate.cloud.sap --resource-name=${scenario.name}`,
      ),
    });
    expect(checks.slice(1).map(({ status }) => status)).toEqual(Array(6).fill('skipped'));
  });

  test('for the provider’s account, an admin sees what that lacks, and for which mode it is needed', async () => {
    const local = await environment.scenario({ sources: 'local' });
    await local.createReady();
    const remote = await environment.scenario();
    await remote.createReady();
    const account = await addProviderAccount(environment.planes.management);
    await account.grantCrossplaneRole();
    const user = account.user;
    expect(problemsIn(await diagnosisOf(environment, local.name))).toEqual([]);
    expect(problemsIn(await diagnosisOf(environment, remote.name, { user }))).toEqual([]);
    expect(problemsIn(await diagnosisOf(environment, local.name, { user }))).toEqual(
      [
        { resource: 'serviceinstances', name: 'hana' },
        { resource: 'servicebindings', name: 'hana-admin' },
      ].map(({ resource, name }) => ({
        name: 'permissions',
        status: 'failed',
        cluster: 'management cluster',
        object: `get ${resource}.services.cloud.sap.com in ${local.namespace}`,
        detail: 'not allowed (without kymaConnectionRef the sources are read from this cluster)',
        remediation: grants(
          `-n ${local.namespace}`,
          `role provider-kyma-get-${resource}-${name} --verb=get --resource=${resource}.services.cloud.sap.com --resource-name=${name}`,
        ),
      })),
    );
  });

  const execute = noKubectlBecause() === undefined ? test : test.skip;
  execute('after the commands, the account of the provider has all rights', async () => {
    const { management } = environment.planes;
    const local = await environment.scenario({ sources: 'local', scope: 'namespaced' });
    await local.createReady();
    const { user } = await addProviderAccount(management);
    const missing = problemsIn(await diagnosisOf(environment, local, { user }));
    expect(new Set(missing.map(({ name }) => name))).toEqual(new Set(['permissions']));
    const shell = await openUserShell(management.kubeconfigPath);
    try {
      for (const { remediation = '' } of missing) await shell.run(remediation);
    } finally {
      await shell.close();
    }
    expect(problemsIn(await diagnosisOf(environment, local, { user }))).toEqual([]);
  });
});
