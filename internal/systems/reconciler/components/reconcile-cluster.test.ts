import { describe, expect, test } from '@jest/globals';
import { nopLogger } from '../../../framework/base/telemetry/telemetry.ts';
import type { ComponentReconcilers } from './model/component.ts';
import {
  type ClusterRequest,
  type ComponentStatus,
  localCallback,
  reconcileCluster,
} from './reconcile-cluster.ts';
import { createFakeParts } from './runner/fake-parts.fixture.ts';

function setUp(reconcilers: ComponentReconcilers = { base: {} }, skippedComponents: string[] = []) {
  const fake = createFakeParts();
  const statuses: ComponentStatus[] = [];
  const run = (request: Partial<ClusterRequest>) =>
    reconcileCluster(
      {
        kubeconfig: 'k',
        version: '2.0.0',
        components: [
          { component: 'a' },
          { component: 'istio', namespace: 'istio-system' },
          { component: 'b' },
        ],
        preComponents: [['istio']],
        ...request,
      },
      {
        ...fake.optionsFor({}, { maxRetries: 1 }),
        parts: fake.optionsFor({}),
        reconcilers,
        skippedComponents,
        onStatus: (status) => void statuses.push(status),
      },
    );
  return { ...fake, run, statusesSeen: statuses };
}

describe('all components of a cluster in this process', () => {
  test('[R42] [R43] are reconciled in their order, and each is running, then a success', async () => {
    const { run, calls, statusesSeen } = setUp();
    const result = await run({});
    expect(result.status).toBe('ready');
    expect(result.components.map(({ component, state }) => `${component} ${state}`)).toEqual([
      'CRDs done',
      'istio done',
      'a done',
      'b done',
    ]);
    expect(calls.filter((call) => call.startsWith('deploy'))).toEqual([
      'deploy CRDs default 1',
      'deploy istio istio-system 1',
      'deploy a kyma-system 1',
      'deploy b kyma-system 1',
    ]);
    expect(statusesSeen.filter(({ component }) => component === 'a').map(({ status }) => status)).toEqual([
      'running',
      'success',
    ]);
  });

  test('[R42] are deleted in reverse order, as the type says', async () => {
    const types: string[] = [];
    const { run, calls } = setUp({
      base: {},
      cleaner: {
        delete: async ({ task }) => void types.push(`${task.type} ${JSON.stringify(task.configuration)}`),
      },
    });
    expect((await run({ type: 'delete' })).status).toBe('deleted');
    expect(calls.filter((call) => call.startsWith('remove'))).toEqual([
      'remove a kyma-system 1',
      'remove b kyma-system 1',
      'remove istio istio-system 1',
      'remove CRDs default 1',
    ]);
    expect(types).toEqual(['delete {"delete_strategy":"system"}']);
  });

  test('[R43] one that fails makes an error of the result, and later ones are not begun', async () => {
    const { run, statusesSeen } = setUp({
      base: {},
      istio: {
        reconcile: async () => {
          throw new Error('it broke');
        },
      },
    });
    const result = await run({});
    expect(result).toMatchObject({
      status: 'error',
      components: [
        { component: 'CRDs', state: 'done' },
        { component: 'istio', state: 'error', reason: '#1: it broke' },
        { component: 'a', state: 'new' },
        { component: 'b', state: 'new' },
      ],
    });
    expect(statusesSeen.at(-1)).toEqual({ component: 'istio', status: 'error', error: '#1: it broke' });
  });

  test('without a version of Kyma there are no CRDs; skipped components are left out', async () => {
    const { run } = setUp({ base: {} }, ['istio', 'b']);
    const { components } = await run({ version: '' });
    expect(components.map(({ component }) => component)).toEqual(['a']);
  });

  test('[R42] that are cancelled are no success', async () => {
    const { run, stopping } = setUp({
      base: {
        reconcile: async () => {
          stopping.abort(new Error('interrupted'));
        },
      },
    });
    expect(await run({})).toMatchObject({
      status: 'error',
      components: [{ state: 'error', reason: 'cancelled: interrupted' }, { state: 'new' }, {}, {}],
    });
  });
});

test('[R47] a local report is a call of the function; its error is not that of the component', async () => {
  const callback = localCallback(
    'a',
    () => {
      throw new Error('full');
    },
    nopLogger,
  );
  const message = { status: 'running', error: '', retryID: '', processingDuration: 0 } as const;
  expect(await callback(message, new AbortController().signal)).toBe('refused');
});
