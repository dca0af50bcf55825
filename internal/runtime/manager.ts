/**
 * The manager runs everything that a provider process consists of, in an order that is safe: first the endpoints
 * that show how it is doing, then components (informers, event recorder, …), then the watches of all controllers,
 * and their workers last, each as soon as its own caches have synced and this replica may write. It stops in the
 * reverse order and gives running reconciles time to end.
 */
import type { Clock } from '../base/clock.ts';
import { messageOf, ProviderError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Controller } from './controller.ts';
import { type HealthCheck, healthPage } from './health.ts';
import { type HttpEndpoint, isOff, type Pages, startHttpEndpoint } from './http-endpoint.ts';
import type { MetricsPage } from './metrics/prometheus.ts';

/**
 * Begins something with a life of its own that controllers need (an informer, an event recorder, a pool of
 * clusters) and returns what ends it: called after all controllers have ended, to stop it and to send what is still
 * held back.
 */
export type StartComponent = () => Stop | Promise<Stop>;
export type Stop = () => void | Promise<void>;

/** Lets one of several replicas write. */
export interface LeaderElector {
  /** Resolves when this process may write; rejects with the signal's reason. */
  acquire(signal: AbortSignal): Promise<void>;
  /** Calls `fn` once when this process must no longer write, unless it was released. */
  onLost(fn: () => void): void;
  /** Throws FencedError where this process must not write, even if nothing had the time yet to notice the loss. */
  assertLeading(): void;
  /** Lets another replica take over at once, where that is still permitted. */
  release(): Promise<void>;
}

export interface ManagerOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** What /metrics shows. */
  readonly metrics: MetricsPage;
  /** Address of /metrics: `:8080`, `host:port`, or `0` for none; default `:8080`. */
  readonly metricsAddress?: string;
  /** Address of /healthz and /readyz; default `:8081`. */
  readonly healthAddress?: string;
  /** Default: this process may write at once. */
  readonly leaderElector?: LeaderElector;
  /** How long running reconciles may take after a stop, in ms; default 30000. */
  readonly drainTimeoutMs?: number;
}

export interface ControllerPlace {
  /** Whether its kind need not be installed for this process to be ready. Default: it must be. */
  readonly mayBeMissing?: () => boolean;
}

export interface Manager {
  /** Before `run`; components start in this order and stop in the reverse one. */
  addComponent(name: string, start: StartComponent): void;
  /** Before `run` or later, e.g. when a kind's CRD appears. */
  addController(controller: Controller, options?: ControllerPlace): void;
  /**
   * Ends a controller, as all are ended with the manager: its reconciles may run out for a while, and are aborted
   * then. Resolves when none runs any more.
   */
  removeController(controller: Controller): Promise<void>;
  /** Adds a check to /healthz. */
  addHealthCheck(name: string, check: HealthCheck): void;
  /** Adds a check to /readyz. */
  addReadyCheck(name: string, check: HealthCheck): void;
  /** Where the endpoints listen, once they do. */
  addresses(): { readonly metrics?: string; readonly health?: string };
  /**
   * Runs until `signal` is aborted, then stops and resolves. Rejects if it cannot start, and, after everything was
   * aborted at once, if leadership is lost.
   */
  run(signal: AbortSignal): Promise<void>;
}

/** For how long a watch may be interrupted without a word: servers end watches, and restart. In ms. */
const INTERRUPTION_MS = 10_000;
/** How long a wait for caches may go on before it is mentioned again, in ms. */
const SYNC_REMINDER_MS = 10_000;
/** How long reconciles that were aborted may take to notice, in ms. */
const ABORT_GRACE_MS = 2000;

export function createManager(options: ManagerOptions): Manager {
  const { clock, log, leaderElector, drainTimeoutMs = 30_000 } = options;
  const components: { readonly name: string; readonly start: StartComponent }[] = [];
  const stops: { readonly name: string; readonly stop: Stop }[] = [];
  const controllers = new Set<Controller>();
  /** Of the controllers that were started. */
  const removals = new Map<Controller, AbortController>();
  const healthChecks = new Map<string, HealthCheck>([['ping', () => undefined]]);
  const readyChecks = new Map<string, HealthCheck>([['ping', () => undefined]]);
  const endpoints = new Map<string, HttpEndpoint>();
  const mayWrite = Promise.withResolvers<void>();
  const stopping = new AbortController();
  let state: 'new' | 'running' | 'stopped' = 'new';
  let lost = false;

  const startController = (controller: Controller) => {
    const removed = new AbortController();
    removals.set(controller, removed);
    const ended = AbortSignal.any([stopping.signal, removed.signal]);
    controller.watch();
    runController(controller, ended).catch((error: unknown) => {
      if (!ended.aborted) {
        log.error('controller did not start', { controller: controller.name, error: messageOf(error) });
      }
    });
  };
  const runController = async (controller: Controller, ended: AbortSignal) => {
    await remindWhile(controller.whenSynced(ended), () => {
      // What is not installed may never be.
      if (controller.problem()?.kindMissing) return;
      log.info('waiting for caches', { controller: controller.name });
    });
    await mayWrite.promise;
    if (ended.aborted) return;
    controller.work();
    log.info('controller started', { controller: controller.name });
  };
  const remindWhile = async (work: Promise<void>, remind: () => void) => {
    let cancel: () => void = () => undefined;
    const again = () => {
      cancel = clock.after(SYNC_REMINDER_MS, () => {
        remind();
        again();
      });
    };
    again();
    try {
      await work;
    } finally {
      cancel();
    }
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
    for (const { name, start: begin } of components) stops.unshift({ name, stop: await begin() });
    state = 'running';
    for (const controller of controllers) startController(controller);
  };
  /** Rejects only when leadership is lost. */
  const lead = async (): Promise<never> => {
    const loss = Promise.withResolvers<never>();
    if (leaderElector !== undefined) {
      leaderElector.onLost(() => {
        lost = true;
        const error = new ProviderError('terminal', 'cannot go on: another replica may lead by now');
        for (const controller of controllers) controller.abort(error);
        loss.reject(error);
      });
      await leaderElector.acquire(stopping.signal);
    }
    mayWrite.resolve();
    return loss.promise;
  };
  /** Whether all reconciles have ended. */
  const drain = async (ending: readonly Controller[], why: string): Promise<boolean> => {
    const ended = allEnded(ending).then(() => true as const);
    if (await within(ended, lost ? ABORT_GRACE_MS : drainTimeoutMs)) return true;
    log.error('reconciles still running, aborting them');
    const reason = new ProviderError('transient', why);
    for (const controller of ending) controller.abort(reason);
    if (await within(ended, ABORT_GRACE_MS)) return true;
    log.error('reconciles did not end when aborted');
    return false;
  };
  const allEnded = (ending: readonly Controller[]) =>
    Promise.all(ending.map((controller) => controller.stop()));
  const within = async (work: Promise<true>, ms: number): Promise<boolean> => {
    const late = Promise.withResolvers<false>();
    const cancel = clock.after(ms, () => late.resolve(false));
    try {
      return await Promise.race([work, late.promise]);
    } finally {
      cancel();
    }
  };
  const stop = async () => {
    state = 'stopped';
    stopping.abort(new ProviderError('transient', 'the provider is stopping'));
    mayWrite.resolve();
    const drained = await drain([...controllers], 'the provider is stopping');
    for (const { name, stop: end } of stops) await attempt(`stop ${name}`, end);
    // What still runs might write: then the others wait until the Lease is over.
    if (drained) await attempt('release leadership', () => leaderElector?.release());
    for (const endpoint of new Set(endpoints.values())) await endpoint.close();
  };
  const attempt = async (doing: string, work: () => void | Promise<void>) => {
    try {
      await work();
    } catch (error) {
      log.error('cannot stop cleanly', { doing, error: messageOf(error) });
    }
  };
  return {
    addComponent: (name, begin) => {
      components.push({ name, start: begin });
    },
    addController: (controller, { mayBeMissing = () => false } = {}) => {
      controllers.add(controller);
      readyChecks.set(controller.name, () => {
        const missing = mayBeMissing() && controller.problem()?.kindMissing;
        return missing ? 'its kind is not installed' : assertFollowing(controller);
      });
      if (state === 'running') startController(controller);
    },
    removeController: async (controller) => {
      readyChecks.delete(controller.name);
      removals.get(controller)?.abort();
      removals.delete(controller);
      // Until its end it is one of those that a loss of leadership aborts.
      const drained = await drain([controller], 'the kind is gone');
      if (!drained) await controller.stop();
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
        await Promise.race([asked.promise, lead()]);
      } finally {
        signal.removeEventListener('abort', ask);
        await stop();
      }
    },
  };
}

/** Throws where a controller would not hear of a change. */
function assertFollowing(controller: Controller): void {
  const problem = controller.problem();
  const why = problem === undefined ? '' : `: ${problem.text}`;
  if (!controller.hasSynced()) throw new ProviderError('transient', `its caches have not synced${why}`);
  if (problem === undefined || problem.forMs < INTERRUPTION_MS) return;
  throw new ProviderError(
    'transient',
    `its caches have been out of date for ${Math.round(problem.forMs / 1000)} s${why}`,
  );
}
