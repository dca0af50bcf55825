import { describe, expect, test } from '@jest/globals';
import { ProviderError } from '../../../framework/base/errors/errors.ts';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { createMemoryClient } from '../../../framework/kube/fakes/memory-client.ts';
import type { Check } from '../../../framework/module/diagnosis.ts';
import { InvalidCredentialsError } from '../credentials/errors.ts';
import { createFakeServiceManager } from '../fixtures/fake-service-manager/fake-service-manager.fixture.ts';
import { refusal } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { sampleInstance } from '../serviceinstance/fixtures/serviceinstance.fixture.ts';
import { serviceInstances } from '../serviceinstance/resource.ts';
import type { DiagnosisOptions } from './checks.ts';
import { diagnoseInstance } from './diagnose-instance.ts';

const SECRET = 'a-client-secret';
const secret = { namespace: 'btp', name: 'access' };
const credentials = {
  baseUrl: 'https://sm.example.org',
  tokenUrl: 'https://auth.example.org/oauth/token',
  clientId: 'client',
  authentication: { method: 'client-secret' as const, clientSecret: SECRET },
};
const lastTransitionTime = '2024-01-01T00:00:00Z';
const succeeded = (status: 'True' | 'False', reason: string, message: string) => ({
  conditions: [{ type: 'Succeeded', status, reason, message, lastTransitionTime }],
});
const ready = { type: 'Ready', status: 'True' as const, reason: 'Provisioned', lastTransitionTime };
const works = { conditions: [...succeeded('True', 'Created', '').conditions, ready] };

/** An instance that Service Manager has, and the report on it. */
async function setUp(instance = sampleInstance({}, { instanceID: 'i-1', ...works })) {
  const client = createMemoryClient({ clock: createFakeClock() });
  client.seed(serviceInstances, instance);
  const manager = createFakeServiceManager();
  manager.add({ id: 'i-1' });
  let closed = 0;
  const connected = {
    ...manager.client,
    checkToken: async () => ({ expiresInSeconds: 600 }),
    close: async () => void closed++,
  };
  const options: DiagnosisOptions = {
    kind: 'ServiceInstance',
    name: 'orders',
    namespace: 'shop',
    client,
    objectWatcher: { target: () => ({ description: 'a Secret', watch: () => () => undefined }) },
    signal: new AbortController().signal,
    resolver: {
      resolve: async () => ({ credentials, secret: { namespace: 'btp', name: 'access' }, sources: [] }),
    },
    serviceManager: { connect: () => connected },
  };
  const report = (more: Partial<DiagnosisOptions> = {}) => diagnoseInstance({ ...options, ...more });
  return { client, manager, connected, report, closed: () => closed };
}

const summary = ({ checks }: { readonly checks: readonly Check[] }) =>
  checks.map(({ name, status, detail }) => `${name}: ${status}, ${detail}`);

const skipped = (...names: string[]) => names.map((name) => `${name}: skipped, an earlier check failed`);

test('an instance that works is healthy in each check, and the connection is closed', async () => {
  const { report, closed } = await setUp();
  const diagnosis = await report();
  expect(diagnosis).toMatchObject({ mapping: 'shop/orders', healthy: true });
  expect(summary(diagnosis)).toEqual([
    'resource: ok, found',
    'conditions: ok, Succeeded and Ready: True',
    'parameters: ok, of no Secret',
    'Secret: ok, found and complete',
    'token: ok, granted, valid for 600 s',
    'Service Manager: ok, found',
    'offering and plan: ok, plan ID plan-1',
    'operation: ok, none in progress',
  ]);
  expect(JSON.stringify(diagnosis)).not.toContain(SECRET);
  expect(closed()).toBe(1);
});

describe('the report ends with the first check that fails', () => {
  test('a resource that does not exist, with the command that lists what does', async () => {
    const { report } = await setUp();
    const diagnosis = await report({ name: 'other' });
    expect(summary(diagnosis).slice(1)).toEqual(
      skipped(
        'conditions',
        'parameters',
        'Secret',
        'token',
        'Service Manager',
        'offering and plan',
        'operation',
      ),
    );
    expect(diagnosis.healthy).toBe(false);
    expect(diagnosis.checks[0]).toMatchObject({
      status: 'failed',
      object: 'ServiceInstance shop/other',
      remediation: 'kubectl -n shop get serviceinstances.services.cloud.sap.com',
    });
  });

  test.each([
    {
      title: 'a Secret that is incomplete, with the details for administrators',
      error: new InvalidCredentialsError('Secret btp/access has no sm_url', { secret }),
      detail: 'Secret btp/access has no sm_url',
    },
    {
      title: 'a Secret that cannot be read',
      error: new ProviderError('transient', 'cannot get Secret btp/access: forbidden'),
      detail: 'cannot get Secret btp/access: forbidden',
    },
  ])('$title', async ({ error, detail }) => {
    const { report } = await setUp(sampleInstance({ btpAccessCredentialsSecret: 'access' }));
    const diagnosis = await report({ resolver: { resolve: () => Promise.reject(error) } });
    expect(diagnosis.checks[3]).toMatchObject({
      status: 'failed',
      detail,
      field: 'spec.btpAccessCredentialsSecret',
    });
    expect(summary(diagnosis).slice(4)).toEqual(
      skipped('token', 'Service Manager', 'offering and plan', 'operation'),
    );
  });

  test('a token that is refused, with the command that shows the Secret; the connection is closed', async () => {
    const { report, connected, closed } = await setUp();
    const checkToken = () => Promise.reject(new ProviderError('auth', 'cannot get a token: 401'));
    const diagnosis = await report({ serviceManager: { connect: () => ({ ...connected, checkToken }) } });
    expect(diagnosis.checks[4]).toEqual({
      name: 'token',
      status: 'failed',
      object: credentials.tokenUrl,
      detail: 'cannot get a token: 401',
      field: 'clientid, clientsecret, sm_url, tokenurl',
      remediation:
        'kubectl -n btp create secret generic access --from-env-file=FILE --dry-run=client --output=yaml | kubectl apply --filename=-',
    });
    expect(closed()).toBe(1);
  });
});

describe('Service Manager', () => {
  test('has no instance yet', async () => {
    const { report } = await setUp(sampleInstance());
    expect(summary(await report()).slice(5)).toEqual([
      'Service Manager: waiting, the instance is not created yet',
      'offering and plan: ok, plan ID plan-1',
      'operation: ok, none in progress',
    ]);
  });

  test('has another instance, or does not show it to these credentials', async () => {
    const { report } = await setUp(sampleInstance({}, { instanceID: 'i-2' }));
    expect((await report()).checks[5]).toMatchObject({
      status: 'failed',
      object: 'https://sm.example.org, instance i-2',
      detail: 'does not exist, or is not visible to these credentials',
    });
  });

  test('refuses calls: each check has its own cause, and the connection is closed', async () => {
    const { report, manager, closed } = await setUp();
    manager.fail('get', [refusal(500, 'out of order')], 'forever');
    manager.fail('plan', [refusal(400, 'no such plan')], 'forever');
    const { checks, healthy } = await report();
    expect(checks.slice(5, 7)).toMatchObject([
      { status: 'failed', detail: 'route answered 500: out of order' },
      {
        status: 'failed',
        object: 'xsuaa, plan application',
        detail: 'route answered 400: no such plan',
        remediation: 'kubectl -n shop edit serviceinstances.services.cloud.sap.com orders',
      },
    ]);
    expect([healthy, closed()]).toEqual([false, 1]);
  });
});

describe('the operation', () => {
  test('that failed last is shown with its message', async () => {
    const status = { instanceID: 'i-1', ...succeeded('False', 'CreateFailed', 'quota exceeded') };
    const { report } = await setUp(sampleInstance({}, status));
    expect(summary(await report())[1]).toBe(
      'conditions: failed, Succeeded is False, CreateFailed: quota exceeded; Ready is not set yet',
    );
  });

  test('that should end the sharing of an instance, and failed, is shown although Shared is True', async () => {
    const shared = {
      type: 'Shared',
      status: 'True' as const,
      reason: 'UnShareFailed',
      message: 'it has references',
      lastTransitionTime,
    };
    const status = { instanceID: 'i-1', conditions: [...works.conditions, shared] };
    const { report } = await setUp(sampleInstance({}, status));
    const diagnosis = await report();
    expect(diagnosis.healthy).toBe(false);
    expect(diagnosis.checks[1]).toEqual({
      name: 'conditions',
      status: 'failed',
      detail: 'Shared is True, UnShareFailed: it has references',
      field: 'spec.shared',
      remediation: 'kubectl -n shop edit serviceinstances.services.cloud.sap.com orders',
    });
    // What else has failed comes first.
    const failed = { conditions: [...succeeded('False', 'UpdateFailed', 'no such plan').conditions, shared] };
    const other = await (await setUp(sampleInstance({}, { instanceID: 'i-1', ...failed }))).report();
    expect(summary(other)[1]).toContain('no such plan');
  });

  test.each([
    ['pending', 'waiting'],
    ['in progress', 'waiting'],
    ['failed', 'failed'],
    ['succeeded', 'ok'],
  ] as const)('that is %s is %s', async (state, status) => {
    const operationURL = '/v1/service_instances/i-1/operations/o-1';
    const instance = sampleInstance({}, { instanceID: 'i-1', operationURL, operationType: 'update' });
    const { report, connected } = await setUp(instance);
    const client = { ...connected, getOperation: async () => ({ state, errorDescription: 'why' }) };
    const diagnosis = await report({ serviceManager: { connect: () => client } });
    expect(diagnosis.checks.at(-1)).toMatchObject({
      status,
      object: operationURL,
      detail: `update ${state}: why`,
    });
  });

  test('that Service Manager does not know is an error of the call', async () => {
    const operationURL = '/v1/service_instances/i-1/operations/o-1';
    const instance = sampleInstance({}, { instanceID: 'i-1', operationURL, operationType: 'update' });
    const { report } = await setUp(instance);
    expect(summary(await report()).at(-1)).toMatch(
      /^operation: failed, cannot get the operation \S+o-1: .* answered 404: could not find such operation: o-1$/,
    );
  });
});
