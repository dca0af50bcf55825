import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Task } from '../../../../internal/systems/reconciler/mothership/model/mothership.ts';
import { eventually } from '../../../environment/eventually.ts';
import {
  type Behaviour,
  startComponentReconciler,
} from '../../../environment/mothership/component-reconciler.ts';
import {
  type MothershipProgramOptions,
  startMothershipProgram,
} from '../../../environment/mothership/mothership-program.ts';
import { clusterDocument } from '../../../environment/mothership/test-mothership.ts';
import { startTestDatabases, type TestDatabases } from '../../../environment/postgres/test-databases.ts';
import { controlPlanes } from '../../harness/control-planes/control-planes.ts';

let databases: TestDatabases;
let shared: ReturnType<typeof startMothershipProgram> | undefined;
/** Of a real cluster. */
let kubeconfig: string;
beforeAll(async () => {
  databases = await startTestDatabases();
  kubeconfig = (await controlPlanes()).kyma.kubeconfig;
});
afterAll(async () => {
  await (await shared)?.stop();
  await databases.close();
});

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function start(
  behave?: (task: Task, earlier: number) => Behaviour,
  options: MothershipProgramOptions = {},
) {
  const reconciler = await startComponentReconciler(behave);
  cleanUps.push(reconciler.close);
  const mothership = await startMothershipProgram({
    reconciler: reconciler.url,
    databaseUrl: await databases.server?.createDatabase(),
    ...options,
  });
  cleanUps.push(mothership.stop);
  return { ...mothership, reconciler };
}

const document = (runtimeID: string, components?: readonly string[]) =>
  clusterDocument(runtimeID, components, { kubeconfig });

/** Fields of a body by name; fails for anything but an object. */
const fieldsOf = (body: unknown): Record<string, unknown> => {
  expect(body).toEqual(expect.any(Object));
  return body as Record<string, unknown>;
};

describe('a cluster', () => {
  test('[R59] is registered as pending or reconciling, and its statusURL reaches ready; then it is deleted', async () => {
    const { call, url } = await start();
    const registered = await call('POST', '/v1/clusters', { body: document('first') });
    expect(registered).toMatchObject({
      status: 200,
      body: { cluster: 'first', clusterVersion: 1, configurationVersion: 1, failures: [] },
    });
    const { status, statusURL } = fieldsOf(registered.body);
    expect(['reconcile_pending', 'reconciling']).toContain(status);
    expect(statusURL).toBe(`${url}/v1/clusters/first/configs/1/status`);
    const path = String(statusURL).slice(url.length);
    await eventually(async () => {
      expect((await call('GET', path)).body).toMatchObject({ status: 'ready' });
    });
    // The other spelling, and the newest configuration.
    for (const same of ['/v1/clusters/first/config/1/status', '/v1/clusters/first/status']) {
      expect(await call('GET', same)).toMatchObject({ status: 200, body: { status: 'ready', statusURL } });
    }
    const changes = fieldsOf((await call('GET', '/v1/clusters/first/statusChanges')).body).statusChanges;
    expect(changes).toEqual([
      expect.objectContaining({ status: 'ready' }),
      expect.objectContaining({ status: 'reconciling' }),
      expect.objectContaining({ status: 'reconcile_pending' }),
    ]);
    expect(await call('DELETE', '/v1/clusters/first')).toMatchObject({ status: 200 });
    await eventually(async () => {
      expect(await call('GET', path)).toMatchObject({ status: 404, body: { error: expect.any(String) } });
    });
    expect(await call('DELETE', '/v1/clusters/first')).toMatchObject({ status: 404 });
  });

  test('[R60] lists the components that fail, while it is tried again too', async () => {
    const { call } = await start((task) =>
      task.component === 'eventing' ? { callbacks: [{ status: 'error', error: 'no NATS' }] } : {},
    );
    await call('PUT', '/v1/clusters', { body: document('failing') });
    await eventually(async () => {
      expect((await call('GET', '/v1/clusters/failing/status')).body).toMatchObject({
        status: 'reconciling',
        failures: [{ component: 'eventing', reason: expect.stringContaining('no NATS') }],
      });
    });
    const [run] = (await call('GET', '/v1/reconciliations?last=1')).body as { status: string }[];
    await eventually(() => expect(run?.status).toMatch(/reconcil/));
  });

  test('[R61] becomes ready though a component first answers 429', async () => {
    const { call, reconciler } = await start((_, earlier) => (earlier === 0 ? { answer: 429 } : {}));
    await call('POST', '/v1/clusters', { body: document('busy', ['eventing']) });
    await eventually(async () => {
      expect((await call('GET', '/v1/clusters/busy/status')).body).toMatchObject({ status: 'ready' });
    });
    expect(reconciler.received).toHaveLength(4);
  });

  test('is disabled and enabled by its status; an unknown status changes nothing', async () => {
    const { call } = await start();
    await call('POST', '/v1/clusters', { body: document('switched') });
    const set = (status: unknown) => call('PUT', '/v1/clusters/switched/status', { body: { status } });
    expect(await set('sleeping')).toMatchObject({ status: 400 });
    expect(await set(7)).toMatchObject({ status: 400 });
    await eventually(async () => {
      expect((await call('GET', '/v1/clusters/switched/status')).body).toMatchObject({ status: 'ready' });
    });
    expect(await set('reconcile_disabled')).toMatchObject({
      status: 200,
      body: { status: 'reconcile_disabled' },
    });
    // Stored, and still disabled.
    expect(
      (await call('PUT', '/v1/clusters', { body: document('switched', ['serverless']) })).body,
    ).toMatchObject({ status: 'reconcile_disabled' });
    await set('reconcile_pending');
    await eventually(async () => {
      expect((await call('GET', '/v1/clusters/switched/status')).body).toMatchObject({ status: 'ready' });
    });
    expect(await call('PUT', '/v1/clusters/none/status', { body: { status: 'ready' } })).toMatchObject({
      status: 404,
    });
  });

  test('has configuration and state, which never show the kubeconfig', async () => {
    const { call } = await start();
    await call('POST', '/v1/clusters', { body: document('shown') });
    const config = await call('GET', '/v1/clusters/shown/config/1');
    const { kubeconfig: _, ...expected } = document('shown');
    expect(config.body).toEqual(expected.kymaConfig);
    const [run] = await eventually(async () => {
      const found = (await call('GET', '/v1/reconciliations?runtimeID=shown')).body as {
        schedulingID: string;
      }[];
      expect(found).toHaveLength(1);
      return found;
    });
    const info = fieldsOf((await call('GET', `/v1/reconciliations/${run?.schedulingID}/info`)).body);
    const [operation] = info.operations as { correlationID: string }[];
    for (const query of [
      '?runtimeID=shown',
      `?runtimeID=shown&schedulingID=none`,
      `?schedulingID=${run?.schedulingID}`,
      `?correlationID=${operation?.correlationID}`,
      '',
    ]) {
      const state = await call('GET', `/v1/clusters/state${query}`);
      expect(state).toMatchObject({
        status: 200,
        body: {
          cluster: {
            runtimeID: 'shown',
            runtime: expected.runtimeInput,
            metadata: expected.metadata,
            contract: 1,
          },
          configuration: { version: 1, kymaVersion: '2.0.0', components: expected.kymaConfig.components },
        },
      });
      expect(JSON.stringify(state.body)).not.toContain('kubeconfig');
    }
    for (const missing of ['runtimeID', 'schedulingID', 'correlationID']) {
      expect(await call('GET', `/v1/clusters/state?${missing}=none`)).toMatchObject({ status: 404 });
    }
    expect(await call('GET', '/v1/clusters/shown/config/2')).toMatchObject({ status: 404 });
    expect(await call('GET', '/v1/clusters/shown/config/two')).toMatchObject({ status: 400 });
    expect(await call('GET', '/v1/clusters/shown/statusChanges?offset=soon')).toMatchObject({ status: 400 });
  });
});

describe('a registration is refused', () => {
  test.each([
    { what: 'no JSON', body: '{', want: 'the body is no JSON' },
    { what: 'null', body: 'null', want: 'the body: want an object' },
    { what: 'a list', body: '[]', want: 'the body: want an object' },
    { what: 'a body that is too large', body: 'x'.repeat(100_001), want: 'more than 100000 bytes' },
    { what: 'no runtime id', body: { kymaConfig: { version: '1' } }, want: 'runtimeID: it is missing' },
    { what: 'no version', body: { runtimeID: 'a' }, want: 'kymaConfig.version: it is missing' },
    { what: 'a text that is none', body: { runtimeID: 7 }, want: 'runtimeID: want a text' },
    {
      what: 'a NUL character',
      body: { runtimeID: 'a', kymaConfig: { version: '\0' } },
      want: 'kymaConfig.version: it has a NUL',
    },
    {
      what: 'a component without a name',
      body: { runtimeID: 'a', kymaConfig: { version: '1', components: [{}] } },
      want: 'kymaConfig.components[0].component: it is missing',
    },
    {
      what: 'no kubeconfig anywhere',
      body: { runtimeID: 'a', kymaConfig: { version: '1' } },
      want: 'kubeconfig: it is missing',
    },
    {
      what: 'a kubeconfig with a program',
      body: { runtimeID: 'a', kymaConfig: { version: '1' }, kubeconfig: 'users: [{user: {token: hidden' },
      want: 'kubeconfig: kubeconfig is not valid YAML',
    },
  ])('with $what', async ({ body, want }) => {
    const { call } = await sharedMothership();
    const response = await call('POST', '/v1/clusters', { body });
    expect(response).toMatchObject({ status: 400, body: { error: expect.stringContaining(want) } });
    expect(JSON.stringify(response.body)).not.toContain('hidden');
  });

  test('by another version of the API', async () => {
    const { url } = await sharedMothership();
    const response = await fetch(`${url}/v2/clusters`, {
      method: 'POST',
      body: JSON.stringify(document('v2')),
    });
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: 'version 2 of the API is not supported, only 1' },
    ]);
  });

  test('if its kubeconfig is refused by its cluster, and the token is shown nowhere', async () => {
    const { call, logged } = await sharedMothership();
    const refused = kubeconfig.replace(/token: .*/, 'token: hidden-token');
    expect(refused).toContain('hidden-token');
    const body = { ...document('refused'), kubeconfig: refused };
    const response = await call('POST', '/v1/clusters', { body });
    expect(response).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^kubeconfig: /) } });
    expect(JSON.stringify([response, logged])).not.toContain('hidden-token');
    expect(await call('GET', '/v1/clusters/refused/status')).toMatchObject({ status: 404 });
  });

  test('if its cluster is this machine, unless that is allowed', async () => {
    const { call } = await start(undefined, { flags: { allowPrivateEndpoints: false } });
    expect(await call('POST', '/v1/clusters', { body: document('local') })).toMatchObject({
      status: 400,
      body: {
        error: expect.stringContaining(
          '127.0.0.1 is a loopback address (--allow-private-endpoints permits it)',
        ),
      },
    });
  });
});

/** For tests that change nothing. */
const sharedMothership = () => {
  shared ??= (async () =>
    startMothershipProgram({ databaseUrl: await databases.server?.createDatabase() }))();
  return shared;
};

describe('reconciliations', () => {
  test('[R62] are listed by filters; an unknown status and a time that is none are refused', async () => {
    const { call } = await sharedMothership();
    expect(await call('GET', '/v1/reconciliations')).toMatchObject({ status: 200, body: [] });
    for (const query of [
      'status=sleeping',
      'status=ready&status=sleeping',
      'before=yesterday',
      'after=2024-13-01T00:00:00Z',
    ]) {
      expect(await call('GET', `/v1/reconciliations?${query}`)).toMatchObject({ status: 400 });
    }
    expect(
      await call('GET', '/v1/reconciliations?last=many&before=2024-01-01T00:00:00%2B01:00'),
    ).toMatchObject({
      status: 200,
    });
  });

  test('[R63] repeated parameters are lists, and those of the path win over those of the query', async () => {
    const { call } = await start();
    for (const name of ['one', 'two', 'three']) await call('POST', '/v1/clusters', { body: document(name) });
    await eventually(async () => {
      expect((await call('GET', '/v1/reconciliations?status=ready')).body).toHaveLength(3);
    });
    const runs = (
      await call('GET', '/v1/reconciliations?runtimeID=one&runtimeID=two&status=ready&status=error')
    ).body as { runtimeID: string }[];
    expect(runs.map(({ runtimeID }) => runtimeID).sort()).toEqual(['one', 'two']);
    expect((await call('GET', '/v1/reconciliations?last=1')).body).toHaveLength(1);
    expect((await call('GET', '/v1/clusters/one/status?runtimeID=two')).body).toMatchObject({
      cluster: 'one',
    });
  });

  test('[R64] info has all fields, with operations and without', async () => {
    const { call } = await start();
    await call('POST', '/v1/clusters', { body: document('whole') });
    const [run] = await eventually(async () => {
      const found = (await call('GET', '/v1/reconciliations?status=ready')).body as Record<string, unknown>[];
      expect(found).toHaveLength(1);
      return found;
    });
    const id = String(run?.schedulingID);
    expect(run).toMatchObject({ runtimeID: 'whole', lock: `unlock-${id}`, finished: true, status: 'ready' });
    const info = fieldsOf((await call('GET', `/v1/reconciliations/${id}/info`)).body);
    const { lock: _, ...fields } = run ?? {};
    expect(info).toMatchObject({ ...fields, configVersion: 1 });
    const operations = info.operations as Record<string, unknown>[];
    expect(
      operations.map(({ component, priority, state, type }) => ({ component, priority, state, type })),
    ).toEqual([
      { component: 'CRDs', priority: 1, state: 'done', type: 'reconcile' },
      { component: 'eventing', priority: 2, state: 'done', type: 'reconcile' },
      { component: 'istio', priority: 2, state: 'done', type: 'reconcile' },
      { component: 'serverless', priority: 2, state: 'done', type: 'reconcile' },
    ]);
    expect(await call('GET', '/v1/reconciliations/none/info')).toMatchObject({ status: 404 });
    expect(await call('DELETE', '/v1/reconciliations/cluster/whole')).toMatchObject({
      status: 200,
      body: undefined,
    });
    expect(await call('DELETE', '/v1/reconciliations/cluster/whole')).toMatchObject({ status: 404 });
  });
});

describe('operations', () => {
  /** A mothership with one operation at a component and others that have not begun. */
  const begun = async (env: Record<string, string> = {}) => {
    const mothership = await start(
      (task) => (task.component === 'CRDs' ? { callbacks: [{ status: 'running' }] } : {}),
      {
        env,
      },
    );
    await mothership.call('POST', '/v1/clusters', { body: document('slow') });
    const task = await eventually(() => {
      const [first] = mothership.reconciler.received;
      if (first === undefined) throw new Error('no task yet');
      return first.task;
    });
    const [run] = (await mothership.call('GET', '/v1/reconciliations')).body as { schedulingID: string }[];
    const id = String(run?.schedulingID);
    const info = fieldsOf((await mothership.call('GET', `/v1/reconciliations/${id}/info`)).body);
    const operations = info.operations as { correlationID: string; component: string; state: string }[];
    const idOf = (component: string) =>
      String(operations.find((each) => each.component === component)?.correlationID);
    return { ...mothership, task, id, idOf };
  };

  test('are left out before they begin, and not afterwards', async () => {
    const { call, id, idOf, reconciler, task } = await begun();
    const stop = (operation: string, body: unknown = { reason: 'not needed' }) =>
      call('POST', `/v1/operations/${id}/${operation}/stop`, { body });
    expect(await stop(idOf('istio'), {})).toMatchObject({ status: 400 });
    expect(await stop('none')).toMatchObject({ status: 404 });
    expect(await stop(idOf('CRDs'))).toMatchObject({ status: 403 });
    expect(await stop(idOf('istio'))).toMatchObject({ status: 200 });
    expect(await stop(idOf('istio'))).toMatchObject({ status: 403 });
    await reconciler.report(task, 'success');
    await eventually(async () => {
      expect((await call('GET', '/v1/clusters/slow/status')).body).toMatchObject({ status: 'ready' });
    });
    expect(reconciler.received.map((each) => each.task.component).sort()).toEqual([
      'CRDs',
      'eventing',
      'serverless',
    ]);
  });

  test('are debugged if the feature is on, before they begin', async () => {
    const { call, id, idOf, reconciler, task } = await begun({
      DEBUG_LOGGING_FOR_SPECIFIC_OPERATIONS: 'True',
    });
    const debug = (path: string) => call('PUT', `/v1/${path}/debug`);
    expect(await debug(`operations/${id}/${idOf('istio')}`)).toMatchObject({ status: 200 });
    expect(await debug(`operations/${id}/${idOf('CRDs')}`)).toMatchObject({ status: 500 });
    expect(await debug(`operations/${id}/none`)).toMatchObject({ status: 404 });
    expect(await debug(`reconciliations/none`)).toMatchObject({ status: 404 });
    await reconciler.report(task, 'success');
    const received = await eventually(() => {
      expect(reconciler.received).toHaveLength(4);
      return reconciler.received;
    });
    const debugged = received.filter((each) => each.task.componentConfiguration.debug);
    expect(debugged.map((each) => each.task.component)).toEqual(['istio']);
    await eventually(async () => {
      expect((await call('GET', '/v1/clusters/slow/status')).body).toMatchObject({ status: 'ready' });
    });
    expect(await debug(`reconciliations/${id}`)).toMatchObject({ status: 500 });
  });

  test('are not debugged if the feature is off', async () => {
    const { call } = await sharedMothership();
    expect(await call('PUT', '/v1/reconciliations/any/debug')).toMatchObject({
      status: 500,
      body: { error: expect.stringContaining('DEBUG_LOGGING_FOR_SPECIFIC_OPERATIONS') },
    });
  });

  test('a callback without, with a wrong and with an earlier token is refused, and one for no operation is not found', async () => {
    const { call, task, id, idOf } = await begun();
    const { pathname, search } = new URL(task.callbackURL);
    const callback = (path: string, body: unknown = { status: 'running' }) => call('POST', path, { body });
    expect(await callback(pathname)).toMatchObject({ status: 403 });
    expect(await callback(`${pathname}?token=1.wrong`)).toMatchObject({ status: 403 });
    expect(await callback(`/v1/operations/${id}/callback/none${search}`)).toMatchObject({ status: 404 });
    // A token of another operation.
    expect(await callback(`/v1/operations/${id}/callback/${idOf('istio')}${search}`)).toMatchObject({
      status: 403,
    });
    const own = `${pathname}${search}`;
    for (const body of [
      {},
      { status: 'sleeping' },
      { status: 7 },
      '{',
      { status: 'running', progress: 'x'.repeat(20_000) },
    ]) {
      expect(await callback(own, body)).toMatchObject({ status: 400 });
    }
    expect(await callback(own, 'x'.repeat(100_001))).toMatchObject({ status: 500 });
    expect(await callback(own, { status: 'running', progress: { percent: 40 } })).toMatchObject({
      status: 200,
    });
    const info = fieldsOf((await call('GET', `/v1/reconciliations/${id}/info`)).body);
    expect(info.operations).toContainEqual(
      expect.objectContaining({ component: 'CRDs', state: 'in_progress', progress: { percent: 40 } }),
    );
    const success = {
      status: 'success',
      retryID: 'b6ae8ba5-3eb5-4a55-9f5f-6a24f8f4ba36',
      processingDuration: 12,
    };
    expect(await callback(own, success)).toMatchObject({ status: 200, body: undefined });
    // Sent again, as after a lost response; then another result.
    expect(await callback(own, success)).toMatchObject({ status: 200 });
    expect(await callback(own, { status: 'error', error: 'late' })).toMatchObject({ status: 400 });
  });
});

test('[R83] occupancy of worker pools is created, updated and removed; another component or size is refused', async () => {
  const { call, url } = await start(undefined, { env: { WORKERPOOL_OCCUPANCY_TRACKING_ENABLED: 'true' } });
  const report = (pool: string, runningWorkers: number, changes = {}) =>
    call('POST', `/v1/occupancy/${pool}`, {
      body: { component: 'cluster-essentials', runningWorkers, poolSize: 10, ...changes },
    });
  expect(await report('a', 3)).toMatchObject({ status: 201, body: undefined });
  expect(await report('a', 4)).toMatchObject({ status: 200 });
  expect(await report('b', 6)).toMatchObject({ status: 201 });
  expect(await report('a', 4, { component: 'istio' })).toMatchObject({ status: 500 });
  expect(await report('a', 4, { poolSize: 11 })).toMatchObject({ status: 500 });
  expect(await report('a', 11)).toMatchObject({ status: 500 });
  expect(await report('a', 1, { component: '' })).toMatchObject({ status: 400 });
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain('reconciler_worker_pool_occupancy_ratio{component="cluster_essentials"} 50');
  expect(metrics).toContain('reconciler_worker_pool_occupancy_ratio{component="mothership"} 0');
  expect(await call('DELETE', '/v1/occupancy/a')).toMatchObject({ status: 200 });
  expect(await call('DELETE', '/v1/occupancy/a')).toMatchObject({ status: 200 });
});

test('rollouts are an empty list, and one that is unknown cannot be resumed', async () => {
  const { call } = await sharedMothership();
  expect(await call('GET', '/v1/rollouts')).toMatchObject({ status: 200, body: [] });
  expect(await call('POST', '/v1/rollouts/none/resume')).toMatchObject({ status: 404 });
});

test('methods that are none have JSON errors; paths that are none have not, since that would mean that an object is unknown', async () => {
  const { url } = await sharedMothership();
  for (const [method, path, status, type] of [
    ['GET', '/v1/nothing', 404, 'text/plain; charset=UTF-8'],
    ['GET', '/', 404, 'text/plain; charset=UTF-8'],
    ['DELETE', '/v1/clusters', 405, 'application/json'],
    ['GET', '/v1/operations/a/callback/b', 405, 'application/json'],
  ] as const) {
    const response = await fetch(url + path, { method });
    expect([response.status, response.headers.get('content-type')]).toEqual([status, type]);
    const text = await response.text();
    if (type === 'application/json') expect(JSON.parse(text)).toEqual({ error: expect.any(String) });
    else expect(text).toBe('there is nothing at this path');
  }
});
