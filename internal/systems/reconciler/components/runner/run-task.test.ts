import { describe, expect, test } from '@jest/globals';
import { ProviderError, wrap } from '../../../../framework/base/errors/errors.ts';
import { parseUntrustedKubeconfig } from '../../../../framework/kube/config/untrusted-kubeconfig.ts';
import {
  KubeApiError,
  UnreachableError,
  UntrustedServerError,
} from '../../../../framework/kube/errors/errors.ts';
import { configMaps, namespaces } from '../../../../framework/kube/object/resource-type.ts';
import { SourceError } from '../charts/sources/chart-source.ts';
import type { ActionContext } from '../model/component.ts';
import { createFakeParts, testTask } from './fake-parts.fixture.ts';
import { runTask } from './run-task.ts';

const attempt = { verb: 'list', object: 'Namespace', clusterName: 'cluster x' };

describe('actions of a task', () => {
  test.each([
    { type: 'reconcile', want: ['preReconcile 2.0.0', 'reconcile 2.0.0', 'postReconcile 2.0.0'] },
    { type: 'delete', want: ['preDelete 2.0.0', 'delete 2.0.0', 'postDelete 2.0.0'] },
  ] as const)('[R45] those of its type run in their order: $type', async ({ type, want }) => {
    const fake = createFakeParts();
    const names = ['preReconcile', 'reconcile', 'postReconcile', 'preDelete', 'delete', 'postDelete'];
    const actions = Object.fromEntries(
      names.map((name) => [
        name,
        async ({ task }: ActionContext) => void fake.calls.push(`${name} ${task.version}`),
      ]),
    );
    const result = await runTask(testTask({ type }), fake.optionsFor(actions));
    expect(result).toMatchObject({ state: 'success', reason: '' });
    expect(fake.calls).toEqual(want);
    expect(fake.isClosed()).toBe(true);
  });

  test('[R45] without a main action the chart is deployed, with values that an action before it set', async () => {
    const fake = createFakeParts();
    const preReconcile = async ({ configuration }: ActionContext) => {
      configuration['global.own'] = true;
    };
    await runTask(testTask({ configuration: { 'global.a': 1 } }), fake.optionsFor({ preReconcile }));
    await runTask(testTask({ type: 'delete' }), fake.optionsFor({}));
    expect(fake.calls).toEqual([
      'render istio {"global.a":1,"global.own":true}',
      'deploy istio kyma-system 1',
      'render istio {}',
      'remove istio kyma-system 1',
    ]);
  });

  test('a chart is rendered for the versions that the cluster serves', async () => {
    const fake = createFakeParts();
    await runTask(testTask(), fake.optionsFor({}));
    expect(fake.capabilitiesOfCharts).toEqual([{ kubeVersion: 'v1.30.1', apiVersions: ['v1', 'v1/Pod'] }]);
  });

  test.each(['preReconcile', 'reconcile', 'postReconcile'])(
    '[R45] one that fails makes an error of the task: %s',
    async (name) => {
      const fake = createFakeParts();
      const actions = {
        [name]: async () => {
          throw new Error('it broke');
        },
      };
      const ending = runTask(testTask(), fake.optionsFor(actions, { retriesDelayMs: 10_000 }));
      await fake.clock.advance(40_000);
      expect(await ending).toMatchObject({ state: 'error', reason: '#1-#2: it broke (2 times)' });
      expect(fake.statuses()).toEqual(['running', 'failed', 'running', 'error']);
    },
  );

  test.each([
    new SourceError('not-found', 'version 1 has no chart resources/isti'),
    new ProviderError('terminal', 'istio/templates/a.yaml:3: function "x" not defined'),
  ])('a chart that is missing or refused ends it at once: %s', async (error) => {
    const fake = createFakeParts();
    const { charts, ...options } = fake.optionsFor({}, { retriesDelayMs: 10_000 });
    const render = () => Promise.reject(error);
    const { state, reason } = await runTask(testTask(), { ...options, charts: { ...charts, render } });
    expect({ state, reason }).toEqual({ state: 'error', reason: `#1: ${error.message}` });
  });

  test('a source that is not reached is tried again, while the worker is free', async () => {
    const fake = createFakeParts();
    const { charts, ...options } = fake.optionsFor({}, { retriesDelayMs: 10_000 });
    const render = () => Promise.reject(new SourceError('transient', 'no answer'));
    const events: string[] = [];
    const worker = {
      pause: () => void events.push('pause'),
      resume: async () => void events.push('resume'),
    };
    const ending = runTask(testTask(), { ...options, worker, charts: { ...charts, render } });
    await fake.clock.advance(40_000);
    expect(await ending).toMatchObject({ reason: '#1-#2: no answer (2 times)' });
    expect(events).toEqual(['pause', 'resume']);
  });

  test('[R45] [R46] one that takes too long, even one that ignores its signal, is an error in time', async () => {
    const fake = createFakeParts();
    const reconcile = () => new Promise<void>(() => undefined);
    const ending = runTask(testTask(), fake.optionsFor({ reconcile }, { workerTimeoutMs: 1000 }));
    await fake.clock.advance(1000);
    await fake.clock.advance(3000);
    const { state, reason } = await ending;
    expect(state).toBe('error');
    expect(reason).toBe('#1: timed out after 1 s: reconcile istio');
    expect(fake.statuses()).toEqual(['running', 'error']);
    expect(fake.isClosed()).toBe(true);
  });

  test('[R46] a cancelled one is reported as failed, so that it is sent again', async () => {
    const fake = createFakeParts();
    const reconcile = ({ signal }: ActionContext) =>
      new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const ending = runTask(testTask(), fake.optionsFor({ reconcile }));
    await fake.clock.advance(10);
    fake.stopping.abort(new ProviderError('transient', 'the component reconciler is stopping'));
    expect(await ending).toMatchObject({ state: 'cancelled' });
    expect(fake.reports.at(-1)).toMatchObject({
      status: 'failed',
      error: 'cancelled: the component reconciler is stopping',
    });
  });

  test('what the mothership gave to another worker ends without a further report', async () => {
    const fake = createFakeParts();
    fake.answers.push('delivered', 'superseded');
    let cancelled = false;
    const reconcile = ({ signal }: ActionContext) =>
      new Promise<void>((_, reject) =>
        signal.addEventListener('abort', () => {
          cancelled = true;
          reject(signal.reason);
        }),
      );
    const ending = runTask(testTask(), fake.optionsFor({ reconcile }));
    await fake.clock.advance(30_000);
    expect(await ending).toMatchObject({ state: 'cancelled' });
    expect(cancelled).toBe(true);
    expect(fake.statuses()).toEqual(['running', 'running']);
  });
});

describe('attempts', () => {
  const failing = (error: unknown) => ({
    reconcile: async () => {
      throw error;
    },
  });

  test('their delay doubles, and each has an id of its own', async () => {
    const fake = createFakeParts();
    const task = testTask({ componentConfiguration: { maxRetries: 4, debug: false } });
    const ending = runTask(task, fake.optionsFor(failing(new Error('no')), { workerTimeoutMs: 3_600_000 }));
    const begins: number[] = [];
    for (let seconds = 0; seconds <= 240; seconds += 10) {
      const before = fake.reports.filter(({ status, error }) => status === 'running' && error === '').length;
      await fake.clock.advance(10_000);
      const after = fake.reports.filter(({ status, error }) => status === 'running' && error === '').length;
      if (after > before) begins.push(seconds);
    }
    await ending;
    expect(begins).toEqual([0, 20, 80, 200]);
    expect(new Set(fake.reports.map(({ retryID }) => retryID)).size).toBe(4);
  });

  test('what is left of one that failed is cancelled, and what it reports does not count', async () => {
    const fake = createFakeParts();
    const contexts: ActionContext[] = [];
    const reconcile = async (context: ActionContext) => {
      contexts.push(context);
      if (contexts.length === 1) throw new Error('no');
      contexts[0]?.progress('of the first');
      context.progress('of the second');
      await new Promise((resolve) => fake.clock.after(10_000, () => resolve(undefined)));
    };
    const ending = runTask(testTask(), fake.optionsFor({ reconcile }, { workerTimeoutMs: 3_600_000 }));
    await fake.clock.advance(60_000);
    expect(await ending).toMatchObject({ state: 'success' });
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    contexts[1]?.progress('after the end');
    const shown = fake.reports.flatMap(({ progress }) => progress?.message ?? []);
    expect(new Set(shown)).toEqual(new Set(['of the second']));
  });

  test('none is left: an error without one', async () => {
    const fake = createFakeParts();
    const task = testTask({ componentConfiguration: { maxRetries: 0, debug: false } });
    expect(await runTask(task, fake.optionsFor({}))).toMatchObject({
      state: 'error',
      reason: '#1: no attempt is left',
    });
    expect(fake.calls).toEqual([]);
    expect(fake.statuses()).toEqual(['error']);
  });

  const notFound = (missingHost: string) =>
    new UnreachableError(attempt, `getaddrinfo ENOTFOUND ${missingHost}`, { missingHost });
  const otherName = new UntrustedServerError(attempt, "Hostname/IP does not match certificate's altnames");
  const webhook = new KubeApiError(attempt, {
    httpStatus: 500,
    status: {
      message: 'failed calling webhook: lookup hook: no such host',
      reason: 'InternalError',
      code: 500,
      details: undefined,
    },
  });
  test('no further one if the certificate of the cluster is for another name', async () => {
    const fake = createFakeParts();
    const { reason } = await runTask(testTask(), fake.optionsFor(failing(otherName)));
    expect(fake.statuses()).toEqual(['running', 'error']);
    expect(reason).toContain('x509: certificate is valid');
  });

  /** @param again what a second call of the cluster gives; undefined: it answers */
  const endedBy = async (error: unknown, again?: Error) => {
    const fake = createFakeParts();
    fake.client.onRequest(({ verb, type }) => {
      if (again !== undefined && verb === 'list' && type.kind === 'Namespace') throw again;
    });
    const ending = runTask(testTask(), fake.optionsFor(failing(error), { retriesDelayMs: 10_000 }));
    await fake.clock.advance(60_000);
    return { reason: (await ending).reason, statuses: fake.statuses() };
  };
  const gone = notFound('cluster.example');

  test('no further one if the host of the cluster does not exist, in two calls', async () => {
    const { reason, statuses } = await endedBy(gone, gone);
    expect(statuses).toEqual(['running', 'error']);
    expect(reason).toMatch(/no such host$/);
  });

  test.each([
    { what: 'a host that exists for a second call', error: gone },
    {
      what: 'a host whose second call fails otherwise',
      error: gone,
      again: new UnreachableError(attempt, 'cut'),
    },
    { what: 'the host of a proxy', error: notFound('proxy.example'), again: notFound('proxy.example') },
    {
      what: 'the host of another cluster',
      error: wrap(notFound('control-plane.example'), 'rma'),
      again: gone,
    },
    { what: 'a host that a webhook of the cluster calls', error: webhook, again: gone },
    { what: 'a registry of images', error: new Error('pull: dial tcp: no such host'), again: gone },
    { what: 'a text of others about certificates', error: new Error('x509: certificate is valid for a') },
  ])('$what does not say that the cluster is gone', async ({ error, again }) => {
    const { reason, statuses } = await endedBy(error, again);
    expect(statuses).toEqual(['running', 'failed', 'running', 'error']);
    expect(reason).not.toMatch(/no such host|x509: certificate is valid/);
  });

  test('an unusable kubeconfig is reported, without a second attempt and without its content', async () => {
    const fake = createFakeParts();
    const options = {
      ...fake.optionsFor({}),
      openCluster: async (text: string) => {
        parseUntrustedKubeconfig(text);
        return fake.cluster;
      },
    };
    const { reason } = await runTask(testTask({ kubeconfig: 'users: [{token: hunter2}]' }), options);
    expect(fake.statuses()).toEqual(['running', 'error']);
    expect(reason).toMatch(/^#1: kubeconfig /);
    expect(reason).not.toContain('hunter2');
  });
});

describe('CRDs and cleaner', () => {
  test('CRDs of skipped components are left out, and those of Istio if a module manages it', async () => {
    const fake = createFakeParts();
    const task = testTask({ component: 'CRDs', namespace: 'default' });
    fake.client.onRequest(({ type }) => {
      if (type.plural === 'istios') throw new KubeApiError(attempt, { httpStatus: 404 });
    });
    await runTask(task, fake.optionsFor({}));
    await runTask(task, { ...fake.optionsFor({}), skippedComponents: ['serverless'] });
    const other = createFakeParts();
    await runTask(task, other.optionsFor({}));
    const [istio, serverless] = ['istio/crd.yaml', 'serverless/crd.yaml'];
    expect(fake.deployed).toEqual([
      { sources: [istio, serverless], released: [] },
      { sources: [istio], released: [serverless] },
    ]);
    expect(other.deployed).toEqual([{ sources: [serverless], released: [istio] }]);
  });

  test('a cleaner without actions does nothing', async () => {
    const fake = createFakeParts();
    const result = await runTask(testTask({ component: 'cleaner', type: 'delete' }), fake.optionsFor({}));
    expect(result.state).toBe('success');
    expect(fake.calls).toEqual([]);
  });
});

describe('the ConfigMap with the status', () => {
  const statusOf = ({ client }: ReturnType<typeof createFakeParts>) =>
    client.peek(configMaps, { name: 'istio-status', namespace: 'kyma-system' });

  test('shows each status, and the time of the last end', async () => {
    const fake = createFakeParts();
    fake.client.seed(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kyma-system' } });
    const during: unknown[] = [];
    const reconcile = async () => void during.push(statusOf(fake)?.data);
    await runTask(testTask(), fake.optionsFor({ reconcile }));
    expect(during).toEqual([{ name: 'istio', version: '2.0.0', status: 'running' }]);
    expect(statusOf(fake)).toMatchObject({
      metadata: {
        labels: {
          'reconciler.kyma-project.io/managed-by': 'reconciler',
          'reconciler.kyma-project.io/origin-version': '2.0.0',
          'reconciler.kyma-project.io/reconciliation-summary': 'true',
        },
      },
      data: { status: 'success', 'last-reconciliation': '2024-01-01T00:00:00Z' },
    });
  });

  test('one that others have created stays as it is', async () => {
    const fake = createFakeParts();
    fake.client.seed(configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'istio-status', namespace: 'kyma-system' },
      data: { status: 'theirs' },
    });
    expect(await runTask(testTask(), fake.optionsFor({}))).toMatchObject({ state: 'success' });
    expect(statusOf(fake)?.data).toEqual({ status: 'theirs' });
  });

  test('what the cluster says to it does not matter', async () => {
    const fake = createFakeParts();
    fake.client.onRequest(() => {
      throw new KubeApiError(attempt, { httpStatus: 403 });
    });
    expect(await runTask(testTask(), fake.optionsFor({}))).toMatchObject({ state: 'success' });
  });
});
