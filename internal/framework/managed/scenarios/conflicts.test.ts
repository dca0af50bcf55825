import { apiError, type MemoryRequest } from '../../kube/fakes/memory-client.ts';
import {
  boom,
  creating,
  deleted,
  deleting,
  drifted,
  existing,
  failingPublisher,
  failingPuts,
  failure,
  isStatusPut,
  requeue,
  runScenarios,
  type Scenario,
  upToDate,
} from './scenario.ts';

const conflict = apiError(409, 'Conflict', 'the object has been modified');
const orphaned = { ...deleted, spec: { managementPolicies: ['Observe'] } };
const quietly = { result: requeue, events: [], conditions: [] } as const;
const onStatus = (request: MemoryRequest) => {
  if (isStatusPut(request)) throw conflict;
};

/** Steps that a newer version of the object sends back to the start without a word. */
function quiet(
  title: string,
  scenario: Omit<Scenario, 'title' | 'reason' | 'want'>,
  want: Partial<Scenario['want']> = {},
): Scenario {
  return {
    title,
    reason: 'a newer version is on its way, and users need not know',
    ...scenario,
    want: { ...quietly, ...want },
  };
}

runScenarios('conflicts', () => [
  quiet('[54] a conflict while orphaning, unpublishing', {
    given: { resource: orphaned, options: failingPublisher(conflict, 0) },
  }),
  quiet('[54] a conflict while orphaning, removing the finalizer', {
    given: { resource: orphaned },
    fault: failingPuts(conflict),
  }),
  quiet(
    '[54] a conflict while initializing',
    { given: { kind: { initializers: [() => Promise.reject(conflict)] } } },
    { calls: [] },
  ),
  quiet('[54] a conflict while connecting', { given: { external: { connect: conflict } } }),
  quiet('[54] a conflict while observing', { given: { external: { observe: conflict } } }),
  quiet('[54] a conflict while unpublishing what is gone', {
    given: { resource: deleted, options: failingPublisher(conflict, 0) },
  }),
  quiet('[54] a conflict while removing the finalizer', {
    given: { resource: deleted },
    fault: failingPuts(conflict),
  }),
  quiet('[54] a conflict while publishing after Observe', {
    given: { external: { observe: upToDate }, options: failingPublisher(conflict, 1) },
  }),
  quiet('[54] a conflict while adding the finalizer', {
    given: { external: { observe: upToDate } },
    fault: failingPuts(conflict),
  }),
  quiet(
    '[54] a conflict while recording the intent to create',
    { fault: failingPuts(conflict) },
    { calls: ['observe'] },
  ),
  quiet(
    '[54] a conflict while recording the create',
    { fault: failingPuts(conflict, 2) },
    { calls: ['observe', 'create'] },
  ),
  quiet(
    '[54] a conflict while publishing after Create',
    { given: { options: failingPublisher(conflict, 2) } },
    { calls: ['observe', 'create'] },
  ),
  quiet('[54] a conflict of the status', {
    given: { resource: existing, external: { observe: upToDate } },
    fault: onStatus,
  }),
  quiet(
    '[54] a conflict of the status after a failure',
    { given: { external: { connect: boom } }, fault: onStatus },
    {
      events: ['Warning CannotConnectToProvider: boom'],
    },
  ),
  quiet('[54] a conflict of the status while paused', {
    given: { resource: { spec: { managementPolicies: [] } } },
    fault: onStatus,
  }),
  {
    title: '(ours) Create meets a conflict of its own',
    reason: 'it may have created something, so that it is reported, but without an event',
    given: { external: { create: conflict } },
    want: {
      result: requeue,
      conditions: [failure(`create failed: ${conflict.message}`), creating],
      events: [],
    },
  },
  {
    title: '(ours) Update meets a conflict of its own',
    reason: 'an external write was requested, so it is reported as any failure',
    given: { resource: existing, external: { observe: drifted, update: conflict } },
    want: {
      result: requeue,
      conditions: [failure(`update failed: ${conflict.message}`)],
      events: [`Warning CannotUpdateExternalResource: ${conflict.message}`],
    },
  },
  {
    title: '(ours) Delete meets a conflict of its own',
    reason: 'an external write was requested, so it is reported as any failure',
    given: { resource: deleted, external: { observe: upToDate, delete: conflict } },
    want: {
      result: requeue,
      conditions: [failure(`delete failed: ${conflict.message}`), deleting],
      events: [`Warning CannotDeleteExternalResource: ${conflict.message}`],
    },
  },
  {
    title: '(ours) a conflict while storing late-initialized values',
    reason: 'it is reported, so that the spec is known to lag behind',
    given: {
      resource: existing,
      external: {
        observe: (resource) => {
          resource.spec.forProvider.size = 7;
          return { ...upToDate, lateInitialized: true };
        },
      },
    },
    fault: failingPuts(conflict),
    want: {
      result: requeue,
      conditions: [failure(`cannot update managed resource: ${conflict.message}`)],
      events: [`Warning CannotUpdateManagedResource: ${conflict.message}`],
    },
  },
]);
