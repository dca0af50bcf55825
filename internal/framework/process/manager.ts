import type { LeaderElector } from '../base/concurrency/fence.ts';
import type { Deps } from '../base/deps.ts';
import { messageOf, ProviderError, wrap } from '../base/errors/errors.ts';
import { observeRun } from '../base/telemetry/telemetry.ts';
import { withDeadline } from '../base/time/clock.ts';
import { type HttpServer, startHttpServer } from './server/http-server.ts';
import { isOff } from './server/listen.ts';
import { type Page, type Pages, pagesListener, textPage } from './server/pages.ts';
import type { MetricsPage } from './telemetry/prometheus.ts';

/**
 * A part that runs as long as the manager: a controller, an HTTP server, an event recorder, a scheduler. The model is
 * `manager.Runnable` of controller-runtime.
 */
export interface Runnable {
  /** For logs and errors. */
  readonly name: string;
  /** Whether it runs only while this replica leads. Default false. */
  readonly needsLeadership?: boolean;
  /**
   * Prepares before this replica leads, e.g. fills caches. What it starts must stop with `signal`, because `start` is
   * not called if the manager stops first.
   */
  warmUp?(signal: AbortSignal): Promise<void>;
  /**
   * Runs until `signal` is aborted, then ends its work and resolves. If it rejects or resolves earlier, the manager
   * stops everything and `run` rejects with its reason.
   *
   * @param abort aborted when the work must end at once: leadership was lost, or the drain timeout has passed
   */
  start(signal: AbortSignal, abort: AbortSignal): Promise<void>;
}

export type Stop = () => void | Promise<void>;

/** A runnable of a start and a stop function. */
export function startAndStop(name: string, begin: () => Stop | Promise<Stop>): Runnable {
  return {
    name,
    start: async (signal) => {
      const stop = await begin();
      await untilAborted(signal);
      await stop();
    },
  };
}

/** Resolves when `signal` is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** A check: throws or rejects with the cause of a failure, or returns a remark for the page. Must be fast. */
// biome-ignore lint/suspicious/noConfusingVoidType: most checks return nothing.
export type HealthCheck = () => string | void | Promise<string | void>;

/** Runs every check and shows one line for each, as API servers do: 200 if all pass, else 500. */
export async function healthPage(name: string, checks: ReadonlyMap<string, HealthCheck>): Promise<Page> {
  const results = await Promise.all(
    [...checks].map(async ([check, run]) => {
      try {
        const remark = await run();
        return { ok: true, line: `[+]${check} ok${remark === undefined ? '' : `: ${remark}`}` };
      } catch (error) {
        return { ok: false, line: `[-]${check} failed: ${messageOf(error)}` };
      }
    }),
  );
  const ok = results.every((result) => result.ok);
  const lines = [...results.map((result) => result.line), `${name} check ${ok ? 'passed' : 'failed'}`];
  return textPage(ok ? 200 : 500, `${lines.join('\n')}\n`);
}

/** `/readyz` with all checks, and `/readyz/<check>` with one, as API servers have them. */
function healthPages(name: string, checks: ReadonlyMap<string, HealthCheck>): Pages {
  return {
    [`/${name}`]: () => healthPage(name, checks),
    [`/${name}/*`]: (check) => {
      const run = checks.get(check);
      return run === undefined ? textPage(404, 'not found\n') : healthPage(name, new Map([[check, run]]));
    },
  };
}

// The manager runs all parts of a provider process: the endpoints for metrics and probes, then runnables in the order
// in which they were added, and those that need leadership last, each once it is warmed up and this replica leads. It
// stops in the reverse order and lets reconciles in progress end. A runnable that fails ends the process with its
// error. The model is `manager.Manager` of controller-runtime.

export interface ManagerOptions extends Pick<Deps, 'clock' | 'log'> {
  /** The content of /metrics. */
  readonly metrics: MetricsPage;
  /** Address of /metrics: `:8080`, `host:port`, or `0` for none; default `:8080`. */
  readonly metricsAddress?: string;
  /** Address of /healthz and /readyz; default `:8081`. */
  readonly healthAddress?: string;
  /** Default: this process may write at once. */
  readonly leaderElector?: LeaderElector;
  /** Time that runnables have to end after a stop before they are aborted, all together, in ms; default 30000. */
  readonly drainTimeoutMs?: number;
}

export interface Manager {
  /** Before `run` or later. */
  add(runnable: Runnable): void;
  /** Stops a runnable, and resolves when it has ended. */
  remove(runnable: Runnable): Promise<void>;
  /** Adds a check to /healthz. */
  addHealthCheck(name: string, check: HealthCheck): void;
  /** Adds a check to /readyz, in place of one of the same name. Returns the function that removes it. */
  addReadyCheck(name: string, check: HealthCheck): () => void;
  /** Addresses of the endpoints, once they listen. */
  addresses(): { readonly metrics?: string; readonly health?: string };
  /**
   * Runs until `signal` is aborted, then stops and resolves. Rejects if a runnable fails, or, after everything was
   * aborted, if leadership is lost.
   */
  run(signal: AbortSignal): Promise<void>;
}

/** Time that aborted runnables have to end, in ms. */
const ABORT_GRACE_MS = 2000;

/** A started runnable. */
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
  const healthChecks = new Map<string, HealthCheck>([['ping', () => undefined]]);
  const readyChecks = new Map<string, HealthCheck>([['ping', () => undefined]]);
  const servers = new Map<string, HttpServer>();
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
        // The rejection of `warmUp` by the stop signal.
        if (error === stop.signal.reason) return;
        log.error('cannot stop cleanly', { doing: `stop ${runnable.name}`, error: messageOf(error) });
      } else failed.reject(wrap(error, `cannot run ${runnable.name}`));
    });
    runs.set(runnable, { runnable, stopping: stop, aborting, ended });
  };
  const perform = async (runnable: Runnable, signal: AbortSignal, abort: AbortSignal) => {
    // No needless await: a runnable may rely on earlier ones having started.
    if (runnable.warmUp !== undefined) await runnable.warmUp(signal);
    if (runnable.needsLeadership) await elected.promise;
    if (signal.aborted) return;
    await observeRun(runnable.name, () => runnable.start(signal, abort));
    if (!signal.aborted) throw new ProviderError('bug', 'it ended before it was stopped');
  };
  const pagesByAddress = () => {
    const metricsPage = async () => ({
      status: 200,
      contentType: options.metrics.contentType,
      body: await options.metrics.text(),
    });
    const wanted: [address: string, pages: Pages, flag: string][] = [
      [options.metricsAddress ?? ':8080', { '/metrics': metricsPage }, '--metrics-bind-address'],
      [
        options.healthAddress ?? ':8081',
        { ...healthPages('healthz', healthChecks), ...healthPages('readyz', readyChecks) },
        '--health-probe-bind-addr',
      ],
    ];
    const pages = new Map<string, { readonly pages: Pages; readonly flag: string }>();
    for (const [address, more, flag] of wanted) {
      if (isOff(address)) continue;
      pages.set(address, { pages: { ...pages.get(address)?.pages, ...more }, flag });
    }
    return pages;
  };
  const start = async () => {
    for (const [address, { pages, flag }] of pagesByAddress()) {
      const server = await startHttpServer({ clock, log, address, flag, listener: pagesListener(pages) });
      for (const path of Object.keys(pages)) servers.set(path, server);
      const paths = Object.keys(pages).filter((path) => !path.endsWith('*'));
      log.info('serving', { address: server.address, pages: paths });
    }
    state = 'running';
    for (const runnable of inOrder()) begin(runnable);
  };
  /** Runnables that need leadership come last. */
  const inOrder = () => {
    const all = [...added];
    return [
      ...all.filter((runnable) => !runnable.needsLeadership),
      ...all.filter((runnable) => runnable.needsLeadership),
    ];
  };
  const needingLeadership = () => [...runs.values()].filter(({ runnable }) => runnable.needsLeadership);
  /** Rejects only if leadership is lost. */
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
  /** Stops runs, and aborts those that do not end within `ms`. Returns whether all have ended. */
  const drain = async (
    stoppingRuns: readonly Run[],
    why: string,
    ms = lost ? ABORT_GRACE_MS : drainTimeoutMs,
  ): Promise<boolean> => {
    const reason = new ProviderError('transient', why);
    for (const run of stoppingRuns) run.stopping.abort(reason);
    const ended = Promise.all(stoppingRuns.map((run) => run.ended));
    if (await within(ended, ms)) return true;
    log.error('reconciles still running, aborting them');
    for (const run of stoppingRuns) run.aborting.abort(reason);
    if (await within(ended, ABORT_GRACE_MS)) return true;
    log.error('reconciles did not end when aborted');
    return false;
  };
  /** Whether the work ends in time; it may have ended before. */
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
    const end = clock.monotonic() + drainTimeoutMs;
    const drained = await drain(needingLeadership(), why);
    const others = [...runs.values()].filter(({ runnable }) => !runnable.needsLeadership).reverse();
    // Each may need those that were added before it.
    for (const run of others) {
      run.stopping.abort(stopping.signal.reason);
      if (!(await within(run.ended, end - clock.monotonic()))) break;
    }
    await drain(others, why, end - clock.monotonic());
    // A reconcile that has not ended may write, so the Lease is not released and must expire.
    if (drained) await release(Math.max(end - clock.monotonic(), ABORT_GRACE_MS));
    for (const server of new Set(servers.values())) await server.close(AbortSignal.abort());
  };
  const release = async (ms: number) => {
    using deadline = withDeadline(clock, ms, 'release of leadership');
    try {
      await leaderElector?.release(deadline.signal);
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
    // It stays in `runs` until its end, so that a loss of leadership aborts it.
    const drained = await drain([run], `${runnable.name} was removed`);
    if (!drained) await run.ended;
    runs.delete(runnable);
  };
  return {
    add,
    remove,
    addHealthCheck: (name, check) => {
      healthChecks.set(name, check);
    },
    addReadyCheck: (name, check) => {
      readyChecks.set(name, check);
      return () => {
        if (readyChecks.get(name) === check) readyChecks.delete(name);
      };
    },
    addresses: () => {
      const metrics = servers.get('/metrics')?.address;
      const health = servers.get('/healthz')?.address;
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
