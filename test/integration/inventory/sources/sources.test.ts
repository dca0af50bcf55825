import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../../../environment/eventually.ts';
import { addRestrictedUser, watcherRole } from '../../harness/access/restricted-user.ts';
import { expectRightDiagnosis } from '../../harness/diagnosis.ts';
import { expectBlocked, expectRecovered, type Obstacle } from '../../harness/mappings/blocked.ts';
import type { SourceName, SourceOptions } from '../../harness/mappings/scenario.ts';
import { startTestEnvironment, type TestEnvironment } from '../../harness/test-environment.ts';

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await startTestEnvironment();
});
afterAll(async () => {
  expect(environment.simulator.violations()).toEqual([]);
  await environment.stop();
});

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
const ready = (status: string) => ({
  conditions: [{ type: 'Ready', status, reason: 'CreateInProgress', message: 'being provisioned' }],
});
const uaa = JSON.stringify({ url: 'https://uaa.example.org', clientid: 'sb-x', clientsecret: 'never-shown' });
const baseurl = 'api.example.org';

const missing: Case[] = [
  waiting('instance', 'instance', `${instance} not found`),
  waiting('binding', 'binding', `${binding} not found`),
  waiting('Secret', 'secret', `${secret} not found`),
  waiting('ConfigMap', 'config', `${config} not found`),
];
const incomplete: Case[] = [
  waiting('not ready', 'instance', `${instance} is not ready (CreateInProgress: being provisioned)`, {
    status: { instanceID: 'i-1', ...ready('False') },
  }),
  waiting(
    'without any status',
    'instance',
    `${instance} has no status.instanceID yet; ${instance} is not ready`,
    { status: null },
  ),
  waiting('instanceID empty', 'instance', `${instance} has an empty status.instanceID`, {
    status: { instanceID: '', ...ready('True') },
  }),
  waiting('no keys', 'secret', `${secret} has no key baseurl; ${secret} has no key uaa`, { data: {} }),
  waiting('uaa empty', 'secret', `${secret} has an empty key uaa`, { data: { baseurl, uaa: '' } }),
  waiting('baseurl empty', 'secret', `${secret} has an empty key baseurl`, { data: { baseurl: '', uaa } }),
  waiting('no clientsecret', 'secret', `${secret} has no clientsecret in key uaa`, {
    data: { baseurl, uaa: JSON.stringify({ url: 'https://uaa.example.org', clientid: 'sb-x' }) },
  }),
  waiting('no CLUSTER_ID', 'config', `${config} has no key CLUSTER_ID`, { data: {} }),
  waiting('CLUSTER_ID empty', 'config', `${config} has an empty key CLUSTER_ID`, {
    data: { CLUSTER_ID: ' ' },
  }),
];
const malformed: Case[] = [
  broken(
    'instanceID a number',
    'instance',
    `${instance} has a status.instanceID that is not a string but a number`,
    { status: { instanceID: 17, ...ready('True') } },
  ),
  broken(
    'secretName an array',
    'binding',
    `${binding} has a spec.secretName that is not a string but an array`,
    { spec: { secretName: ['hana-admin-credentials'] } },
  ),
  broken('uaa not JSON', 'secret', `${secret} has a key uaa that is not a JSON object`, {
    data: { baseurl, uaa: '{"url": ' },
  }),
  broken('clientid a number', 'secret', `${secret} has a clientid in key uaa that is not a string`, {
    data: { baseurl, uaa: JSON.stringify({ url: 'https://u.example.org', clientid: 1, clientsecret: 'x' }) },
  }),
  broken(
    'baseurl with a space',
    'secret',
    `${secret} has a key baseurl that is not a host name or an https URL`,
    { data: { baseurl: 'api.example .org', uaa } },
  ),
  broken('baseurl without TLS', 'secret', `${secret} has a key baseurl that is not https`, {
    data: { baseurl: 'http://api.example.org', uaa },
  }),
  broken(
    'CLUSTER_ID with a space',
    'config',
    `${config} has a key CLUSTER_ID that holds white space or invisible characters, so it is no ID`,
    {
      data: { CLUSTER_ID: 'c 1' },
    },
  ),
];

const all: SourceName[] = ['instance', 'binding', 'secret', 'config'];

describe.each([
  { what: 'missing', table: missing },
  { what: 'incomplete', table: incomplete },
  { what: 'malformed', table: malformed },
])('a source that is $what is reported, and nothing is created until it is fixed', ({ table }) => {
  test.concurrent.each(table)('$source: $title', async ({ source, found, ...obstacle }) => {
    const scenario = await environment.scenario();
    await scenario.applySources(all.filter((name) => name !== source));
    if (found) await scenario.apply(source, found);
    await scenario.create();
    await expectBlocked(environment, scenario, obstacle);

    await scenario.apply(source);
    await expectRecovered(scenario, obstacle);
  });
});

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

test.concurrent('what is malformed is reported together with what is missing, and each reason is one event', async () => {
  const scenario = await environment.scenario();
  await scenario.applySources(['instance', 'binding']);
  await scenario.create();
  const absent = waiting('', 'secret', `${secret} not found; ${config} not found`);
  await expectBlocked(environment, scenario, absent);

  await scenario.apply('secret', { data: { baseurl, uaa: 'not JSON' } });
  const wrong = `${secret} has a key uaa that is not a JSON object`;
  const mixed = broken('', 'secret', `${wrong}; ${config} not found`, {});
  await expectBlocked(environment, scenario, mixed, absent);

  // One of the two comes first; the message of a reconcile in between is not checked here.
  await scenario.applySources(['secret', 'config']);
  await scenario.untilReady();
});

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
