/** The API server can delete a resource after the PUT that begins a create: it ignored the finalizer of that PUT. */
import { expect, test } from '@jest/globals';
import { ProviderError } from '../../base/errors/errors.ts';
import { KubeApiError } from '../../kube/errors/errors.ts';
import type { MemoryRequest } from '../../kube/fakes/memory-client.ts';
import { createLogger } from '../../process/telemetry/json-logger.ts';
import { createHarness, namespacedWidgets } from '../fakes/managed-harness.ts';
import { boom, requeue, runScenarios } from './scenario.ts';

/** A kind that does not record the outcome of a create. */
const named = { deterministicExternalName: true, creationGracePeriodMs: 0 };
const notFound = new KubeApiError(
  { verb: 'update', object: 'widget w', clusterName: 'memory cluster' },
  {
    httpStatus: 404,
    status: { message: 'widgets "w" not found', reason: 'NotFound', code: 404, details: { name: 'w' } },
  },
);
/** No write finds the resource after the PUT of the intent. */
const goneAfterIntent = () => {
  let intent = false;
  return ({ verb, subresource }: MemoryRequest) => {
    if (verb !== 'update') return;
    if (intent) throw notFound;
    intent ||= subresource === undefined;
  };
};

runScenarios('creating a resource that is gone meanwhile', () => [
  {
    title: 'the external resource is deleted again',
    reason: 'a deletion that the API server began before it stored the finalizer ignores the finalizer',
    given: { kind: named },
    fault: goneAfterIntent(),
    want: { result: requeue, calls: ['observe', 'create', 'delete'] },
  },
  {
    title: 'it is deleted after a create without a result as well',
    reason: 'the create may have taken effect',
    given: { kind: named, external: { create: boom } },
    fault: goneAfterIntent(),
    want: { result: requeue, calls: ['observe', 'create', 'delete'] },
  },
  {
    title: 'it stays if the policies orphan it',
    reason: 'the deletion of the resource would not have deleted it',
    given: { kind: named, resource: { spec: { managementPolicies: ['Observe', 'Create', 'Update'] } } },
    fault: goneAfterIntent(),
    want: { result: requeue, calls: ['observe', 'create'] },
  },
]);

/** The deletes that a reconcile sends within a minute, and what it logs as errors. */
async function abandon(failWith: (attempt: number) => Error | undefined) {
  const errors: Record<string, unknown>[] = [];
  const write = (line: string) => {
    const { level, msg, error } = JSON.parse(line);
    if (level === 'error') errors.push({ msg, error });
  };
  let attempts = 0;
  const harness = createHarness({
    type: namespacedWidgets,
    kind: named,
    external: {
      delete: () => {
        const error = failWith(++attempts);
        if (error !== undefined) throw error;
        return {};
      },
    },
    options: { log: createLogger({ debug: false, destination: { write } }) },
  });
  harness.client.onRequest(goneAfterIntent());
  const reconciled = harness.reconcile();
  await harness.clock.advance(60_000);
  await reconciled;
  return { deletes: harness.external.calls.filter((call) => call === 'delete').length, errors };
}

test('an external resource whose resource is gone is deleted again, also if that fails at first', async () => {
  const abandoned = await abandon((attempt) => (attempt === 1 ? boom : undefined));
  expect(abandoned).toEqual({ deletes: 2, errors: [] });
});

test('if it cannot be deleted, the log says once that it may be left, and the reconcile ends', async () => {
  expect(await abandon(() => boom)).toEqual({
    deletes: 5,
    errors: [
      {
        msg: 'an external resource may be left without its object',
        error: expect.stringMatching(/boom$/),
      },
    ],
  });
});

test('it stays if another resource describes it', async () => {
  const contested = new ProviderError('contested', 'Widget shop/v describes it');
  expect(await abandon(() => contested)).toEqual({ deletes: 1, errors: [] });
});
