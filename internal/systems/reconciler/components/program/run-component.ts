/** A component reconciler as a program: server, workers, reports and metrics, run by the manager until it is stopped. */
import { hostname } from 'node:os';
import {
  type Deps,
  InvalidConfigurationError,
  type Logger,
  type Metrics,
  nopTracer,
  reportBuildInfo,
  systemClock,
  systemRandom,
} from '../../../../framework/base/index.ts';
import { createBoundedLabel } from '../../../../framework/base/telemetry/bounded-label.ts';
import { createManager, createPrometheusMetrics } from '../../../../framework/process/index.ts';
import {
  openClientCertificate,
  openTrustedCertificates,
} from '../../../../framework/process/server/server-tls.ts';
import { isFeatureOn, skippedComponents } from '../../operations/operation.ts';
import type { ComponentFlags } from '../component-flags.ts';
import type { ComponentReconcilers } from '../model/component.ts';
import { runnerSettings } from '../model/settings.ts';
import { createOccupancyReporter } from '../pool/occupancy-reporter.ts';
import { createTaskPool, type Work } from '../pool/task-pool.ts';
import { createHttpCallbacks } from '../reports/http-callbacks.ts';
import { dryRun } from '../runner/dry-run.ts';
import { runTask, type TaskResult } from '../runner/run-task.ts';
import { createTaskServer } from '../server/task-server.ts';
import { openParts } from './open-parts.ts';

export interface RunComponentOptions {
  /** Of the component reconciler. */
  readonly name: string;
  readonly reconcilers: ComponentReconcilers;
  readonly flags: ComponentFlags;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  /** The log of tasks that ask for details. */
  readonly debugLog: Logger;
}

/** Time that tasks have to end after a stop, in ms. */
const DRAIN_TIMEOUT_MS = 8000;

/** Runs until `signal` is aborted, then cancels the tasks in progress, reports that, and resolves. */
export async function runComponent(options: RunComponentOptions, signal: AbortSignal): Promise<void> {
  const { name, reconcilers, flags, env, log, debugLog } = options;
  const actions = Object.hasOwn(reconcilers, name) ? reconcilers[name] : undefined;
  if (actions === undefined) {
    const known = Object.keys(reconcilers).sort().join(', ');
    throw new InvalidConfigurationError(`there is no component reconciler ${name}; there are ${known}`);
  }
  const settings = runnerSettings({
    workers: flags.workerCount,
    workerTimeoutMs: flags.workerTimeout,
    maxRetries: flags.retriesMax,
    retriesDelayMs: flags.retriesDelay,
    statusIntervalMs: flags.statusInterval,
  });
  const identity = await openClientCertificate({
    clock: systemClock,
    log,
    files: { certificate: flags.clientCrt, key: flags.clientKey },
    flags: { certificate: '--client-crt', key: '--client-key' },
  });
  const trustedCertificates = await openTrustedCertificates({
    ...{ clock: systemClock, log, file: flags.callbackCaFile, flag: '--callback-ca-file' },
  });

  await using resources = new AsyncDisposableStack();
  const page = createPrometheusMetrics({ processMetrics: true });
  reportBuildInfo(page, 'provider-kyma');
  const deps: Deps = { clock: systemClock, random: systemRandom, tracer: nopTracer, log, metrics: page };
  const parts = openParts({
    ...deps,
    workspace: flags.workspace,
    progressIntervalMs: flags.progressInterval,
    allowPrivateEndpoints: flags.allowPrivateEndpoints,
    defaultCapabilities: flags.defaultCapabilities,
    env,
  });
  resources.defer(() => parts.close());
  const callbacks = createHttpCallbacks({ ...deps, identity, trustedCertificates });
  resources.defer(() => callbacks.close());

  const observe = createProcessingTime(page);
  const skipped = skippedComponents(env);
  const work: Work = async (task, stop, abort, worker) => {
    const logger = (task.componentConfiguration.debug ? debugLog : log).child({
      'correlation-id': task.correlationID,
      'component-name': task.component,
    });
    const run = flags.dryRun ? dryRun : runTask;
    const result = await run(task, {
      ...deps,
      ...parts,
      log: logger,
      actions,
      settings,
      callback: callbacks.to(task.callbackURL, logger),
      skippedComponents: skipped,
      worker,
      signal: stop,
      abort,
    });
    observe(task.component, result);
    return result;
  };
  const pool = createTaskPool({
    ...deps,
    size: settings.workers,
    work,
    onAccepted: (task) => occupancy?.taskAccepted(task),
  });
  const occupancy = isFeatureOn(env, 'WORKERPOOL_OCCUPANCY_TRACKING_ENABLED')
    ? createOccupancyReporter({ ...deps, callbacks, pool, poolId: hostname(), component: name })
    : undefined;

  const manager = createManager({
    ...deps,
    metrics: page,
    metricsAddress: '0',
    healthAddress: '0',
    drainTimeoutMs: DRAIN_TIMEOUT_MS,
  });
  // Stopped last: probes see that no more tasks are accepted.
  manager.add(createTaskServer({ ...deps, flags, settings, pool, metrics: page }));
  if (occupancy !== undefined) manager.add(occupancy.runnable);
  manager.add(pool.runnable);
  await manager.run(signal);
}

/** 11 buckets from one second, doubling. */
const BUCKETS_MS = Array.from({ length: 11 }, (_, index) => 1000 * 2 ** index);

/** Observes how long tasks took. One that was cancelled has no result. */
function createProcessingTime(metrics: Metrics) {
  const durations = metrics.histogram({
    name: 'reconciler_processing_time',
    help: 'Durations of tasks that ended in this process, with all their attempts, in ms.',
    labels: ['component', 'metric'],
    buckets: BUCKETS_MS,
  });
  const componentLabel = createBoundedLabel();
  return (component: string, { state, durationMs }: Pick<TaskResult, 'state' | 'durationMs'>): void => {
    if (state === 'cancelled') return;
    const result = state === 'success' ? 'successful' : 'unsuccessful';
    durations.observe(durationMs, {
      component: componentLabel(component),
      metric: `processing_duration_${result}_millisecond`,
    });
  };
}
