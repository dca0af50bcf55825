import { expect, test } from '@jest/globals';
import { causesIn, diagnosisOf, expectRightDiagnosis } from '../../harness/diagnosis.ts';
import { forFile } from '../../harness/for-file.ts';
import { startTestEnvironment } from '../../harness/test-environment.ts';

const environment = forFile(() => startTestEnvironment({ flags: { allowPrivateEndpoints: false } }));

const port = (url: string) => new URL(url).port;

test.concurrent.each([
  { field: 'baseurl', api: '127.0.0.1', token: '127.0.0.1' },
  { field: 'baseurl', api: 'localhost', token: 'localhost' },
  { field: 'baseurl', api: '2130706433', token: '0x7f000001' },
  { field: 'baseurl', api: '[::ffff:127.0.0.1]', token: '[::1]' },
  { field: 'uaa.url', api: 'api.example.org', token: '127.0.0.1' },
])(
  'by default no request is sent to $api for the API and $token for tokens',
  async ({ field, api, token }) => {
    const scenario = await environment.scenario();
    const { apiUrl, tokenUrl } = environment.simulator;
    const { fields } = environment.simulator.secrets(scenario.instanceID);
    const uaa = { ...JSON.parse(fields.uaa ?? ''), url: `https://${token}:${port(tokenUrl)}` };
    const data = { baseurl: `${api}:${port(apiUrl)}`, uaa: JSON.stringify(uaa) };
    await scenario.applySources(['instance', 'binding', 'config']);
    await scenario.apply('secret', { data });
    await scenario.create();

    const { message } = await scenario.untilReason('Synced', 'ReconcileError');

    expect(message).toContain(`${field} of the credentials is refused`);
    expect(message).toContain('ALLOW_PRIVATE_ENDPOINTS=true');
    expect(await scenario.condition('Ready')).toMatchObject({ status: 'False', reason: 'Unavailable' });
    await scenario.untilEvent('CannotConnectToProvider');
    await expectRightDiagnosis(environment, scenario);
    expect(environment.simulator.connections()).toEqual({ api: 0, token: 0, certToken: 0 });
  },
);

test('doctor names the variable, with which the mapping becomes Ready', async () => {
  const scenario = await environment.scenario();
  await scenario.applySources();
  await scenario.create();
  await scenario.untilReason('Synced', 'ReconcileError');
  const [cause] = causesIn(await diagnosisOf(environment, scenario));
  expect(cause).toMatchObject({
    name: 'endpoint',
    field: 'ALLOW_PRIVATE_ENDPOINTS',
    remediation: expect.stringContaining(
      'set ALLOW_PRIVATE_ENDPOINTS=true in the environment of the provider',
    ),
  });
  await environment.restartProvider({ allowPrivateEndpoints: true });
  await scenario.untilReady();
  await expectRightDiagnosis(environment, scenario);
});
