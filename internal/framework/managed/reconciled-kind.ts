import { createDeps, type DepsWith } from '../base/deps.ts';
import type { ReconciledKind } from '../controller/object-controller.ts';
import { managedFinalizer } from '../controller/reconcile/finalizer.ts';
import { externalTimeoutOf, type ReconcilerContext } from '../controller/reconcile/reconciler.ts';
import { createObjectEvents } from '../controller/reconcile/store-status.ts';
import type { WorkingCopy } from '../controller/reconcile/working-copy.ts';
import { pollAfter } from '../controller/reconcile-result.ts';
import { keepSmallMetadata } from '../kube/cache/transform.ts';
import type { KubeClient } from '../kube/client/client.ts';
import type { KubeObject } from '../kube/object/object.ts';
import type { ObjectWatcher } from '../kube/watched-objects/object-watcher.ts';
import type { ChangeLog } from './changelog/change-log.ts';
import { createReconcileChanges, noReconcileChanges } from './changelog/reconcile-changes.ts';
import type { ConnectionPublisher } from './connection/connection-publisher.ts';
import { createSecretPublisher } from './connection/secret-publisher.ts';
import { controllerName, type ManagedKind } from './kind/managed-kind.ts';
import { resolvePolicies } from './kind/policies.ts';
import { effectivePollInterval, inGroups, type PollIntervalHook } from './kind/poll.ts';
import { createResourceTimings } from './metrics/resource-timings.ts';
import { reconcileManaged } from './reconciler.ts';
import { isRelevantUpdate } from './relevant-update.ts';
import type { Managed } from './resource/managed.ts';
import { recordedExternalName } from './resource/meta.ts';
import { createExternalCalls } from './steps/external-calls.ts';
import type { ManagedMemory, Reconciliation } from './steps/reconciliation.ts';

export interface ManagedKindOptions<R extends Managed> extends DepsWith<'clock' | 'random' | 'log'> {
  readonly client: KubeClient;
  /** Of the cluster of the resources, for references that wait. Default: they try again with backoff. */
  readonly objectWatcher?: Pick<ObjectWatcher, 'target'>;
  /** Poll interval of settled resources, in ms; default 60000. */
  readonly pollIntervalMs?: number;
  /** Lower bound for the interval that a resource asks for, in ms; default 0. */
  readonly minPollIntervalMs?: number;
  /** Changes each interval before use, e.g. by a jitter. A hook of the kind replaces it. */
  readonly pollIntervalHook?: PollIntervalHook<R>;
  /** Whether `spec.managementPolicies` is respected; default true. */
  readonly managementPolicies?: boolean;
  /** Publishes connection details; default: to the Secret that the resource names. */
  readonly publisher?: ConnectionPublisher;
  /** Receives each attempt to change an external resource; default: none. */
  readonly changeLog?: ChangeLog | undefined;
  /** Deadline of the external calls of one reconcile, unless the kind has its own, in ms; default 60000. */
  readonly externalTimeoutMs?: number;
}

/** A kind of managed resources with the managed reconciler, for a controller. */
export function reconciledManagedKind<R extends Managed>(
  kind: ManagedKind<R>,
  options: ManagedKindOptions<R>,
): ReconciledKind<R, ManagedMemory> {
  const { configUse, limitKeysOf } = kind;
  const externalTimeoutMs = kind.externalTimeoutMs ?? externalTimeoutOf(options);
  const begin = reconciliationsOf(kind, { ...options, externalTimeoutMs });
  return {
    type: kind.type,
    noun: 'managed resource',
    name: controllerName(kind.type),
    finalizer: managedFinalizer,
    externalTimeoutMs,
    transform: keepSmallMetadata('crossplane.io/'),
    predicate: isRelevantUpdate,
    // A reconcile that observes after Create has already handled the events of its own writes.
    expects: (write) => write === 'object' && (kind.observeAfterCreate ?? false),
    sources: (_, cache) => [
      ...(configUse === undefined ? [] : [configUse.source]),
      ...(kind.sources?.(cache) ?? []),
    ],
    limitKeysOf,
    beforeReconcile: configUse?.endForDeleted,
    reconcile: async (copy, context) => {
      using reconciliation = begin(copy, context);
      return await reconcileManaged(reconciliation);
    },
  };
}

function reconciliationsOf<R extends Managed>(
  kind: ManagedKind<R>,
  options: ManagedKindOptions<R> & { readonly externalTimeoutMs: number },
) {
  const { client, changeLog, externalTimeoutMs: timeoutMs } = options;
  const deps = createDeps(options);
  const { clock, tracer } = deps;
  const publisher = options.publisher ?? createSecretPublisher({ client, clock });
  const timings = createResourceTimings({ ...deps, type: kind.type });
  const alone = options.pollIntervalHook ?? ((_: R, intervalMs: number) => intervalMs);
  const groupOf = (resource: R) => kind.pollGroupOf?.(resource);
  const hook = kind.pollIntervalHook ?? inGroups(clock, groupOf, alone);
  const pollOptions = {
    intervalMs: options.pollIntervalMs ?? 60_000,
    minIntervalMs: options.minPollIntervalMs ?? 0,
  };
  const policyOptions = {
    enabled: options.managementPolicies ?? true,
    supported: kind.supportedPolicies,
  };
  return (
    copy: WorkingCopy<R>,
    context: ReconcilerContext<ManagedMemory>,
  ): Reconciliation<R> & Disposable => {
    const { key, signal, guard } = context;
    timings.begun(context.memory, copy.object);
    // Read with the first line: then the line of a create has the new name.
    const log = context.log.child(() => ({ externalName: recordedExternalName(copy.object) }));
    const calls = createExternalCalls({
      clock,
      tracer,
      log,
      signal,
      isLowPriority: context.isLowPriority,
      reserve: context.reserve,
      timeoutMs,
      assertMayWrite: guard.assertMayWrite,
      doing: `external calls for ${kind.type.kind} ${key}`,
    });
    return {
      ...context,
      kind,
      copy,
      calls,
      log,
      changes: changeLog ? createReconcileChanges({ changeLog, clock, log, signal }) : noReconcileChanges,
      events: createObjectEvents({
        recorder: context.recorder,
        object: () => copy.object,
        annotations: externalNameOf,
      }),
      publisher,
      timings,
      objectWatcher: options.objectWatcher,
      policies: resolvePolicies(copy.object, policyOptions),
      poll: () => pollAfter(hook(copy.object, effectivePollInterval(copy.object, pollOptions))),
      [Symbol.dispose]: () => calls[Symbol.dispose](),
    };
  };
}

function externalNameOf(object: KubeObject): Readonly<Record<string, string>> {
  const name = recordedExternalName(object);
  return name === undefined ? {} : { 'external-name': name };
}
