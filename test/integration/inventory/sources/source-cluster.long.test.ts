/** A source cluster that is not as it should be: a control plane of this file's own, which may be broken. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '../../../../hack/control-planes/control-plane.ts';
import { installBtpKinds } from '../../../environment/btp-kinds.ts';
import { causesIn, diagnosisOf, expectRightDiagnosis } from '../../harness/diagnosis.ts';
import { expectBlocked, named } from '../../harness/mappings/blocked.ts';
import { startTestEnvironment, type TestEnvironment } from '../../harness/test-environment.ts';

let plane: ControlPlane;
let environment: TestEnvironment;
beforeAll(async () => {
  plane = await startControlPlane({ name: 'source' });
  environment = await startTestEnvironment({ kyma: plane });
});
afterAll(async () => {
  await environment?.stop();
  await plane?.stop();
});

test('the BTP service operator is installed late: its kinds are named, and found once they are there', async () => {
  const scenario = await environment.scenario();
  await scenario.applySources(['secret', 'config']);
  await scenario.create();
  const { message } = await scenario.untilReason('Synced', 'Waiting');
  const unknown = (kind: string, name: string) =>
    `${kind} <namespace>/${name} not found: the cluster does not know ${kind} (services.cloud.sap.com/v1); is the SAP BTP service operator installed?`;
  const both = [unknown('ServiceInstance', 'hana'), unknown('ServiceBinding', 'hana-admin')].join('; ');
  expect(message).toBe(named(scenario, `${both} (on <cluster>)`));
  await expectRightDiagnosis(environment, scenario);
  const [cause] = causesIn(await diagnosisOf(environment, scenario));
  expect(cause).toMatchObject({
    field: 'spec.forProvider.kymaConnectionRef',
    remediation: expect.stringMatching(/^install a BTP service operator on that cluster/),
  });

  await installBtpKinds(plane);
  await scenario.applySources(['instance', 'binding']);
  await scenario.untilReady();
  await expectRightDiagnosis(environment, scenario);
});

const outages = [
  {
    what: 'refuses connections',
    why: () => `connect ECONNREFUSED ${new URL(plane.server).host}`,
    begin: async () => {
      await plane.stopApiServer();
      return () => plane.startApiServer();
    },
  },
  {
    what: 'accepts connections and does not respond',
    why: () => `Connect Timeout Error (attempted address: ${new URL(plane.server).host}, timeout: 5000ms)`,
    begin: () => plane.freeze('kube-apiserver'),
  },
];

test.each(outages)('a cluster that $what is waited for, and tried again', async ({ why, begin }) => {
  const scenario = await environment.scenario();
  await scenario.applySources();
  const end = await begin();
  try {
    await scenario.create();
    await expectBlocked(environment, scenario, {
      reason: 'Waiting',
      message: `<cluster> is unreachable: cannot get ServiceInstance <namespace>/hana on <cluster>: ${why()}; its kubeconfig is key kubeconfig of Secret default/<name>`,
    });
  } finally {
    await end();
  }
  await scenario.untilReady();
});

test('a mapping that was seen stays Ready while its cluster is away', async () => {
  const scenario = await environment.scenario();
  await scenario.createReady();
  await plane.stopApiServer();
  try {
    const { status } = await scenario.reconcile();
    expect(status?.conditions).toMatchObject([
      { type: 'Synced', status: 'False', reason: 'Waiting' },
      { type: 'Ready', status: 'True', reason: 'Available' },
      { type: 'UpToDate', status: 'True', reason: 'ObserveMatched' },
    ]);
    await expectRightDiagnosis(environment, scenario);
  } finally {
    await plane.startApiServer();
  }
  await scenario.untilReady();
});
