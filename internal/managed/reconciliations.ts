import type { Fence } from '../base/concurrency/fence.ts';
import { createDeps, type DepsWith } from '../base/deps.ts';
import { wrap } from '../base/errors/errors.ts';
import { jsonEqual } from '../base/json/json-equal.ts';
import { createKeyStore, type KeyStore } from '../controller/key-store.ts';
import { managedFinalizer } from '../controller/reconcile/finalizer.ts';
import { createObjectEvents } from '../controller/reconcile/object-events.ts';
import { externalTimeoutOf, ownershipDelayOf } from '../controller/reconcile/timeouts.ts';
import { createWorkingCopy, type OnWritten } from '../controller/reconcile/working-copy.ts';
import { createWriteGuard } from '../controller/reconcile/write-guard.ts';
import { pollAfter, type ReconcileRequest } from '../controller/reconcile-result.ts';
import { createShardOwnership } from '../controller/sharding/shard-ownership.ts';
import type { WatchTriggers } from '../controller/watch-triggers.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { isNotFound } from '../kube/errors/errors.ts';
import type { EventRecorder } from '../kube/events/event-recorder.ts';
import { type KubeObject, keyOf, keyString } from '../kube/object/object.ts';
import type { ChangeLog } from './changelog/change-log.ts';
import { createReconcileChanges, noReconcileChanges } from './changelog/reconcile-changes.ts';
import type { ConnectionPublisher } from './connection/connection-publisher.ts';
import { createSecretPublisher } from './connection/secret-publisher.ts';
import type { ManagedKind } from './kind/managed-kind.ts';
import { resolvePolicies } from './kind/policies.ts';
import { effectivePollInterval, inGroups, type PollIntervalHook } from './kind/poll.ts';
import { createResourceTimings } from './metrics/resource-timings.ts';
import type { Managed } from './resource/managed.ts';
import { externalNameFrom } from './resource/meta.ts';
import { createExternalCalls } from './steps/external-calls.ts';
import { failures, step } from './steps/messages/failures.ts';
import type { Reconciliation } from './steps/reconciliation.ts';
import { createRefusals } from './steps/refusals.ts';

export interface ManagedReconcilerOptions<R extends Managed> extends DepsWith<'clock' | 'random' | 'log'> {
  readonly kind: ManagedKind<R>;
  readonly client: KubeClient;
  /** The newest version known, `undefined` where there is none. It is not changed. */
  readonly read: (key: string, signal: AbortSignal) => R | undefined | Promise<R | undefined>;
  readonly recorder: EventRecorder;
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
  /** Watches the objects that waiting resources depend on; default: resources are polled only. */
  readonly watchTriggers?: WatchTriggers;
  /** Called before each external write; default: this process may write. */
  readonly fence?: Fence;
  /**
   * The label selector by which the process selects its resources. Another selector is another shard: ownership of a
   * resource that comes from there is acquired with a delay. Default: empty, all resources.
   */
  readonly labelSelector?: string;
  /**
   * Whether the resource has left the cache since the last call, e.g. for another shard and back. Default: only if a
   * reconcile did not find it.
   */
  readonly hasLeftCache?: (key: string) => boolean;
  /** Receives each attempt to change an external resource; default: none. */
  readonly changeLog?: ChangeLog;
  /** Called after every write to the resource. */
  readonly onWritten?: OnWritten<R>;
  /**
   * Versions that the API server has replaced, though `read` may still return them, e.g. while a watch is stalled. A
   * reconcile of such a version reads the resource from the API server. Default: an own set.
   */
  readonly outdated?: WeakSet<object>;
  /** State kept for each request; the controller drops it. Default: a store of its own. */
  readonly keys?: KeyStore;
}

/** Starts reconciles of resources of one kind. */
export interface Reconciliations<R extends Managed> {
  /** Resolves to `undefined` if the resource is gone. Disposing of the result ends its deadline. */
  begin(
    key: string,
    signal: AbortSignal,
    request: ReconcileRequest,
  ): Promise<(Reconciliation<R> & Disposable) | undefined>;
}

export function createReconciliations<R extends Managed>(
  options: ManagedReconcilerOptions<R>,
): Reconciliations<R> {
  const { kind, client, changeLog } = options;
  const deps = createDeps(options);
  const { clock } = deps;
  const publisher = options.publisher ?? createSecretPublisher({ client, clock });
  const keys = options.keys ?? createKeyStore();
  const refusals = createRefusals(keys);
  const outdated = options.outdated ?? new WeakSet();
  const ownership = createShardOwnership({
    clock,
    shard: options.labelSelector ?? '',
    delayMs: ownershipDelayOf(kind),
    finalizer: managedFinalizer,
    keys,
  });
  const timings = createResourceTimings({ ...deps, type: kind.type, keys });
  const alone = options.pollIntervalHook ?? ((_: R, intervalMs: number) => intervalMs);
  const groupOf = (resource: R) => kind.pollGroupOf?.(resource);
  const hook = kind.pollIntervalHook ?? inGroups(clock, groupOf, alone);
  const pollOptions = {
    intervalMs: options.pollIntervalMs ?? 60_000,
    minIntervalMs: options.minPollIntervalMs ?? 0,
  };
  const policyOptions = {
    enabled: options.managementPolicies ?? true,
    ...(kind.supportedPolicies === undefined ? {} : { supported: kind.supportedPolicies }),
  };
  return {
    begin: async (key, signal, request) => {
      const { isLowPriority, reserve } = request;
      if (options.hasLeftCache?.(key)) ownership.forget(key);
      const found = await read({ ...options, outdated }, key, signal);
      await kind.configUse?.endForDeleted(key, found, signal);
      if (found === undefined) return undefined;
      timings.begun(key, found);
      const { onWritten } = options;
      const copy = createWorkingCopy({
        client,
        type: kind.type,
        object: found,
        ...(onWritten ? { onWritten } : {}),
        onOutdated: (version) => outdated.add(version),
      });
      const log = options.log.child({
        request: key,
        uid: found.metadata.uid,
        version: found.metadata.resourceVersion,
        // Read when the first line is written: then the line of a create has the new name.
        get externalName() {
          return externalNameFrom(copy.object);
        },
        get reconcileID() {
          return request.reconcileID;
        },
      });
      const calls = createExternalCalls({
        ...deps,
        log,
        signal,
        isLowPriority,
        reserve,
        timeoutMs: externalTimeoutOf(kind),
        assertMayWrite: () => guard.assertMayWrite(),
        doing: `external calls for ${kind.type.kind} ${key}`,
      });
      const policies = resolvePolicies(copy.object, policyOptions);
      const guard = createWriteGuard({
        key,
        copy,
        clock,
        signal,
        timeoutMs: externalTimeoutOf(kind),
        finalizer: managedFinalizer,
        ownership,
        onlyObserved: policies.onlyObserve,
        isCurrent: () => step(failures.checkOwnership, () => copy.isCurrent(signal)),
        onCheck: calls.begin,
        ...(options.fence ? { fence: options.fence } : {}),
      });
      return {
        key,
        kind,
        copy,
        client,
        calls,
        guard,
        changes: changeLog ? createReconcileChanges({ changeLog, clock, log, signal }) : noReconcileChanges,
        signal,
        clock,
        random: options.random,
        log,
        events: createObjectEvents({
          recorder: options.recorder,
          object: () => copy.object,
          annotations: externalNameOf,
        }),
        publisher,
        refusals,
        timings,
        policies,
        poll: () => pollAfter(hook(copy.object, effectivePollInterval(copy.object, pollOptions))),
        targets: [],
        createSent: false,
        isGone: false,
        [Symbol.dispose]: () => calls[Symbol.dispose](),
      };
    },
  };
}

function externalNameOf(object: KubeObject): Readonly<Record<string, string>> {
  const name = externalNameFrom(object);
  return name === undefined ? {} : { 'external-name': name };
}

async function read<R extends Managed>(
  options: ManagedReconcilerOptions<R> & { readonly outdated: WeakSet<object> },
  key: string,
  signal: AbortSignal,
): Promise<R | undefined> {
  try {
    const known = await options.read(key, signal);
    return known !== undefined && options.outdated.has(known)
      ? await readNewest(options, known, signal)
      : known;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw wrap(error, 'cannot get managed resource');
  }
}

async function readNewest<R extends Managed>(
  { client, kind, labelSelector = '', log }: ManagedReconcilerOptions<R>,
  outdated: R,
  signal: AbortSignal,
): Promise<R> {
  const newest = await client.get(kind.type, keyOf(outdated), { signal });
  log.debug('the cache is outdated', {
    request: keyString(keyOf(outdated)),
    version: outdated.metadata.resourceVersion,
  });
  // With other labels the resource may belong to another shard. Only the watch shows that, and no write succeeds with
  // the outdated version.
  const sameLabels = jsonEqual(newest.metadata.labels ?? {}, outdated.metadata.labels ?? {});
  return labelSelector === '' || sameLabels ? newest : outdated;
}
