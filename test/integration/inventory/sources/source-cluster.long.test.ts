/** A source cluster that is not as it should be: a control plane of this file's own, which may be broken. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '../../../../hack/control-planes/control-plane.ts';
import { installBtpKinds } from '../../../environment/btp-kinds.ts';
import { causesIn, diagnosisOf, expectRightDiagnosis } from '../../harness/diagnosis.ts';
import { named } from '../../harness/mappings/blocked.ts';
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
