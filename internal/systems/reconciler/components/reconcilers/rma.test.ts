/** What the values of a task must not do on the control plane. `test/integration` has what they do. */
import { expect, test } from '@jest/globals';
import { nopLogger } from '../../../../framework/base/telemetry/telemetry.ts';
import { secrets } from '../../../../framework/kube/object/resource-type.ts';
import type { ActionContext } from '../model/component.ts';
import type { Task } from '../model/task.ts';
import { createFakeParts, testTask } from '../runner/fake-parts.fixture.ts';
import { rma } from './rma.ts';

const NAMESPACE = 'monitoring';
const PASSWORD = 'password-of-another-shoot';

/** The control plane has the release of the Shoot `other`. */
function setUp(changes: Partial<Task> & { readonly shootName?: string }) {
  const { shootName = 'own', configuration, ...task } = changes;
  const { clock, client, cluster, charts, deployer, calls } = createFakeParts();
  const metadata = { name: 'vmuser-rmi-other', namespace: NAMESPACE };
  const data = { password: Buffer.from(PASSWORD).toString('base64') };
  client.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data });
  let opened = 0;
  const actions = rma({
    openControlPlane: async () => {
      opened++;
      return cluster;
    },
  });
  const context: ActionContext = {
    ...{ clock, random: () => 0, log: nopLogger, cluster, charts, deployer },
    task: testTask({
      component: 'rma',
      metadata: { ...testTask().metadata, shootName, instanceID: 'instance' },
      ...task,
    }),
    signal: new AbortController().signal,
    configuration: {
      'rmi.chartUrl': 'https://example.com/rmi.tgz',
      'rmi.namespace': NAMESPACE,
      ...configuration,
    },
    progress: () => undefined,
  };
  return { actions, context, calls, opened: () => opened };
}

test('a cluster of operators has the release of its Shoot', async () => {
  const { actions, context, calls } = setUp({ tenant: 'account g' });
  await actions.preReconcile?.(context);
  expect(calls.filter((call) => /^(render|deploy)/.test(call))).toEqual([
    expect.stringMatching(/^render own .*"shootName":"own"/),
    'deploy rmi-own  1',
  ]);
});

// Registered before the mothership refused the component.
test.each(['own', 'other', 'Other', ' other ', 'other.', 'x,name=other'])(
  'a cluster of a namespace neither makes nor removes a release, whatever Shoot it names: %p',
  async (shootName) => {
    const { actions, context, calls, opened } = setUp({ tenant: 'namespace team', shootName });
    await expect(actions.preReconcile?.(context)).rejects.toMatchObject({
      kind: 'terminal',
      message: expect.stringContaining('let an operator register it'),
    });
    await actions.postDelete?.(context);
    expect([opened(), calls, context.configuration['vmuser.password']]).toEqual([0, [], undefined]);
  },
);

test.each([
  '',
  'Other',
  ' other',
  'other ',
  'other.',
  '../other',
  'other/x',
  'x,name=other',
  'o'.repeat(200),
])('a shootName that is none is refused before the control plane is written: %p', async (shootName) => {
  const { actions, context, calls } = setUp({ shootName });
  for (const act of [actions.preReconcile, actions.postDelete])
    await expect(act?.(context)).rejects.toMatchObject({ kind: 'terminal' });
  expect(calls).toEqual([]);
  expect(context.configuration['vmuser.password']).toBeUndefined();
});

test.each([
  { 'runtime.shootName': 'other', 'auth.password': 'x' },
  { runtime: { shootName: 'other' }, auth: { username: 'x' } },
  { 'metadata.shootName': 'other', shootName: 'other' },
])('values of a configuration are none of the release: %j', async (configuration) => {
  const { actions, context, calls } = setUp({ configuration });
  await actions.preReconcile?.(context);
  expect(calls.join()).toContain('"shootName":"own"');
  expect(calls.join()).not.toContain('other');
  expect(calls.join()).toContain('"username":"instance"');
  expect(context.configuration['vmuser.password']).not.toBe(PASSWORD);
});
