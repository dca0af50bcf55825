import { jsonEqual, wrap } from '../../../framework/base/index.ts';
import {
  type Channel,
  changedByUsers,
  done,
  hasFinalizer,
  isNoFailure,
  type ReconciledKind,
  type ReconcileResult,
  type Reconciler,
  reportingFailures,
  reportingHeldDeletion,
  step,
  type UndoCreate,
  undoingIfGone,
} from '../../../framework/controller/index.ts';
import { wasDeleted } from '../../../framework/kube/index.ts';
import { smallParts } from '../caches.ts';
import { InvalidCredentialsError } from '../credentials/errors.ts';
import type { CredentialSettings, CredentialUser } from '../credentials/secret-names.ts';
import { finalizer } from '../metadata.ts';
import type { ServiceManagerClient } from '../service-manager/index.ts';
import { conditionsOf, replaceConditions, writeConditions } from '../status/conditions.ts';
import { deleteNeedsCredentials, type KnownOperation } from '../status/messages.ts';
import type { ServiceResource } from '../status/service-resource.ts';
import type { BindingsOfInstances } from './bindings-of-instances.ts';
import { deleteOwn } from './delete-own.ts';
import { leavesResource } from './deletion.ts';
import { chooseMaker } from './maker.ts';
import { reportFailure } from './report-failure.ts';
import {
  beginRun,
  type Run,
  type RunMemory,
  type ServiceReconcilerOptions,
  type UnconnectedRun,
} from './run.ts';

/** Options of the kinds ServiceInstance and ServiceBinding. */
export interface ServiceKindOptions extends Omit<ServiceReconcilerOptions, 'suspects'> {
  /** Where credentials are looked up. Their changes request reconciles. */
  readonly credentials: CredentialSettings;
  /** Requests of instances by the controller of bindings. One for both kinds. */
  readonly instanceRequests: Channel;
  /** One for both kinds. */
  readonly bindings: BindingsOfInstances;
  /** Delays after failures, in ms. */
  readonly backoff: { readonly baseMs: number; readonly maxMs: number };
  /** Deadline of the external calls of other kinds, in ms. */
  readonly externalTimeoutMs: number;
}

/** The least deadline of external calls: a synchronous create may take two minutes in Service Manager. */
const MIN_EXTERNAL_TIMEOUT_MS = 150_000;

/** What both kinds have in common. */
export function serviceKind<T extends ServiceResource>({ backoff, externalTimeoutMs }: ServiceKindOptions) {
  return {
    finalizer,
    externalTimeoutMs: Math.max(MIN_EXTERNAL_TIMEOUT_MS, externalTimeoutMs),
    backoff,
    transform: smallParts,
    sharesSpec: true,
    // Changes of the status by others too, such as `forceReconcile`. Own writes are not reported.
    predicate: (old, object) => changedByUsers(old, object) || !jsonEqual(old.status, object.status),
  } satisfies Partial<ReconciledKind<T>>;
}

// What the reconciles of both kinds have in common: how they begin, connect to Service Manager, and end after an error.

/** @param reconcile the steps of the kind; not called for a deleted object that may go */
export function serviceReconciler<T extends ServiceResource, M extends RunMemory>(
  options: ServiceReconcilerOptions,
  reconcile: (run: UnconnectedRun<T, M>) => Promise<ReconcileResult>,
): Reconciler<T, M> {
  const reconciler: Reconciler<T, M> = async (copy, context) => {
    if (wasDeleted(copy.object) && !hasFinalizer(copy.object, finalizer)) return done;
    await context.guard.acquireOwnership();
    const run = beginRun(copy, context, options);
    return reporting(run, () => reconcile(run));
  };
  return reportingHeldDeletion(reconciler, {
    own: finalizer,
    show: (object, text, { clock }) => {
      replaceConditions(object, conditionsOf(object), false);
      writeConditions(object, clock.now()).inProgress('delete', text);
    },
  });
}

/**
 * Connects with the credentials of `user` and runs the steps that need Service Manager. What they created is deleted if the
 * object is gone afterwards. Without credentials nothing is done; the external resource of a deleted object may exist.
 */
export async function withServiceManager<R extends Run, T>(
  run: UnconnectedRun,
  user: CredentialUser,
  connected: (client: ServiceManagerClient) => R,
  steps: (run: R) => Promise<T>,
): Promise<T | ReconcileResult> {
  const withClient = await step(undefined, async () => {
    const first = connected(await connect(run, user));
    const others = async function* () {
      for await (const client of run.connectOthers(user, run.context)) yield connected(client);
    };
    return chooseMaker(first, others, ({ external }) => external.made());
  });
  const { client } = withClient;
  try {
    const { copy, context } = run;
    return await undoingIfGone(
      copy,
      context,
      () => reporting(run, () => steps(withClient)),
      undoOf(withClient),
    );
  } finally {
    await client.close();
  }
}

const reporting = <T>(run: UnconnectedRun, steps: () => Promise<T>): Promise<T | ReconcileResult> =>
  reportingFailures<KnownOperation, T>(steps, (failure) => reportFailure(run, failure));

async function connect(run: UnconnectedRun, user: CredentialUser): Promise<ServiceManagerClient> {
  try {
    return await run.connect(user, run.context);
  } catch (thrown) {
    const { namespace } = run.object.metadata;
    const error = thrown instanceof InvalidCredentialsError ? thrown.forReaderOf(namespace) : thrown;
    if (!wasDeleted(run.object) || isNoFailure(error)) throw error;
    throw wrap(error, deleteNeedsCredentials(run.object.kind));
  }
}

const undoOf = (run: Run): UndoCreate => ({
  isAllowed: () => !leavesResource(run.object),
  remove: async () => {
    const { external } = run;
    const found = external.id() === '' ? await external.find() : [{ id: external.id() }];
    for (const { id } of found) await deleteOwn(run, id);
  },
  describe: () => ({ kind: run.object.kind, id: run.external.id() || 'unknown' }),
});
