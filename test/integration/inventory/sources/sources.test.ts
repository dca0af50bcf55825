import { expect, test } from '@jest/globals';
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
