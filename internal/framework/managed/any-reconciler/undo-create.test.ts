/** The API server can delete an object after the PUT that begins a create: it ignored the finalizer of that PUT. */
import { describe, expect, test } from '@jest/globals';
import { ProviderError } from '../../base/errors/errors.ts';
import { KubeApiError } from '../../kube/errors/errors.ts';
import type { MemoryRequest } from '../../kube/fakes/memory-client.ts';
import { namespacedWidgets, type WidgetParts } from '../../kube/fakes/widget.ts';
import {
  type RunningOptions,
  reconcilers,
  runController,
  type TestedReconciler,
} from './any-reconciler.fixture.ts';
import { createFakeSystem, type FakeSystem } from './external-system.fixture.ts';

const boom = new Error('boom');
const notFound = new KubeApiError(
  { verb: 'update', object: 'widget w', clusterName: 'memory cluster' },
  {
    httpStatus: 404,
    status: { message: 'widgets "w" not found', reason: 'NotFound', code: 404, details: { name: 'w' } },
  },
);
/** No request finds the object after the PUT of the intent. */
const goneAfterIntent = () => {
  let intent = false;
  return ({ verb, subresource }: MemoryRequest) => {
    if (intent && (verb === 'update' || verb === 'get')) throw notFound;
    intent ||= verb === 'update' && subresource === undefined;
  };
};

/** The calls of a controller after an object is created that is gone after the intent, until something ends its reconcile. */
async function abandon(
  tested: TestedReconciler,
  before: FakeSystem['before'] = () => undefined,
  { object = {}, ...options }: RunningOptions & { readonly object?: WidgetParts } = {},
) {
  const system = createFakeSystem();
  system.before = before;
  const h = await runController(tested, system, undefined, options);
  h.client.onRequest(goneAfterIntent());
  h.seed(object);
  await h.clock.advance(10);
  return { ...h, system, deletes: () => system.calls.filter((verb) => verb === 'delete').length };
}

const left = { msg: 'an external resource may be left without its object', externalName: 'x' };

describe.each(reconcilers)('$reconciler: a create for an object that is gone meanwhile', (tested) => {
  test.each([
    { how: 'with a result', error: undefined },
    { how: 'without a result, as it may have taken effect', error: boom },
  ])('is undone $how', async ({ error }) => {
    const h = await abandon(tested, (verb) => {
      if (verb === 'create' && error !== undefined) throw error;
    });
    expect(h.system.calls.filter((verb) => verb !== 'observe')).toEqual(['create', 'delete']);
    expect([h.system.size, h.errors, h.failures()]).toEqual([undefined, [], 0]);
    await h.stop();
  });

  test.each([
    { policy: 'deletion policy', type: {}, spec: { deletionPolicy: 'Orphan' as const } },
    {
      policy: 'management policies',
      type: { type: namespacedWidgets },
      spec: { managementPolicies: ['Observe', 'Create', 'Update'] },
    },
  ])('is not undone if the $policy would have orphaned it', async ({ type, spec }) => {
    const h = await abandon(tested, undefined, { ...type, object: { spec } });
    expect([h.system.size, h.deletes(), h.errors]).toEqual([0, 0, []]);
    await h.stop();
  });

  test('is undone again if that fails at first', async () => {
    let attempts = 0;
    const h = await abandon(tested, (verb) => {
      if (verb === 'delete' && ++attempts === 1) throw boom;
    });
    await h.clock.advance(600);
    expect([h.system.size, h.deletes(), h.errors]).toEqual([undefined, 2, []]);
    await h.stop();
  });

  test('is named in the log once if it cannot be undone, and the reconcile ends', async () => {
    const h = await abandon(tested, (verb) => {
      if (verb === 'delete') throw boom;
    });
    await h.clock.advance(2400);
    expect(h.deletes()).toBe(5);
    expect(h.errors).toEqual([expect.objectContaining({ ...left, error: expect.stringMatching(/boom$/) })]);
    await h.stop();
  });

  test('is named in the log if the process stops during a pause of the undo', async () => {
    const h = await abandon(tested, (verb, { signal }) => {
      if (verb !== 'delete') return;
      signal.throwIfAborted();
      throw boom;
    });
    expect(h.errors).toEqual([]);
    h.controller.abort(new ProviderError('transient', 'the process stops'));
    await h.stop();
    expect(h.deletes()).toBeLessThanOrEqual(2);
    expect(h.errors).toContainEqual(expect.objectContaining({ ...left, error: 'the process stops' }));
  });

  test('is left to another object that describes it', async () => {
    const h = await abandon(tested, (verb) => {
      if (verb === 'delete') throw new ProviderError('contested', 'Widget shop/v describes it');
    });
    await h.clock.advance(60_000);
    expect([h.system.size, h.deletes(), h.errors]).toEqual([0, 1, []]);
    await h.stop();
  });
});
