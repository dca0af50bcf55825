/** Each remedy of a mapping, executed as a user does: kubectl runs the printed command, and the mapping becomes Ready. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Check } from '../../../../internal/framework/module/diagnosis.ts';
import type { Cause } from '../../../../internal/systems/inventory/kymainstancemapping/diagnosis/remedies.ts';
import { eventually } from '../../../environment/eventually.ts';
import { editKubeconfig } from '../../harness/access/kubeconfigs.ts';
import { addRestrictedUser, watcherRole } from '../../harness/access/restricted-user.ts';
import { causesIn, diagnosisOf, problemsIn } from '../../harness/diagnosis.ts';
import { nextSecond } from '../../harness/mappings/next-second.ts';
import type { CreateOptions, Scenario, ScenarioOptions } from '../../harness/mappings/scenario.ts';
import { startTestEnvironment, type TestEnvironment } from '../../harness/test-environment.ts';
import { noKubectlBecause, openUserShell, type UserShell } from '../../harness/user-shell/user-shell.ts';

const reason = noKubectlBecause();
let environment: TestEnvironment;
let shell: UserShell;
beforeAll(async () => {
  environment = await startTestEnvironment();
  shell = await openUserShell(environment.planes.management.kubeconfigPath);
});
afterAll(async () => {
  await shell?.close();
  await environment?.stop();
});

/** Input objects on another cluster, and on the own one; with them both scopes of the mapping. */
const places = [
  { place: 'remote', of: {} },
  { place: 'local', of: { sources: 'local', scope: 'namespaced' } },
] as const satisfies readonly { readonly place: string; readonly of: ScenarioOptions }[];

interface Fault {
  readonly what: string;
  /** Where the cause is possible. Default: everywhere. */
  readonly only?: (typeof places)[number]['place'];
  /** How the mapping is created. */
  readonly spec?: (scenario: Scenario) => CreateOptions;
  /** Done to input objects that are complete, before the mapping is created. */
  readonly spoil?: (scenario: Scenario) => Promise<void>;
  /** The first check that fails. */
  readonly check: string;
  readonly field?: string;
  /** What the user types in the editor. */
  readonly edit?: (scenario: Scenario) => object;
  /** What the operator of the input objects does, or HANA Cloud, after the command. */
  readonly after?: (scenario: Scenario) => Promise<void>;
}

const kubeconfigFault = (what: string, kubeconfig: (valid: string) => Promise<string> | string): Fault => ({
  what,
  only: 'remote',
  spoil: async ({ applyKubeconfig }) =>
    applyKubeconfig({ kubeconfig: await kubeconfig(environment.planes.kyma.kubeconfig) }),
  check: 'kubeconfig',
  field: 'kubeconfig',
});
const noSuch = (field: string) => (scenario: Scenario) => ({
  forProvider: { [field]: { name: 'no-such', namespace: scenario.namespace } },
});
const corrected = (field: string, name: string) => (scenario: Scenario) => ({
  spec: { forProvider: { [field]: { name, namespace: scenario.namespace } } },
});

/**
 * Those of a conflict are below. The others are in test/integration/inventory/sources: they need another cluster, or another environment of
 * the provider.
 */
type OtherCause = 'conflict' | 'operatorMissing' | 'clusterIdConfigMapFlag';

const faults: Readonly<Record<Exclude<Cause, OtherCause>, readonly Fault[]>> = {
  kubeconfig: [
    {
      what: 'its Secret is missing',
      only: 'remote',
      spoil: (s) => s.removeKubeconfig(),
      check: 'kubeconfig',
      field: 'kubeconfig',
    },
    kubeconfigFault('it would run a program', (valid) =>
      editKubeconfig(valid, {
        credentials: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'false' } },
      }),
    ),
    kubeconfigFault('the cluster does not accept its token (401)', (valid) =>
      editKubeconfig(valid, { credentials: { token: 'not-a-token' } }),
    ),
  ],
  serviceInstanceRef: [
    {
      what: 'names no ServiceInstance',
      spec: noSuch('serviceInstanceRef'),
      check: 'ServiceInstance',
      field: 'spec.forProvider.serviceInstanceRef',
      edit: corrected('serviceInstanceRef', 'hana'),
    },
  ],
  adminBindingRef: [
    {
      what: 'names no ServiceBinding',
      spec: noSuch('adminBindingRef'),
      check: 'ServiceBinding',
      field: 'spec.forProvider.adminBindingRef',
      edit: corrected('adminBindingRef', 'hana-admin'),
    },
  ],
  clusterIdConfigMapRef: [
    {
      what: 'names no ConfigMap',
      spec: noSuch('clusterIdConfigMapRef'),
      check: 'ConfigMap',
      field: 'spec.forProvider.clusterIdConfigMapRef',
      edit: corrected('clusterIdConfigMapRef', 'cluster-id'),
    },
  ],
  references: [
    {
      what: 'one leads out of the namespace of the mapping',
      only: 'local',
      spec: () => ({ forProvider: { adminBindingRef: { name: 'hana-admin', namespace: 'kube-system' } } }),
      check: 'references',
      field: 'spec.forProvider',
      edit: corrected('adminBindingRef', 'hana-admin'),
    },
  ],
  instanceNotReady: [
    {
      what: 'its operator has not finished',
      spoil: async (s) => {
        await s.remove('instance');
        await s.apply('instance', { status: null });
      },
      check: 'ServiceInstance',
      field: 'status.instanceID, status.conditions',
      after: (s) => s.apply('instance'),
    },
  ],
  bindingNotReady: [
    {
      what: 'its operator has not finished',
      spoil: async (s) => {
        await Promise.all([s.remove('binding'), s.remove('secret')]);
        await s.apply('binding', { status: null });
      },
      check: 'Secret',
      after: (s) => s.applySources(['binding', 'secret']),
    },
  ],
  bindingField: [
    {
      what: 'spec.secretName is not the name of a Secret',
      spoil: (s) => s.apply('binding', { spec: { secretName: ['hana-admin'] } }),
      check: 'ServiceBinding',
      field: 'spec.secretName',
      edit: () => ({ spec: { secretName: 'hana-admin-credentials' } }),
    },
  ],
  credentials: [
    {
      what: 'the Secret has others',
      spoil: (s) => s.apply('secret', { data: { host: 'x', port: 'y' } }),
      check: 'Secret',
      field: 'baseurl, uaa',
      after: (s) => s.applySources(['binding', 'secret']),
    },
    {
      what: 'the client secret was revoked',
      spoil: async (s) => {
        const { fields } = await environment.simulator.credentials(s.instanceID);
        const uaa = JSON.stringify({ ...JSON.parse(fields.uaa ?? ''), clientsecret: 'revoked' });
        await s.apply('secret', { data: { ...fields, uaa } });
      },
      check: 'token',
      after: (s) => s.applySources(['binding', 'secret']),
    },
  ],
  clusterID: [
    {
      what: 'is empty',
      spoil: (s) => s.apply('config', { data: { CLUSTER_ID: '' } }),
      check: 'ConfigMap',
      field: 'CLUSTER_ID',
      edit: (s) => ({ data: { CLUSTER_ID: s.clusterID } }),
    },
  ],
  providerConfig: [
    {
      what: 'does not exist',
      spec: ({ home }) => {
        const kind = home === undefined ? {} : { kind: 'ClusterProviderConfig' };
        return { spec: { providerConfigRef: { ...kind, name: 'no-such' } } };
      },
      check: 'ProviderConfig',
      field: 'spec.providerConfigRef',
      edit: () => ({ spec: { providerConfigRef: { name: 'default' } } }),
    },
  ],
  managementPolicies: [
    {
      what: 'are not supported',
      spec: () => ({ spec: { managementPolicies: ['Create', 'Delete'] } }),
      check: 'policies',
      field: 'spec.managementPolicies',
      edit: () => ({ spec: { managementPolicies: ['*'] } }),
    },
  ],
  pausedByAnnotation: [
    {
      what: 'is set',
      spec: () => ({ annotations: { 'crossplane.io/paused': 'true' } }),
      check: 'pause',
      field: 'metadata.annotations[crossplane.io/paused]',
    },
  ],
  unknown: [
    {
      what: 'HANA Cloud fails, and recovers',
      spoil: async ({ instanceID: instance }) => {
        environment.simulator.faults.add({
          on: { route: 'list', instance },
          do: { kind: 'status', status: 500, body: { error: 'out of order' } },
        });
      },
      check: 'API',
      after: async () => environment.simulator.faults.clear(),
    },
  ],
};

/** Executes the command of a check, as it is printed. */
const execute = ({ remediation = '' }: Check, edit = {}) =>
  shell.run(remediation, { file: environment.planes.kyma.kubeconfig, edit });

const inOrder = places.flatMap((at) =>
  Object.entries(faults).flatMap(([cause, rows]) =>
    rows.flatMap((row) =>
      row.only === undefined || row.only === at.place ? [{ cause, ...at, ...row }] : [],
    ),
  ),
);

if (reason !== undefined) test.todo(`commands cannot be executed here: ${reason}`);
else
  describe('after the command the mapping is Ready, and doctor says healthy', () => {
    test.each(inOrder)(
      '$place, $cause: $what',
      async ({ of, spec, spoil, check: name, field, edit, after }) => {
        const scenario = await environment.scenario(of);
        await scenario.applySources();
        await spoil?.(scenario);
        await scenario.create(spec?.(scenario));
        // Many times cheaper than a diagnosis.
        await eventually(async () =>
          expect((await scenario.condition('Synced'))?.status).toMatch(/False|Unknown/),
        );
        const found = await eventually(async () => {
          const diagnosis = await diagnosisOf(environment, scenario);
          expect(problemsIn(diagnosis)[0]).toMatchObject({
            name: 'conditions',
            detail: expect.stringMatching(/^Synced is (False|Unknown)/),
          });
          expect(diagnosis.healthy).toBe(false);
          const [cause] = causesIn(diagnosis);
          if (cause === undefined) throw new Error('no check fails');
          return cause;
        });
        expect(found.name).toBe(name);
        expect(found.field).toBe(field);

        await execute(found, edit?.(scenario));
        await after?.(scenario);
        await scenario.untilReady();
        await eventually(async () => {
          const diagnosis = await diagnosisOf(environment, scenario);
          expect([problemsIn(diagnosis), diagnosis.healthy]).toEqual([[], true]);
        });
      },
    );

    test('rights on the other cluster: the commands grant them to the user of the kubeconfig', async () => {
      const scenario = await environment.scenario();
      const user = await addRestrictedUser(environment.planes.kyma, scenario.namespace);
      await user.grant({ ...watcherRole, secrets: [] });
      await scenario.applyKubeconfig({ kubeconfig: user.kubeconfig });
      await scenario.applySources();
      await scenario.create();
      await scenario.untilReason('Synced', 'ReconcileError');
      const [secret] = causesIn(await diagnosisOf(environment, scenario));
      expect(secret).toMatchObject({ name: 'Secret', status: 'failed' });
      if (secret) await execute(secret);
      await scenario.untilReady();
    });

    test('a conflict: without the younger resource, the owner is left', async () => {
      const owner = await environment.scenario();
      await owner.createReady();
      await nextSecond();
      const rival = await owner.createRival();
      await rival.untilReason('Synced', 'Conflict');
      const [conditions] = problemsIn(await diagnosisOf(environment, rival));
      expect(conditions?.name).toBe('conditions');
      if (conditions) await execute(conditions);
      await rival.untilGone();
      expect((await diagnosisOf(environment, owner)).healthy).toBe(true);
    });
  });
