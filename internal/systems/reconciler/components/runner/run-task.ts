/** A task from its first attempt to its last report. */
import { randomUUID } from 'node:crypto';
import { abandonable } from '../../../../framework/base/concurrency/abandonable.ts';
import {
  cutText,
  type Deadline,
  type Deps,
  findCause,
  kindOf,
  messageOf,
  ProviderError,
  redact,
  sleep,
  withDeadline,
} from '../../../../framework/base/index.ts';
import { observeRun } from '../../../../framework/base/telemetry/telemetry.ts';
import { EndpointRefusedError } from '../../../../framework/http/index.ts';
import { KubeconfigError } from '../../../../framework/kube/config/kubeconfig-document.ts';
import { UntrustedServerError } from '../../../../framework/kube/errors/errors.ts';
import {
  isNotFound,
  namespaces,
  type ResourceType,
  UnreachableError,
} from '../../../../framework/kube/index.ts';
import { handedBackReason } from '../../operations/operation.ts';
import type {
  Action,
  ActionContext,
  Awaited,
  Charts,
  ComponentActions,
  Deployer,
  DeployOptions,
  ManagedCluster,
  Manifest,
  ManifestObject,
  OpenCluster,
  Worker,
} from '../model/component.ts';
import type { RunnerSettings } from '../model/settings.ts';
import { type Callback, type Delivery, type Task, tenantOf } from '../model/task.ts';
import { renderChart, targetOf } from '../reconcilers/objects.ts';
import { createHeartbeat, type Heartbeat, type LastReport } from '../reports/create-heartbeat.ts';
import { createStatusConfigMap } from '../reports/status-config-map.ts';

export interface RunTaskOptions extends Pick<Deps, 'clock' | 'random' | 'log'> {
  readonly actions: ComponentActions;
  readonly charts: Charts;
  readonly deployer: Deployer;
  readonly openCluster: OpenCluster;
  readonly callback: Callback;
  readonly settings: RunnerSettings;
  /** Components that are never reconciled, by `SKIP_COMPONENT_…`. */
  readonly skippedComponents: readonly string[];
  /** The worker of the task, which is free while the task waits for its next attempt. Default: none. */
  readonly worker?: Worker;
  /** Aborted when the task must end: the program stops. */
  readonly signal: AbortSignal;
  /** Aborted when not even its last report may be waited for. */
  readonly abort: AbortSignal;
}

export interface TaskResult {
  /** `cancelled`: it did not end, and may be repeated. */
  readonly state: 'success' | 'error' | 'cancelled';
  /** Empty for a success. */
  readonly reason: string;
  readonly durationMs: number;
  /** Resolves when the last report was delivered or given up, perhaps long after the result. */
  readonly delivery: Promise<Delivery>;
}

/** Time that an action has to end once it is cancelled, in ms. Its connections are closed then. */
const CANCEL_GRACE_MS = 3000;
/** Between the two calls that prove that the host of a cluster does not exist, in ms. */
const LOOK_AGAIN_MS = 5000;
/** The delay before an attempt is longer by at most this, in ms. */
const DELAY_JITTER_MS = 100;

/** Never rejects. */
export async function runTask(task: Task, options: RunTaskOptions): Promise<TaskResult> {
  const { clock, log, settings, callback, signal, abort } = options;
  const began = clock.monotonic();
  const heartbeat = createHeartbeat({ clock, callback, settings, signal: abort });
  using deadline = withDeadline(clock, settings.workerTimeoutMs, `${task.type} ${task.component}`, signal);
  const within = AbortSignal.any([deadline.signal, heartbeat.superseded]);
  await using run = openRun(task, options, heartbeat, within);
  const reasons: string[] = [];
  const isDone = await makeAttempts(run, reasons);
  const result = endOf({ isDone, reasons, options, deadline, heartbeat });
  const durationMs = Math.round(clock.monotonic() - began);
  log.info('task ended', { state: result.state, type: task.type, durationMs, reason: result.reason });
  const delivery =
    result.report === undefined ? Promise.resolve<Delivery>('superseded') : heartbeat.end(result.report);
  if (result.report !== undefined) await run.show(result.report.status, abort);
  return { state: result.state, reason: result.reason, durationMs, delivery };
}

/** What attempts share. */
interface Run extends AsyncDisposable {
  readonly task: Task;
  readonly options: RunTaskOptions;
  readonly heartbeat: Heartbeat;
  readonly signal: AbortSignal;
  cluster(): Promise<ManagedCluster>;
  show(status: 'running' | LastReport['status'], signal: AbortSignal): Promise<void>;
}

function openRun(task: Task, options: RunTaskOptions, heartbeat: Heartbeat, signal: AbortSignal): Run {
  let opened: ManagedCluster | undefined;
  return {
    task,
    options,
    heartbeat,
    signal,
    cluster: async () => {
      opened ??= await options.openCluster(task.kubeconfig, tenantOf(task));
      return opened;
    },
    show: async (status, within) => {
      if (opened === undefined) return;
      await createStatusConfigMap({ ...options, client: opened.client, task }).set(status, within);
    },
    [Symbol.asyncDispose]: async () => {
      try {
        await opened?.close();
      } catch (error) {
        options.log.debug('cannot close the connections of a cluster', { error: messageOf(error) });
      }
    },
  };
}

/** Returns whether one succeeded. @param reasons gets those of the others */
async function makeAttempts(run: Run, reasons: string[]): Promise<boolean> {
  const { task, options, heartbeat, signal } = run;
  const { clock, random, settings, log } = options;
  const max = task.componentConfiguration?.maxRetries ?? settings.maxRetries;
  if (max === 0) reasons.push('no attempt is left');
  for (let attempt = 1; attempt <= max && !signal.aborted; attempt++) {
    heartbeat.running(randomUUID());
    const failure = await attemptOnce(run);
    if (failure === undefined) return true;
    if (signal.aborted) return false;
    reasons.push(failure.reason);
    log.info('an attempt failed', { attempt, reason: failure.reason });
    if (failure.isFinal || attempt === max) return false;
    heartbeat.failed(failure.reason);
    await run.show('failed', signal);
    const delayMs = settings.retriesDelayMs * 2 ** (attempt - 1) + random() * DELAY_JITTER_MS;
    options.worker?.pause();
    await sleep(clock, delayMs, signal).catch(() => undefined);
    await options.worker?.resume(signal);
  }
  return false;
}

/** Undefined after a success. */
async function attemptOnce(run: Run): Promise<Failure | undefined> {
  const { task, options, heartbeat, signal } = run;
  const attempt = new AbortController();
  const work = async () => {
    const cluster = await run.cluster();
    await run.show('running', signal);
    using part = await cluster.part({ signal, bytes: 0 });
    const context: ActionContext = {
      ...options,
      charts: withFinalErrors(options.charts),
      task,
      cluster: { ...cluster, ...part },
      signal: AbortSignal.any([signal, attempt.signal]),
      configuration: structuredClone(task.configuration),
      progress: (message) => {
        if (!attempt.signal.aborted) heartbeat.progress(message);
      },
    };
    await runAttempt(options.actions, defaultActions(options), context);
  };
  const working = observeRun('task', work, () => attempt.signal.aborted);
  try {
    await abandonable(working, signal);
    return undefined;
  } catch (error) {
    if (signal.aborted) await awaitCancelled(working, options);
    return failureOf(error, await isClusterGone(run, error));
  } finally {
    attempt.abort();
  }
}

/** A resolver may fail once: the host is asked for again. */
async function isClusterGone({ cluster, options, signal }: Run, error: unknown): Promise<boolean> {
  const { name, client } = await cluster().catch(() => ({ name: '', client: undefined }));
  if (client === undefined || !saysNoSuchHost(error, name)) return false;
  try {
    await sleep(options.clock, LOOK_AGAIN_MS, signal);
    await client.list(namespaces, { limit: 1, signal });
    return false;
  } catch (again) {
    return saysNoSuchHost(again, name);
  }
}

/** Waits for the end of cancelled work; work that ignores its signal is left behind. */
async function awaitCancelled(work: Promise<void>, { clock, log }: RunTaskOptions): Promise<void> {
  using grace = withDeadline(clock, CANCEL_GRACE_MS, 'end of a cancelled action');
  await abandonable(work, grace.signal).catch(() => undefined);
  if (grace.signal.aborted) log.error('an action goes on though it was cancelled', {});
}

interface EndOptions {
  readonly isDone: boolean;
  readonly reasons: readonly string[];
  readonly options: Pick<RunTaskOptions, 'signal'>;
  readonly deadline: Deadline;
  readonly heartbeat: Heartbeat;
}

interface End extends Pick<TaskResult, 'state' | 'reason'> {
  /** Undefined: nobody waits for it. */
  readonly report: LastReport | undefined;
}

function endOf({ isDone, reasons, options, deadline, heartbeat }: EndOptions): End {
  if (isDone) return { state: 'success', reason: '', report: { status: 'success' } };
  if (heartbeat.superseded.aborted) {
    return { state: 'cancelled', reason: messageOf(heartbeat.superseded.reason), report: undefined };
  }
  if (options.signal.aborted) {
    // What failed before the stop would be lost: another worker counts its attempts anew.
    const failed = reasons.length === 0 ? '' : `; before that ${numbered(reasons)}`;
    const reason = handedBackReason(`${messageOf(options.signal.reason)}${failed}`);
    return { state: 'cancelled', reason, report: { status: 'failed', reason } };
  }
  const all = deadline.signal.aborted ? [...reasons, messageOf(deadline.signal.reason)] : reasons;
  const reason = numbered(all);
  return { state: 'error', reason, report: { status: 'error', reason } };
}

/** The three actions of a task, one after the other. Rejects with the error of the first that fails. */
async function runAttempt(
  actions: ComponentActions,
  defaults: Readonly<Record<'reconcile' | 'delete', Action>>,
  context: ActionContext,
): Promise<void> {
  const [before, main, after] =
    context.task.type === 'delete'
      ? ([actions.preDelete, actions.delete ?? defaults.delete, actions.postDelete] as const)
      : ([actions.preReconcile, actions.reconcile ?? defaults.reconcile, actions.postReconcile] as const);
  for (const action of [before, main, after]) {
    context.signal.throwIfAborted();
    await action?.(context);
  }
}

/** How an attempt failed. */
interface Failure {
  /** One line without credentials. */
  readonly reason: string;
  /** Another attempt would fail in the same way. */
  readonly isFinal: boolean;
}

/** The mothership takes a cluster for deleted if an operation of its deletion has this in its reason. */
const NO_HOST = 'no such host';
const OTHER_NAME = 'x509: certificate is valid';

/** @param isClusterGone whether the host of the cluster does not exist, proved by two calls */
function failureOf(error: unknown, isClusterGone: boolean): Failure {
  // Others write these words too: webhooks, pulls of images, charts. They are not about the host of the cluster.
  const reason = redact(messageOf(error))
    .replaceAll(NO_HOST, 'unknown host')
    .replaceAll(OTHER_NAME, 'x509: the certificate is valid');
  if (isClusterGone) return { reason: `${reason}: ${NO_HOST}`, isFinal: true };
  if (findCause(error, UntrustedServerError) && reason.includes('altnames')) {
    return { reason: `${reason}: ${OTHER_NAME} for other names`, isFinal: true };
  }
  const cause =
    findCause(error, KubeconfigError) ??
    findCause(error, EndpointRefusedError) ??
    findCause(error, UnusableChartError);
  return { reason, isFinal: cause !== undefined };
}

/**
 * Whether the resolver says that the host of the cluster does not exist. The name of a proxy, or of another cluster, says
 * nothing of it.
 *
 * @param host of the cluster, with its port
 */
export function saysNoSuchHost(error: unknown, host: string): boolean {
  const missing = findCause(error, UnreachableError)?.missingHost;
  return missing !== undefined && hostnameOf(missing) === hostnameOf(host);
}

const hostnameOf = (host: string): string | undefined =>
  URL.parse(`https://${host}`)?.hostname.replace(/\.$/, '');

/** A chart that is missing or refused, or that cannot be rendered: another attempt renders the same. */
class UnusableChartError extends ProviderError {}

/** The charts, whose errors say whether they can pass by themselves. */
function withFinalErrors(charts: Charts): Charts {
  const marked =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      call(...args).catch((error: unknown) => {
        const kind = kindOf(error);
        if (kind !== 'terminal' && kind !== 'not-found') throw error;
        throw new UnusableChartError(kind, messageOf(error), { cause: error });
      });
  return {
    workspace: marked(charts.workspace),
    render: marked(charts.render),
    crds: marked(charts.crds),
    values: marked(charts.values),
  };
}

/** The reasons of all attempts, numbered. Equal ones that follow each other are one: `#1-#5: … (5 times)`. */
function numbered(reasons: readonly string[]): string {
  const groups: { readonly reason: string; readonly first: number; count: number }[] = [];
  for (const [index, reason] of reasons.entries()) {
    const last = groups.at(-1);
    if (last?.reason === reason) last.count++;
    else groups.push({ reason, first: index + 1, count: 1 });
  }
  const texts = groups.map(({ reason, first, count }) =>
    count === 1 ? `#${first}: ${reason}` : `#${first}-#${first + count - 1}: ${reason} (${count} times)`,
  );
  return texts.join('; ');
}

/** The component with the CRDs of a Kyma version. */
export const CRDS = 'CRDs';
/** Cleans up after the components of a cluster that is deleted; its own actions do so. */
export const CLEANER = 'cleaner';

interface DefaultActionsOptions {
  /** Components that are never reconciled: their CRDs are left out. */
  readonly skippedComponents: readonly string[];
}

/** The main actions of components that have none of their own: deploy the rendered objects, or remove them. */
function defaultActions({ skippedComponents }: DefaultActionsOptions) {
  const deploy: Action = async (context) => {
    const rendered = await renderedFor(context, skippedComponents);
    if (rendered === undefined) return;
    const { manifest, released } = rendered;
    await context.deployer.deploy(targetOf(context), manifest, { ...optionsOf(context), released });
  };
  const remove: Action = async (context) => {
    const rendered = await renderedFor(context, skippedComponents);
    if (rendered === undefined) return;
    const { manifest, released } = rendered;
    await context.deployer.remove(targetOf(context), manifest, { ...optionsOf(context), released });
  };
  return { reconcile: deploy, delete: remove } as const;
}

interface Rendered {
  readonly manifest: Manifest;
  /** Objects that something else manages. */
  readonly released: Manifest;
}

/** The objects of a component; undefined if it never has any. */
async function renderedFor(
  context: ActionContext,
  skippedComponents: readonly string[],
): Promise<Rendered | undefined> {
  const { task, charts, signal } = context;
  if (task.component === CLEANER) return undefined;
  if (task.component !== CRDS) return { manifest: await renderChart(context), released: [] };
  const released = [...skippedComponents, ...((await hasOwnIstio(context)) ? ['istio'] : [])];
  // Files and folders whose path begins so, or goes on so after a slash.
  const isReleased = ({ source }: ManifestObject) =>
    released.some((name) => `/${source}`.includes(`/${name}`));
  const all = await charts.crds(task, { signal, tenant: tenantOf(task) });
  return { manifest: all.filter((each) => !isReleased(each)), released: all.filter(isReleased) };
}

const istios: ResourceType = {
  group: 'operator.kyma-project.io',
  version: 'v1alpha2',
  kind: 'Istio',
  plural: 'istios',
  namespaced: true,
};

/** Whether a module of the cluster manages Istio, or it is not known that none does. */
async function hasOwnIstio({ cluster, signal }: ActionContext): Promise<boolean> {
  try {
    await cluster.client.list(istios, { limit: 1, signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    return !isNotFound(error);
  }
}

const optionsOf = ({ signal, progress }: ActionContext): DeployOptions => ({
  signal,
  onProgress: (awaited) => progress(describe(awaited)),
});

/** Objects that a message names. */
const MAX_NAMED = 5;

function describe(awaited: readonly Awaited[]): string {
  if (awaited.length === 0) return '';
  const named = awaited.slice(0, MAX_NAMED).map(({ object: { kind, metadata }, reason }) => {
    const name = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
    return `${kind} ${name}: ${cutText(reason, 150)}`;
  });
  const more = awaited.length > MAX_NAMED ? `; and ${awaited.length - MAX_NAMED} more` : '';
  return `waiting for ${named.join('; ')}${more}`;
}
