import { expect, test } from '@jest/globals';
import { eventually } from '../../../environment/eventually.ts';
import { addRestrictedUser, watcherRole } from '../../harness/access/restricted-user.ts';
import { expectRightDiagnosis } from '../../harness/diagnosis.ts';
import { forFile, withoutViolations } from '../../harness/for-file.ts';
import { expectBlocked, expectRecovered, type Obstacle } from '../../harness/mappings/blocked.ts';
import type { SourceName, SourceOptions } from '../../harness/mappings/scenario.ts';
import { startTestEnvironment } from '../../harness/test-environment.ts';

const environment = forFile(startTestEnvironment, withoutViolations);

interface Case extends Obstacle {
  readonly title: string;
  readonly source: SourceName;
  /** The source as it is found; absent: it does not exist. */
  readonly found?: SourceOptions;
}

const waiting = (title: string, source: SourceName, message: string, found?: SourceOptions): Case => ({
  title,
  source,
  reason: 'Waiting',
  message: `${message} (on <cluster>)`,
  ...(found ? { found } : {}),
});
const broken = (title: string, source: SourceName, message: string, found: SourceOptions): Case => ({
  ...waiting(title, source, message, found),
  reason: 'ReconcileError',
});

const instance = 'ServiceInstance <namespace>/hana';
const binding = 'ServiceBinding <namespace>/hana-admin';
const secret = `${binding}: secret <namespace>/hana-admin-credentials`;
const config = 'ConfigMap <namespace>/cluster-id';
const notReady = { type: 'Ready', status: 'False', reason: 'CreateInProgress', message: 'being provisioned' };
const baseurl = 'api.example.org';

/** One of each class: inputs.test.ts and findings.test.ts beside the code have all that can be wrong. */
const cases: Case[] = [
  waiting('missing', 'config', `${config} not found`),
  waiting('not ready', 'instance', `${instance} is not ready (CreateInProgress: being provisioned)`, {
    status: { instanceID: 'i-1', conditions: [notReady] },
  }),
  broken('malformed', 'secret', `${secret} has a key uaa that is not a JSON object`, {
    data: { baseurl, uaa: '{"url": ' },
  }),
];

const all: SourceName[] = ['instance', 'binding', 'secret', 'config'];

test.concurrent.each(cases)(
  'a $source that is $title is reported, and nothing is created until it is fixed',
  async ({ source, found, ...obstacle }) => {
    const scenario = await environment.scenario();
    await scenario.applySources(all.filter((name) => name !== source));
    if (found) await scenario.apply(source, found);
    await scenario.create();
    await expectBlocked(environment, scenario, obstacle);

    await scenario.apply(source);
    await expectRecovered(scenario, obstacle);
  },
);

test.concurrent.each(['local', 'remote'] as const)(
  'one message names everything that is missing, and adding it one by one is no event: %s',
  async (sources) => {
    const scenario = await environment.scenario({ sources });
    await scenario.create();
    const nothing = waiting(
      '',
      'instance',
      `${instance} not found; ${binding} not found; ${config} not found`,
    );
    await expectBlocked(environment, scenario, nothing);

    await scenario.apply('binding');
    await eventually(async () => {
      expect((await scenario.condition('Synced'))?.message).toContain('secret');
    });
    await scenario.applySources(['instance', 'secret', 'config']);
    await expectRecovered(scenario, nothing);
    await expectRightDiagnosis(environment, scenario);
  },
);

test.concurrent('a source that may not be read is an error that names it, until the right is granted', async () => {
  const scenario = await environment.scenario();
  const user = await addRestrictedUser(environment.planes.kyma, scenario.namespace);
  await user.grant({ ...watcherRole, secrets: [] });
  await scenario.applyKubeconfig({ kubeconfig: user.kubeconfig });
  await scenario.applySources();
  await scenario.create();
  const name = 'hana-admin-credentials';
  const refusal = `secrets "${name}" is forbidden: User "${user.name}" cannot get resource "secrets" in API group "" in the namespace "<namespace>"`;
  const forbidden: Obstacle = {
    ...broken(
      '',
      'secret',
      `${secret} cannot be read: cannot get Secret <namespace>/${name} on <cluster>: ${refusal}`,
      {},
    ),
    retried: true,
  };
  await expectBlocked(environment, scenario, forbidden);

  await user.grant(watcherRole);
  await expectRecovered(scenario, forbidden);
});

test.concurrent('the Secret of a kubeconfig appears', async () => {
  const scenario = await environment.scenario();
  await scenario.removeKubeconfig();
  await scenario.applySources();
  await scenario.create();
  await scenario.untilReason('Synced', 'Waiting');
  await scenario.applyKubeconfig({ kubeconfig: environment.planes.kyma.kubeconfig });
  await scenario.untilReady();
  expect(scenario.mappings()).toHaveLength(1);
});

test('a source that appears while no provider runs is found by the next one', async () => {
  const scenario = await environment.scenario();
  await scenario.applySources(['instance', 'secret', 'config']);
  await scenario.create();
  await scenario.untilReason('Synced', 'Waiting');
  await environment.provider.stop();
  await scenario.apply('binding');
  await environment.restartProvider();
  await scenario.untilReady();
  expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
});
