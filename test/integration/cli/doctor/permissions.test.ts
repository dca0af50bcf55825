/** Doctor checks the permissions of its user on both API servers, and prints the rule that grants what is missing. */
import { describe, expect, test } from '@jest/globals';
import {
  addRestrictedUser,
  documentedRole,
  type Grants,
  watcherRole,
} from '../../harness/access/restricted-user.ts';
import { diagnosisOf, problemsIn } from '../../harness/diagnosis.ts';
import { forFile } from '../../harness/for-file.ts';
import { addProviderAccount } from '../../harness/provider/provider-account.ts';
import { startTestEnvironment } from '../../harness/test-environment.ts';
import { noKubectlBecause, openUserShell } from '../../harness/user-shell/user-shell.ts';

const environment = forFile(startTestEnvironment);

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

describe('on the source cluster', () => {
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

describe('on the management cluster', () => {
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
