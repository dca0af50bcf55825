/**
 * The manager runs everything that a provider process consists of, in a safe order: the endpoints for metrics and
 * probes, then runnables in the order in which they were added, and those that need leadership last, each as soon as it
 * is warmed up and this replica leads. It stops in the reverse order and gives reconciles in progress time to end. A
 * runnable that fails ends the process with its reason.
 */
import type { Deps } from '../../base/deps.ts';
import { messageOf, ProviderError, wrap } from '../../base/errors/errors.ts';
import type { Controller } from '../controller/controller.ts';
import type { MetricsPage } from '../metrics/prometheus.ts';
import { controllerRunnable, followsCluster } from './controller-runnable.ts';
import { type HealthCheck, healthPage } from './health.ts';
import { type HttpEndpoint, type Pages, startHttpEndpoint } from './http-endpoint.ts';
import { isOff } from './listen-address.ts';
import type { Runnable } from './runnable.ts';

/** Lets one of several replicas write. */
export interface LeaderElector {
  /** Resolves when this process may write; rejects with the signal's reason. */
  acquire(signal: AbortSignal): Promise<void>;
  /** Calls `fn` once when this process must no longer write, unless it was released. */
  onLost(fn: () => void): void;
  /** Throws FencedError where this process must not write, even before the loss was noticed by a timer. */
  assertLeading(): void;
  /** Lets another replica lead at once, where that is still permitted. */
  release(): Promise<void>;
}

export interface ManagerOptions extends Pick<Deps, 'clock' | 'log'> {
  /** What /metrics shows. */
  readonly metrics: MetricsPage;
  /** Address of /metrics: `:8080`, `host:port`, or `0` for none; default `:8080`. */
  readonly metricsAddress?: string;
  /** Address of /healthz and /readyz; default `:8081`. */
  readonly healthAddress?: string;
  /** Default: this process may write at once. */
  readonly leaderElector?: LeaderElector;
  /** How long runnables that need leadership may take to end after a stop, in ms; default 30000. */
  readonly drainTimeoutMs?: number;
}

export interface AddControllerOptions {
  /** Whether its kind need not be installed for this process to be ready. Default: it must be. */
  readonly mayBeMissing?: () => boolean;
}

export interface Manager {
  /** Before `run` or later. */
  add(runnable: Runnable): void;
  /** Ends a runnable as it is ended with the manager, and resolves when it has ended. */
  remove(runnable: Runnable): Promise<void>;
  /** Adds a controller and its check to /readyz; before `run` or later, e.g. when a kind's CRD appears. */
  addController(controller: Controller, options?: AddControllerOptions): void;
  /**
   * Ends a controller: its reconciles may run to their end within the drain timeout, and are aborted then. Resolves
   * when none runs any more.
   */
  removeController(controller: Controller): Promise<void>;
  /** Adds a check to /healthz. */
  addHealthCheck(name: string, check: HealthCheck): void;
  /** Adds a check to /readyz. */
  addReadyCheck(name: string, check: HealthCheck): void;
  /** Where the endpoints listen, once they do. */
  addresses(): { readonly metrics?: string; readonly health?: string };
  /**
   * Runs until `signal` is aborted, then stops and resolves. Rejects if a runnable fails, and, after everything was
   * aborted at once, if leadership is lost.
   */
  run(signal: AbortSignal): Promise<void>;
}

/** How long runnables that were aborted may take to end, in ms. */
const ABORT_GRACE_MS = 2000;

/** A runnable that was begun. */
interface Run {
  readonly runnable: Runnable;
  readonly stopping: AbortController;
  readonly aborting: AbortController;
  /** Never rejects. */
  readonly ended: Promise<void>;
}

export function createManager(options: ManagerOptions): Manager {
  const { clock, log, leaderElector, drainTimeoutMs = 30_000 } = options;
  const added = new Set<Runnable>();
  const runs = new Map<Runnable, Run>();
  const controllers = new Map<Controller, Runnable>();
  const healthChecks = new Map<string, HealthCheck>([['ping', () => undefined]]);
  const readyChecks = new Map<string, HealthCheck>([['ping', () => undefined]]);
  const endpoints = new Map<string, HttpEndpoint>();
  const elected = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const stopping = new AbortController();
  let state: 'new' | 'running' | 'stopped' = 'new';
  let lost = false;

  const begin = (runnable: Runnable) => {
    const stop = new AbortController();
    const aborting = new AbortController();
    const ended = perform(runnable, stop.signal, aborting.signal).catch((error: unknown) => {
      if (stop.signal.aborted) {
        // What `warmUp` awaited is rejected with the signal's reason.
        if (error === stop.signal.reason) return;
        log.error('cannot stop cleanly', { doing: `stop ${runnable.name}`, error: messageOf(error) });
      } else failed.reject(wrap(error, `cannot run ${runnable.name}`));
    });
    runs.set(runnable, { runnable, stopping: stop, aborting, ended });
  };
  const perform = async (runnable: Runnable, signal: AbortSignal, abort: AbortSignal) => {
    // Nothing is awaited without need: a runnable may rely on those before it having begun.
    if (runnable.warmUp !== undefined) await runnable.warmUp(signal);
    if (runnable.needsLeadership) await elected.promise;
    if (signal.aborted) return;
    await runnable.start(signal, abort);
    if (!signal.aborted) throw new ProviderError('bug', 'it ended before it was stopped');
  };
  const pagesByAddress = (): Map<string, Pages> => {
    const metricsPage = async () => ({
      status: 200,
      contentType: options.metrics.contentType,
      body: await options.metrics.text(),
    });
    const wanted: [string, Pages][] = [
      [options.metricsAddress ?? ':8080', { '/metrics': metricsPage }],
      [
        options.healthAddress ?? ':8081',
        {
          '/healthz': () => healthPage('healthz', healthChecks),
          '/readyz': () => healthPage('readyz', readyChecks),
        },
      ],
    ];
    const pages = new Map<string, Pages>();
    for (const [address, more] of wanted) {
      if (!isOff(address)) pages.set(address, { ...pages.get(address), ...more });
    }
    return pages;
  };
  const start = async () => {
    for (const [address, pages] of pagesByAddress()) {
      const endpoint = await startHttpEndpoint(address, pages);
      for (const path of Object.keys(pages)) endpoints.set(path, endpoint);
      log.info('serving', { address: endpoint.address, pages: Object.keys(pages) });
    }
    state = 'running';
    for (const runnable of inOrder()) begin(runnable);
  };
  /** Those that need leadership last. */
  const inOrder = () => {
    const all = [...added];
    return [
      ...all.filter((runnable) => !runnable.needsLeadership),
      ...all.filter((runnable) => runnable.needsLeadership),
    ];
  };
  const needingLeadership = () => [...runs.values()].filter(({ runnable }) => runnable.needsLeadership);
  /** Rejects only when leadership is lost. */
  const lead = async (): Promise<never> => {
    const loss = Promise.withResolvers<never>();
    if (leaderElector !== undefined) {
      leaderElector.onLost(() => {
        lost = true;
        const error = new ProviderError('terminal', 'cannot go on: another replica may lead by now');
        for (const { aborting } of needingLeadership()) aborting.abort(error);
        loss.reject(error);
      });
      await leaderElector.acquire(stopping.signal);
    }
    elected.resolve();
    return loss.promise;
  };
  /** Ends runs, aborting what does not end in time. Returns whether all have ended. */
  const drain = async (ending: readonly Run[], why: string): Promise<boolean> => {
    const reason = new ProviderError('transient', why);
    for (const run of ending) run.stopping.abort(reason);
    const ended = Promise.all(ending.map((run) => run.ended));
    if (await within(ended, lost ? ABORT_GRACE_MS : drainTimeoutMs)) return true;
    log.error('reconciles still running, aborting them');
    for (const run of ending) run.aborting.abort(reason);
    if (await within(ended, ABORT_GRACE_MS)) return true;
    log.error('reconciles did not end when aborted');
    return false;
  };
  const within = async (work: Promise<unknown>, ms: number): Promise<boolean> => {
    const late = Promise.withResolvers<false>();
    const cancel = clock.after(ms, () => late.resolve(false));
    try {
      return await Promise.race([work.then(() => true), late.promise]);
    } finally {
      cancel();
    }
  };
  const stop = async () => {
    const why = 'the provider is stopping';
    state = 'stopped';
    stopping.abort(new ProviderError('transient', why));
    elected.resolve();
    const drained = await drain(needingLeadership(), why);
    for (const run of [...runs.values()].reverse()) {
      run.stopping.abort(stopping.signal.reason);
      if (!run.runnable.needsLeadership) await run.ended;
    }
    // What still runs might write: then the others wait until the Lease is over.
    if (drained) await release();
    for (const endpoint of new Set(endpoints.values())) await endpoint.close();
  };
  const release = async () => {
    try {
      await leaderElector?.release();
    } catch (error) {
      log.error('cannot stop cleanly', { doing: 'release leadership', error: messageOf(error) });
    }
  };
  const add = (runnable: Runnable) => {
    added.add(runnable);
    if (state === 'running') begin(runnable);
  };
  const remove = async (runnable: Runnable) => {
    added.delete(runnable);
    const run = runs.get(runnable);
    if (run === undefined) return;
    // Until its end it is one of those that a loss of leadership aborts.
    const drained = await drain([run], `${runnable.name} was removed`);
    if (!drained) await run.ended;
    runs.delete(runnable);
  };
  return {
    add,
    remove,
    addController: (controller, { mayBeMissing = () => false } = {}) => {
      const runnable = controllerRunnable(controller, { clock, log });
      controllers.set(controller, runnable);
      const follows = followsCluster(controller);
      readyChecks.set(controller.name, () => {
        const missing = mayBeMissing() && controller.problem()?.kindMissing;
        return missing ? 'its kind is not installed' : follows();
      });
      add(runnable);
    },
    removeController: async (controller) => {
      readyChecks.delete(controller.name);
      const runnable = controllers.get(controller);
      if (runnable !== undefined) await remove(runnable);
      controllers.delete(controller);
      log.info('controller ended', { controller: controller.name });
    },
    addHealthCheck: (name, check) => {
      healthChecks.set(name, check);
    },
    addReadyCheck: (name, check) => {
      readyChecks.set(name, check);
    },
    addresses: () => {
      const metrics = endpoints.get('/metrics')?.address;
      const health = endpoints.get('/healthz')?.address;
      return { ...(metrics === undefined ? {} : { metrics }), ...(health === undefined ? {} : { health }) };
    },
    run: async (signal) => {
      const asked = Promise.withResolvers<void>();
      const ask = () => asked.resolve();
      if (signal.aborted) ask();
      signal.addEventListener('abort', ask, { once: true });
      try {
        await start();
        await Promise.race([asked.promise, failed.promise, lead()]);
      } finally {
        signal.removeEventListener('abort', ask);
        await stop();
      }
    },
  };
}
