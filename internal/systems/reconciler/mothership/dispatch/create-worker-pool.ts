/**
 * The worker pool: it claims operations that are released, and for each one opens what was registered, builds the task, sends it, and
 * stores what became of it.
 */
import { createLruCache, textBytes } from '../../../../framework/base/collections/lru-cache.ts';
import { type Deps, messageOf } from '../../../../framework/base/index.ts';
import type { Runnable } from '../../../../framework/process/index.ts';
import { ARTIFICIAL_NAMESPACE } from '../../operations/plan-operations.ts';
import { type Database, type Store, storable } from '../database/database.ts';
import type { Keyring } from '../encryption/keyring.ts';
import { decryptComponents, decryptKubeconfig } from '../inventory/cluster-states.ts';
import { currentKubeconfig } from '../kubeconfigs/cluster-access.ts';
import { type Component, type KubeconfigSource, type SecretValue, secretValuesOf } from '../model/cluster.ts';
import type { Task } from '../model/mothership.ts';
import { tenantOf } from '../model/registrant.ts';
import type { Settings } from '../model/settings.ts';
import { type CallbackContext, createEndAttempt, type EndAttempt } from '../reconciliations/end-attempts.ts';
import type { OperationTokens } from '../reconciliations/operation-tokens.ts';
import { createEventLoop } from '../runnables/event-loop.ts';
import {
  type ClaimedOperation,
  type ClaimKeeper,
  claimOperations,
  createClaimKeeper,
} from './claim-operations.ts';
import type { InvokeOutcome, Invoker } from './local-invoker.ts';

interface WorkerPoolOptions
  extends Omit<DispatchContext, 'endAttempt' | 'claims' | 'opened'>,
    Pick<Deps, 'clock'> {
  readonly database: Database;
  readonly keyring: Keyring;
  /** Whether clients have sent requests just now. Default: never. */
  readonly hasRequests?: () => boolean;
  readonly settings: DispatchContext['settings'] &
    Pick<
      Settings,
      'workers' | 'processName' | 'dispatchIntervalMs' | 'orphanTimeoutMs' | 'maxParallelByComponent'
    >;
}

/** Time between claims, in ms: each takes all operations that wait. */
const SPACING_MS = 20;
/** Operations of one claim while clients send requests, which are for people: the work in the background gives way to them. */
const BESIDE_REQUESTS = 2;

/** Claims operations while workers are free, and sends them to component reconcilers. */
export function createWorkerPool(options: WorkerPoolOptions): Runnable {
  const { clock, log, database, settings, observers } = options;
  const claims = createClaimKeeper(options);
  const context: DispatchContext = {
    ...options,
    claims,
    opened: createOpenedVersions(options.keyring),
    endAttempt: createEndAttempt(database, options),
  };
  const running = new Set<Promise<void>>();
  const timers = new Set<() => void>();
  const aborting = new AbortController();
  let isStopping = false;
  /** Operations may wait for a free worker. */
  let isFull = false;

  const report = () => {
    for (const { workersChanged } of observers) workersChanged?.(running.size, settings.workers);
  };

  const wakeAfter = (delayMs: number) => {
    if (isStopping) return;
    const cancel = clock.after(delayMs, () => {
      timers.delete(cancel);
      wake();
    });
    timers.add(cancel);
  };

  const work = async (operation: ClaimedOperation) => {
    try {
      const { nextAttemptMs } = await dispatchOperation(operation, context, aborting.signal);
      if (nextAttemptMs !== undefined) wakeAfter(nextAttemptMs);
    } catch (error) {
      // Its lease brings it back.
      log.error('cannot store the end of a dispatch', {
        'correlation-id': operation.correlation_id,
        'component-name': operation.component,
        error: messageOf(error),
      });
    } finally {
      claims.release(operation);
    }
  };

  const { runnable, wake } = createEventLoop({
    ...options,
    name: 'worker pool',
    topics: ['mothership_operations'],
    spacingMs: SPACING_MS,
    intervalMs: settings.dispatchIntervalMs,
    run: async () => {
      const free = settings.workers - running.size;
      isFull = free <= 0;
      if (isFull) return undefined;
      const limit = options.hasRequests?.() === true ? Math.min(free, BESIDE_REQUESTS) : free;
      const claimedAt = clock.monotonic();
      const claimed = await claimOperations(database, {
        claimedBy: settings.processName,
        tokenKey: options.keyring.currentId,
        limit,
        leaseMs: claims.leaseMs,
        maxParallelByComponent: settings.maxParallelByComponent,
      });
      isFull = claimed.length === free;
      for (const operation of claimed) {
        claims.add(operation, claimedAt);
        const worker = work(operation).finally(() => {
          running.delete(worker);
          report();
          if (isFull) wake();
        });
        running.add(worker);
      }
      if (claimed.length > 0) report();
      return claimed.length === limit && limit < free ? SPACING_MS : undefined;
    },
    drain: async (abort) => {
      isStopping = true;
      for (const cancel of timers) cancel();
      const stop = () => aborting.abort(abort.reason);
      abort.addEventListener('abort', stop, { once: true });
      if (abort.aborted) stop();
      await Promise.all(running);
    },
  });
  return {
    ...runnable,
    start: async (signal, abort) => {
      const stop = claims.start();
      try {
        await runnable.start(signal, abort);
      } finally {
        stop();
      }
    },
  };
}

interface DispatchContext extends CallbackContext {
  readonly database: Pick<Store, 'queries'>;
  readonly endAttempt: EndAttempt;
  readonly opened: OpenedVersions;
  readonly invoke: Invoker;
  readonly claims: Pick<ClaimKeeper, 'holds' | 'markSent'>;
  readonly kubeconfigs: KubeconfigSource | undefined;
  readonly settings: CallbackContext['settings'] & Pick<Settings, 'callbackBaseUrl'>;
}

/** Delays before a refused task is sent again, in ms. The first is short: most connections that break are single ones. */
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 60_000;
/** Attempts after which a task that cannot be used ends its run; with their delays they take some minutes. */
const MAX_UNUSABLE = 15;

/** What follows a claim: nothing more, or another attempt after a delay. */
interface DispatchResult {
  readonly nextAttemptMs?: number;
}

/** Sends a claimed operation to its component reconciler, and stores it if that failed. */
async function dispatchOperation(
  operation: ClaimedOperation,
  context: DispatchContext,
  signal: AbortSignal,
): Promise<DispatchResult> {
  const prepared = await prepare(operation, context, signal);
  const outcome = 'task' in prepared ? await send(operation, prepared, context, signal) : prepared.outcome;
  context.log.debug('operation dispatched', {
    'correlation-id': operation.correlation_id,
    'component-name': operation.component,
    outcome: outcome.kind,
  });
  return store(operation, outcome, context);
}

/** A process that was suspended may have lost its claim: another one sends the task then. */
async function send(
  operation: ClaimedOperation,
  { task, secrets }: PreparedTask,
  { claims, invoke }: DispatchContext,
  signal: AbortSignal,
): Promise<InvokeOutcome> {
  return claims.holds(operation) ? invoke(task, signal, secrets) : { kind: 'unsent' };
}

type Prepared = PreparedTask | { readonly outcome: InvokeOutcome };

async function prepare(
  operation: ClaimedOperation,
  context: DispatchContext,
  signal: AbortSignal,
): Promise<Prepared> {
  const { maxOperationRetries } = context.settings;
  const end = (reason: string): Prepared => ({ outcome: { kind: 'unroutable', reason } });
  if (operation.retries >= maxOperationRetries) {
    return end(`operation exceeds max. operation retries limit (maxOperationRetries:${maxOperationRetries})`);
  }
  if (operation.cluster_deleted) return end('operation discarded: its cluster was removed');
  try {
    const stored = context.opened.kubeconfigOf(operation);
    const kubeconfig = await currentKubeconfig(
      { ...context, stored, runtimeId: operation.runtime_id, runtimeName: operation.runtime_name ?? '' },
      signal,
    );
    if (kubeconfig === undefined) {
      const reason = `the cluster has no kubeconfig, and there is no Secret kubeconfig-${operation.runtime_id}`;
      return { outcome: { kind: 'refused', reason } };
    }
    const task = preparedTaskOf(operation, { ...context, ...context.settings, kubeconfig });
    return task ?? end(`the cluster has no component ${operation.component}`);
  } catch (error) {
    return { outcome: { kind: 'refused', reason: messageOf(error) } };
  }
}

/** A task that runs, or may run, waits for a sign of life from now on. */
async function store(
  operation: ClaimedOperation,
  outcome: InvokeOutcome,
  context: DispatchContext,
): Promise<DispatchResult> {
  if (outcome.kind === 'accepted') {
    await context.claims.markSent(operation);
    return {};
  }
  if (outcome.kind === 'unknown') {
    await context.claims.markSent(operation);
    context.log.info('no answer of a component reconciler; its operation waits for a sign of life', {
      'correlation-id': operation.correlation_id,
      'component-name': operation.component,
      reason: outcome.reason,
    });
    return {};
  }
  const isEnd =
    outcome.kind === 'unroutable' ||
    (outcome.kind === 'refused' && (await isUseless(operation, outcome, context)));
  const delayMs = outcome.kind === 'refused' ? delayOf(operation, context) : 0;
  const changed = await context.endAttempt({
    schedulingId: operation.scheduling_id,
    correlationId: operation.correlation_id,
    // A callback that came first shows that the task runs, whatever became of the answer.
    from: ['in_progress'],
    unheard: true,
    fencingToken: operation.fencing_token,
    state: isEnd ? 'error' : 'client_error',
    reason: outcome.kind === 'unsent' ? null : storable(outcome.reason),
    nextAttemptMs: delayMs,
    leaseMs: context.settings.orphanTimeoutMs,
  });
  return changed === undefined || isEnd ? {} : { nextAttemptMs: delayMs };
}

/**
 * Whether a refused task is not sent again: it cannot be used, or its cluster has got another status since its run began, which waits
 * for the end of the run: a registration without what is refused, or a deletion. One that is taken later keeps its place.
 */
async function isUseless(
  { attempts, scheduling_id }: ClaimedOperation,
  { cause }: Extract<InvokeOutcome, { readonly kind: 'refused' }>,
  { database }: DispatchContext,
): Promise<boolean> {
  if (cause === 'busy') return false;
  if (cause === 'unusable' && attempts >= MAX_UNUSABLE) return true;
  const current = await database.queries
    .selectFrom('reconciliations as x')
    .innerJoin('runtimes as r', 'r.status_id', 'x.config_status_id')
    .select('x.scheduling_id')
    .where('x.scheduling_id', '=', scheduling_id)
    .executeTakeFirst();
  return current === undefined;
}

function delayOf({ attempts }: ClaimedOperation, { random }: DispatchContext): number {
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** Math.min(attempts - 1, 10), MAX_DELAY_MS);
  return delayMs * (1 + random() / 2);
}

interface TaskOptions {
  readonly opened: OpenedVersions;
  readonly tokens: OperationTokens;
  readonly kubeconfig: string;
  /** `scheme://host:port` of callbacks. */
  readonly callbackBaseUrl: string;
  readonly maxOperationRetries: number;
}

interface PreparedTask {
  readonly task: Task;
  /** Values of it that the registration marks as secret. */
  readonly secrets: readonly SecretValue[];
}

/** The task of a claimed operation; undefined if the cluster does not have the component. */
function preparedTaskOf(operation: ClaimedOperation, options: TaskOptions): PreparedTask | undefined {
  const component = componentOf(operation, options.opened);
  if (component === undefined) return undefined;
  const task: Task = {
    componentsReady: [...operation.components_ready],
    component: component.component,
    namespace: component.namespace,
    version: componentVersionOf(component, operation.kyma_version),
    url: component.URL,
    profile: operation.kyma_profile ?? '',
    configuration: Object.fromEntries(component.configuration.map(({ key, value }) => [key, value])),
    kubeconfig: options.kubeconfig,
    metadata: operation.metadata,
    tenant: tenantOf(operation.runtime_name ?? '', operation.metadata, operation.runtime_id),
    callbackURL: callbackUrl(operation, options),
    correlationID: operation.correlation_id,
    repository: { url: component.URL },
    type: operation.type,
    componentConfiguration: {
      maxRetries: Math.max(0, options.maxOperationRetries - operation.retries),
      debug: operation.debug,
    },
  };
  return { task, secrets: secretValuesOf(component) };
}

/** Artificial components have their configuration in the operation. */
function componentOf(operation: ClaimedOperation, opened: OpenedVersions): Component | undefined {
  if (operation.parameters === null) {
    return opened.componentsOf(operation).find(({ component }) => component === operation.component);
  }
  const configuration = Object.entries(operation.parameters).map(([key, value]) => ({
    key,
    value,
    secret: false,
  }));
  return {
    component: operation.component,
    namespace: ARTIFICIAL_NAMESPACE,
    configuration,
    URL: '',
    version: '',
  };
}

/** A Git repository has versions of its own, and no version is its default branch. */
function componentVersionOf({ URL, version }: Component, kymaVersion: string): string {
  return URL.endsWith('.git') ? version : version || kymaVersion;
}

function callbackUrl(operation: ClaimedOperation, { callbackBaseUrl, tokens }: TaskOptions): string {
  const {
    scheduling_id: schedulingId,
    correlation_id: correlationId,
    fencing_token: fencingToken,
  } = operation;
  const path = `/v1/operations/${encodeURIComponent(schedulingId)}/callback/${encodeURIComponent(correlationId)}`;
  return `${callbackBaseUrl}${path}?token=${tokens.issue({ schedulingId, correlationId, fencingToken })}`;
}

/** Decrypted texts of versions, which never change: the operations of a run need the same ones. */
interface OpenedVersions {
  componentsOf(operation: ClaimedOperation): readonly Component[];
  /** Undefined: the cluster was registered without one. */
  kubeconfigOf(operation: ClaimedOperation): string | undefined;
}

/** Memory of each of both, in bytes. */
const MAX_BYTES = 8 * 1024 ** 2;

function createOpenedVersions(keyring: Keyring): OpenedVersions {
  const components = createLruCache<string, { readonly list: readonly Component[]; readonly bytes: number }>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ bytes }) => bytes,
  });
  const kubeconfigs = createLruCache<string, string>({ maxBytes: MAX_BYTES, bytesOf: textBytes });
  return {
    componentsOf: (operation) => {
      const version = String(operation.config_version);
      const known = components.get(version);
      if (known !== undefined) return known.list;
      const list = decryptComponents(operation, keyring);
      components.set(version, { list, bytes: textBytes(operation.components) });
      return list;
    },
    kubeconfigOf: (operation) => {
      const version = String(operation.cluster_version);
      const known = kubeconfigs.get(version);
      if (known !== undefined) return known;
      const kubeconfig = decryptKubeconfig(operation, keyring);
      if (kubeconfig !== undefined) kubeconfigs.set(version, kubeconfig);
      return kubeconfig;
    },
  };
}
