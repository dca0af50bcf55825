import { describe, expect, test } from '@jest/globals';
import type { CredentialForms } from '../../../simulators/hana-cloud/oauth/credentials.ts';
import { expectRightDiagnosis } from '../../harness/diagnosis.ts';
import { forFile, withoutViolations } from '../../harness/for-file.ts';
import type { Scenario } from '../../harness/mappings/scenario.ts';
import { startTestEnvironment } from '../../harness/test-environment.ts';

const environment = forFile(startTestEnvironment, withoutViolations);

describe('credentials', () => {
  test.concurrent.each<{ form: keyof CredentialForms; reason: string }>([
    { form: 'fields', reason: 'the usual form' },
    { form: 'json', reason: 'a binding with secretKey' },
    { form: 'x509', reason: 'tokens come by a client certificate' },
  ])('in the form $form create a mapping and delete it: $reason', async ({ form }) => {
    const scenario = await environment.scenario();
    const forms = await environment.simulator.credentials(scenario.instanceID);
    await scenario.applySources(['instance', 'binding', 'config']);
    await scenario.apply('secret', { data: forms[form] });
    await scenario.create();
    await scenario.untilReady();
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
    const byCertificate = scenario.hana.requests().every(({ clientID }) => clientID?.includes('x509'));
    expect(byCertificate).toBe(form === 'x509');
    await scenario.delete();
    await scenario.untilGone();
    expect(scenario.mappings()).toEqual([]);
  });

  test.concurrent('that are refused are an error that names the token endpoint and not the secret', async () => {
    const scenario = await environment.scenario();
    const { fields } = environment.simulator.secrets(scenario.instanceID);
    const uaa = { ...JSON.parse(fields.uaa ?? ''), clientsecret: 'wrong-and-never-shown' };
    await scenario.applySources(['instance', 'binding', 'config']);
    await scenario.apply('secret', { data: { ...fields, uaa: JSON.stringify(uaa) } });
    await scenario.create();
    const { message } = await scenario.untilReason('Synced', 'ReconcileError');
    expect(message).toContain('POST /oauth/token answered 401');
    expect(message).not.toContain('never-shown');
    await expectRightDiagnosis(environment, scenario);
    await scenario.apply('secret');
    await scenario.untilReady();
  });
});

describe('a token', () => {
  test.concurrent.each([
    {
      title: 'revoked before its time',
      refuse: async ({ hana }: Scenario) => environment.simulator.store.revokeTokens(hana.clientID()),
    },
    {
      title: 'that the API calls expired',
      refuse: async ({ hana }: Scenario) => {
        hana.fault({ route: 'list', first: 1 }, { kind: 'expired-token' });
      },
    },
  ])('$title is fetched once more, without an effect on the resource', async ({ refuse }) => {
    const scenario = await environment.scenario();
    await scenario.createReady();
    await refuse(scenario);
    const mark = scenario.hana.mark();

    const mapping = await scenario.reconcile();

    expect(mapping.status?.conditions?.map(({ status }) => status)).toEqual(['True', 'True', 'True']);
    expect(scenario.hana.requests({ since: mark }).map(({ status }) => status)).toEqual([401, 200]);
    expect(scenario.hana.tokenRequests(mark)).toHaveLength(1);
  });

  test.concurrent('that is refused again and again is an error after one more grant, and no storm', async () => {
    const scenario = await environment.scenario();
    await scenario.createReady();
    const fault = scenario.hana.fault({}, { kind: 'expired-token' });
    const mark = scenario.hana.mark();
    await scenario.reconcile();
    expect(await scenario.condition('Synced')).toMatchObject({ reason: 'ReconcileError' });
    expect(scenario.hana.requests({ since: mark }).map(({ status }) => status)).toEqual([401, 401]);
    expect(scenario.hana.tokenRequests(mark)).toHaveLength(1);
    await expectRightDiagnosis(environment, scenario);
    fault.remove();
    await scenario.untilReady();
  });
});

describe('credentials that were rotated, the old ones revoked', () => {
  const rotate = async ({ instanceID, apply }: Scenario) => {
    const { fields } = await environment.simulator.rotateCredentials(instanceID, { revokeOld: true });
    await apply('secret', { data: fields });
  };

  test.concurrent('are used by the next reconcile', async () => {
    const scenario = await environment.scenario();
    await scenario.createReady();
    await rotate(scenario);
    const mark = scenario.hana.mark();
    await scenario.reconcile();
    const used = scenario.hana
      .requests({ since: mark })
      .map(({ clientID, status }) => ({ clientID, status }));
    expect(used).toEqual([{ clientID: scenario.hana.clientID(), status: 200 }]);
    await scenario.untilReady();
  });
});
