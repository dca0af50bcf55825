/** `provider-kyma doctor` as scripts and people call it: exit codes, table and JSON. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Cli, createCli } from '../../harness/provider/cli-run.ts';
import { startTestEnvironment, type TestEnvironment } from '../../harness/test-environment.ts';

let environment: TestEnvironment;
let cli: Cli;
beforeAll(async () => {
  environment = await startTestEnvironment();
  cli = await createCli(environment.planes.management, environment.simulator.caCertificate);
});
afterAll(async () => {
  await cli?.stop();
  await environment?.stop();
});

const doctor = (...args: readonly string[]) => cli.run(['doctor', ...args]);

test('a healthy mapping: exit code 0, and JSON for scripts', async () => {
  const scenario = await environment.scenario();
  await scenario.createReady();
  const { code, out, err } = await doctor(scenario.name, '-o', 'json');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(JSON.parse(out)).toMatchObject({ mapping: scenario.name, healthy: true });
  const { fields } = await environment.simulator.credentials(scenario.instanceID);
  expect(out).not.toContain(JSON.parse(fields.uaa ?? '').clientsecret);
});

test('a check is missing: exit code 1, and the report has check, field and command', async () => {
  const scenario = await environment.scenario();
  await scenario.applySources();
  await scenario.apply('config', { data: {} });
  await scenario.create();
  const { code, out, err } = await doctor(scenario.name);
  expect({ code, err }).toEqual({ code: 1, err: '' });
  const object = `ConfigMap ${scenario.namespace}/cluster-id`;
  expect(out).toMatch(
    new RegExp(`^wait +ConfigMap +${object} \\[${scenario.clusterName}\\] +has no key CLUSTER_ID$`, 'm'),
  );
  expect(out).toContain('field: CLUSTER_ID');
  expect(out).toContain(
    `remediation: kubectl --kubeconfig=FILE -n ${scenario.namespace} edit configmap cluster-id`,
  );
  expect(out).toMatch(
    new RegExp(`\\n${scenario.name}: the first check that fails is ConfigMap \\(${object}\\)\\n$`),
  );
});

test('a namespaced mapping is found with -n, and not without', async () => {
  const scenario = await environment.scenario({ scope: 'namespaced' });
  await scenario.createReady();
  const { code, out, err } = await doctor('-n', scenario.namespace, scenario.name, '-o', 'json');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(JSON.parse(out)).toMatchObject({ mapping: `${scenario.namespace}/${scenario.name}`, healthy: true });
  expect((await doctor(scenario.name)).code).toBe(1);
});

test.each<[string, string | undefined]>([
  ['cluster-scoped', undefined],
  ['namespaced', 'default'],
])(
  'a %s InstanceMapping without its Secret: the check with its command, and healthy with the Secret',
  async (_, home) => {
    const raw = environment.instanceMapping(home === undefined ? {} : { home });
    await raw.create();
    await raw.untilReason('Synced', 'Waiting');
    const named = [`instancemapping/${raw.name}`, ...(home === undefined ? [] : ['-n', home])];
    const { code, out, err } = await doctor(...named);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toContain(`Secret default/${raw.name}`);
    expect(out).toContain(
      `remediation: kubectl -n default create secret generic ${raw.name} --from-file=credentials=FILE`,
    );
    await raw.applySecret();
    await raw.untilReady();
    const after = await doctor(...named, '-o', 'json');
    expect([after.code, JSON.parse(after.out)]).toMatchObject([0, { healthy: true }]);
  },
);

test('a mapping that does not exist is a missing check as well', async () => {
  const { code, out } = await doctor('no-such-mapping', '-o', 'json');
  expect(code).toBe(1);
  expect(JSON.parse(out).checks[0]).toMatchObject({ name: 'resource', status: 'failed' });
});

test.each([
  { what: 'no mapping named', args: [] },
  { what: 'an unknown format', args: ['x', '-o', 'xml'] },
  { what: 'a kubeconfig that is not there', args: ['x', '--kubeconfig', '/no/such/file'] },
])('$what: exit code 2 and one line of error', async ({ args }) => {
  const { code, out, err } = await doctor(...args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err.trim().split('\n')).toHaveLength(1);
});
