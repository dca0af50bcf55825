/** All components of one cluster in this process, one group after the other, without a server and without a database. */
import { randomUUID } from 'node:crypto';
import { type Deps, messageOf } from '../../../framework/base/index.ts';
import {
  ARTIFICIAL_NAMESPACE,
  type PlannedOperation,
  planOperations,
  processable,
  resultOf,
  type SequencedOperation,
} from '../operations/plan-operations.ts';
import type { ComponentParts, ComponentReconcilers } from './model/component.ts';
import type { RunnerSettings } from './model/settings.ts';
import type { Callback, ReportedStatus, Task, TaskMetadata } from './model/task.ts';
import { CRDS, runTask, type TaskResult } from './runner/run-task.ts';

/** A component of a cluster. */
export interface ClusterComponent {
  readonly component: string;
  /** Default `kyma-system`. */
  readonly namespace?: string;
  /** Where its chart is: a Git repository (`….git`), an archive, or `oci:`; default: the version of Kyma. */
  readonly url?: string;
  /** Default: the version of Kyma; of a Git repository: its default branch. */
  readonly version?: string;
  /** Values of the chart by dotted key; a value may be an object. */
  readonly configuration?: Readonly<Record<string, unknown>>;
}

/** What a cluster shall have. */
export interface ClusterRequest {
  /** Its text. It runs no program, reads no file and does not turn off the verification of the server. */
  readonly kubeconfig: string;
  /** `delete` removes the components in reverse order. Default `reconcile`. */
  readonly type?: 'reconcile' | 'delete';
  /**
   * The version of Kyma: a tag, branch, commit or `PR-<number>`, or `local` for the workspace itself. Its CRDs come first.
   * Default: none, and all components have a URL.
   */
  readonly version?: string;
  /** `evaluation` or `production`: values of a profile in charts that have it. Default: none. */
  readonly profile?: string;
  readonly components: readonly ClusterComponent[];
  /** Groups of components that come before all others, in this order. */
  readonly preComponents?: readonly (readonly string[])[];
  /** Which custom resources the cleaner of a deletion removes. Default `system`: those of Kyma. */
  readonly deleteStrategy?: 'system' | 'all';
  /** What some component reconcilers read. Default: empty texts. */
  readonly metadata?: Partial<TaskMetadata>;
}

/** The status of one component, whenever it changes. */
export interface ComponentStatus {
  readonly component: string;
  /** `failed`: an attempt failed, and another one follows. */
  readonly status: ReportedStatus;
  /** Why it failed; else empty. */
  readonly error: string;
  /** What it waits for. */
  readonly progress?: string;
}

export interface ComponentResult {
  readonly component: string;
  /** `new`: an earlier component failed. */
  readonly state: 'done' | 'error' | 'new';
  /** Why it failed; else empty. */
  readonly reason: string;
  readonly durationMs: number;
}

export interface ClusterResult {
  readonly status: 'ready' | 'deleted' | 'error' | 'delete_error';
  /** In the order of their priorities. */
  readonly components: readonly ComponentResult[];
}

interface ReconcileClusterOptions extends Pick<Deps, 'clock' | 'random' | 'log'> {
  readonly parts: Pick<ComponentParts, 'charts' | 'deployer' | 'openCluster'>;
  readonly reconcilers: ComponentReconcilers;
  readonly settings: RunnerSettings;
  /** Components that are left out: in lower case, with hyphens. */
  readonly skippedComponents: readonly string[];
  /** Cancels what runs. */
  readonly signal: AbortSignal;
  readonly onStatus?: (status: ComponentStatus) => void | Promise<void>;
}

/** Components at the same time. */
const MAX_PARALLEL = 25;

interface Operation extends SequencedOperation, PlannedOperation {
  state: 'new' | 'in_progress' | 'done' | 'error';
  result?: TaskResult;
}

/** Resolves whether the components succeed or not. */
export async function reconcileCluster(
  request: ClusterRequest,
  options: ReconcileClusterOptions,
): Promise<ClusterResult> {
  const { type = 'reconcile' } = request;
  const operations: Operation[] = planOperations({
    type,
    components: request.components.map(({ component }) => component),
    preComponents: request.preComponents ?? [],
    deleteStrategy: request.deleteStrategy ?? 'system',
    skipped: skippedOf(request, options.skippedComponents),
  })
    .filter(({ component }) => component !== CRDS || request.version)
    .map((planned) => ({ ...planned, type, state: 'new' }));
  const running = new Set<Promise<void>>();
  const start = (operation: Operation) => {
    operation.state = 'in_progress';
    const ended = run(operation, request, options).then((result) => {
      operation.result = result;
      operation.state = result.state === 'success' ? 'done' : 'error';
      running.delete(ended);
    });
    running.add(ended);
  };
  for (;;) {
    if (!options.signal.aborted) for (const next of processable(operations, MAX_PARALLEL)) start(next);
    if (running.size === 0) break;
    await Promise.race(running);
  }
  return {
    status: statusOf(operations),
    components: operations.map(({ component, state, result }) => ({
      component,
      state: state === 'in_progress' ? 'error' : state,
      reason: result?.reason ?? '',
      durationMs: result?.durationMs ?? 0,
    })),
  };
}

async function run(
  operation: Operation,
  request: ClusterRequest,
  { parts, reconcilers, onStatus, ...options }: ReconcileClusterOptions,
): Promise<TaskResult> {
  const { component } = operation;
  const log = options.log.child({ 'component-name': component });
  const task = localTaskOf(operation, request, {
    maxRetries: options.settings.maxRetries,
    correlationID: randomUUID(),
  });
  const actions = Object.hasOwn(reconcilers, component) ? reconcilers[component] : undefined;
  const result = await runTask(task, {
    ...options,
    ...parts,
    log,
    actions: actions ?? reconcilers.base,
    callback: localCallback(component, onStatus, log),
    abort: new AbortController().signal,
  });
  await result.delivery;
  return result;
}

/** Reports by a call of a function. An error of it is logged. */
export function localCallback(
  component: string,
  onStatus: ReconcileClusterOptions['onStatus'],
  log: Deps['log'],
): Callback {
  return async ({ status, error, progress }) => {
    try {
      await onStatus?.({
        component,
        status,
        error,
        ...(progress === undefined || progress.message === '' ? {} : { progress: progress.message }),
      });
      return 'delivered';
    } catch (failure) {
      log.error('cannot report a status', { status, error: messageOf(failure) });
      return 'refused';
    }
  };
}

const skippedOf = ({ components }: ClusterRequest, skipped: readonly string[]): ReadonlySet<string> =>
  new Set(
    components
      .map(({ component }) => component)
      .filter((name) => skipped.includes(name.toLowerCase().replaceAll('_', '-'))),
  );

/** What was not begun, after an error or a cancellation, is no success. */
function statusOf(operations: readonly Operation[]): ClusterResult['status'] {
  const status = resultOf(
    operations.map(({ type, state }) => ({ type, state: state === 'done' ? state : 'error' })),
  );
  switch (status) {
    case 'ready':
    case 'deleted':
    case 'error':
    case 'delete_error':
      return status;
    case 'reconciling':
      return 'error';
    case 'deleting':
      return 'delete_error';
    default:
      return status satisfies never;
  }
}

const NAMESPACE = 'kyma-system';

const noMetadata: Task['metadata'] = {
  globalAccountID: '',
  subAccountID: '',
  serviceID: '',
  servicePlanID: '',
  servicePlanName: '',
  shootName: '',
  instanceID: '',
  region: '',
};

/** The task of a component. Artificial components have their configuration in the operation. */
function localTaskOf(
  { component, parameters }: PlannedOperation,
  request: ClusterRequest,
  { maxRetries, correlationID }: { readonly maxRetries: number; readonly correlationID: string },
): Task {
  const { namespace, url, version, configuration } = parameters
    ? { namespace: ARTIFICIAL_NAMESPACE, url: '', version: '', configuration: parameters }
    : componentOf(component, request);
  return {
    componentsReady: [],
    component,
    namespace,
    // A Git repository has versions of its own, and no version is its default branch.
    version: url.endsWith('.git') ? version : version || (request.version ?? ''),
    url,
    profile: request.profile ?? '',
    configuration,
    kubeconfig: request.kubeconfig,
    metadata: { ...noMetadata, ...request.metadata },
    callbackURL: '',
    correlationID,
    repository: { url },
    type: request.type ?? 'reconcile',
    componentConfiguration: { maxRetries, debug: false },
  };
}

function componentOf(name: string, { components }: ClusterRequest) {
  const found = components.find(({ component }) => component === name);
  return {
    namespace: found?.namespace || NAMESPACE,
    url: found?.url ?? '',
    version: found?.version ?? '',
    configuration: { ...found?.configuration },
  };
}
