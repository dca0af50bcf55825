/**
 * Runs kinds while their CRDs are served: each starts when its CRDs are there, stops when one of them is deleted, and
 * starts again when it is back, independent of other kinds. The process keeps running. This is the capability
 * `safe-start` of Crossplane providers.
 *
 * If the provider may not watch CRDs, as on Crossplane v1, all kinds run from the start; caches of kinds that are not
 * installed wait. If the right is granted later, it is used.
 *
 * A CRD that is being deleted counts as served: the finalizers of its objects must be removed before it can be
 * deleted.
 */

import type { Fence } from '../../base/concurrency/fence.ts';
import type { Deps } from '../../base/deps.ts';
import { messageOf, ProviderError } from '../../base/errors/errors.ts';
import { createBackoff } from '../../base/time/backoff.ts';
import { sleep } from '../../base/time/clock.ts';
import { canI } from '../../kube/client/access-review.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isForbidden } from '../../kube/errors/errors.ts';
import {
  customResourceDefinitions,
  groupResource,
  type ResourceType,
} from '../../kube/object/resource-type.ts';
import type { ObjectWatcher } from '../../kube/watched-objects/object-watcher.ts';
import type { Manager } from '../../process/manager.ts';
import type { Controller } from '../controller.ts';
import type { Controllers } from '../controllers.ts';
import { type Availability, type Gvk, gvkOf, watchCrds } from './crd-watch.ts';
import { createGate } from './gate.ts';

interface GatedKindsOptions extends Pick<Deps, 'clock' | 'random' | 'log' | 'metrics'> {
  readonly client: KubeClient;
  readonly objectWatcher: ObjectWatcher;
  readonly kinds: readonly GatedKind[];
  readonly manager: Controllers & Pick<Manager, 'addReadyCheck'>;
}

interface GatedKinds {
  /** Starts; the returned function stops what else runs, and must be called after all controllers have stopped. */
  start(): () => void;
}

/** Name of the check in /readyz and in messages. */
const CHECK = 'customresourcedefinitions';

export function createGatedKinds(options: GatedKindsOptions): GatedKinds {
  const { kinds, manager, log, metrics } = options;
  const gate = createGate<Gvk | RunCondition>();
  const states = new Map<Gvk, Availability>();
  const types = typesOf(kinds);
  const following = metrics.gauge({
    name: 'controller_crds_followed',
    help: '1 if kinds start and stop with their CRDs, 0 if the provider may not watch CRDs and all kinds run.',
  });
  /** Why it is not known which kinds are installed; undefined once it is. */
  let unknown: string | undefined = 'the access review is in progress';
  let guessing = true;
  let lastProblem = '';

  const holding = new Set<RunCondition>();
  const ended = ({ conditions = [] }: GatedKind) => conditions.filter((condition) => !holding.has(condition));
  const missing = (kind: GatedKind) => [
    ...kind.needs.filter((type) => states.get(gvkOf(type)) === 'absent').map(groupResource),
    ...ended(kind).map(({ name }) => name),
  ];
  const lifecycles = kinds.map((kind) =>
    createKindLifecycle({
      ...options,
      kind,
      missing: () => missing(kind),
      mustAbort: () => ended(kind).length > 0,
      mayBeMissing: () => guessing,
    }),
  );
  let settling = false;
  /** Kinds that appear together start together, because one may need what another one builds. */
  const settle = () => {
    if (settling) return;
    settling = true;
    queueMicrotask(() => {
      settling = false;
      for (const lifecycle of lifecycles) lifecycle.build();
      for (const lifecycle of lifecycles) lifecycle.settle();
    });
  };
  const note = (known: readonly (readonly [ResourceType, Availability])[]) => {
    for (const [type, state] of known) {
      const before = states.get(gvkOf(type));
      states.set(gvkOf(type), state);
      if (before !== state) logChange(type, before, state);
      gate.set(gvkOf(type), state !== 'absent');
    }
    if (unknown !== undefined) for (const lifecycle of lifecycles) lifecycle.reportWaiting();
    unknown = undefined;
  };
  const followConditions = () =>
    conditionsOf(kinds).map((condition) =>
      condition.watch((holds) => {
        if (holds) holding.add(condition);
        else holding.delete(condition);
        gate.set(condition, holds);
      }),
    );
  const logChange = (type: ResourceType, before: Availability | undefined, state: Availability) => {
    const fields = { crd: groupResource(type), version: type.version };
    if (state === 'terminating')
      log.info('a CRD is being deleted: finalizers of its resources are removed', fields);
    else if (before !== undefined)
      log.info(state === 'served' ? 'a CRD is served' : 'a CRD is not served', fields);
  };
  const report = (message: string, error: unknown) => {
    const text = messageOf(error);
    if (unknown !== undefined) unknown = text;
    log[text === lastProblem ? 'debug' : 'info'](message, { error: text });
    lastProblem = text;
  };
  const runAll = (verbs: readonly string[]) => {
    if (unknown === undefined) return;
    log.info('cannot watch CRDs: all kinds run, installed or not, until the right is granted', {
      missing: `${verbs.join(', ')} ${CHECK}.apiextensions.k8s.io`,
    });
    note(types.map((type) => [type, 'served']));
  };
  const follow = async (signal: AbortSignal) => {
    await untilCrdsAreAllowed({
      ...options,
      signal,
      onDenied: runAll,
      onProblem: (error) => report('cannot review the right to watch CRDs', error),
    });
    const stop = watchCrds({
      ...options,
      types,
      onKnown: (known) => {
        guessing = false;
        following.set(1);
        note(known);
      },
      onProblem: (error) => report('cannot read a CRD', error),
    });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  };
  return {
    start: () => {
      const stop = new AbortController();
      following.set(0);
      manager.addReadyCheck(CHECK, () => {
        if (unknown === undefined) return guessing ? 'they may not be followed' : undefined;
        throw new ProviderError('transient', `which kinds are installed is not known: ${unknown}`);
      });
      const registered = lifecycles.map(({ kind, want }) => {
        const { needs, keeps = needs, conditions = [] } = kind;
        return gate.register({
          needs: [...needs.map(gvkOf), ...conditions],
          keeps: [...keeps.map(gvkOf), ...conditions],
          opened: () => {
            want(true);
            settle();
          },
          closed: () => {
            want(false);
            settle();
          },
        });
      });
      const conditions = followConditions();
      follow(stop.signal).catch((error: unknown) => {
        if (!stop.signal.aborted) log.error('cannot watch CRDs', { error: messageOf(error) });
      });
      return () => {
        stop.abort(new ProviderError('transient', 'the provider is stopping'));
        for (const end of [...conditions, ...registered]) end();
        for (const lifecycle of lifecycles) lifecycle.end();
      };
    },
  };
}

const conditionsOf = (kinds: readonly GatedKind[]): RunCondition[] => [
  ...new Set(kinds.flatMap(({ conditions = [] }) => conditions)),
];

function typesOf(kinds: readonly GatedKind[]): ResourceType[] {
  const all = kinds.flatMap(({ needs, keeps = [] }) => [...needs, ...keeps]);
  return [...new Map(all.map((type) => [gvkOf(type), type])).values()];
}

interface CrdAccessOptions extends Pick<Deps, 'clock'> {
  readonly client: KubeClient;
  /** Called with the missing verbs after each review that denies access. */
  readonly onDenied: (verbs: readonly string[]) => void;
  /** Called if a review fails. */
  readonly onProblem: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** The verbs that watching CRDs needs. */
const VERBS = ['get', 'list', 'watch'] as const;

/** Deadline of all reviews of one attempt, in ms. */
const TIMEOUT_MS = 30_000;

/**
 * Resolves once CRDs may be read and watched; rejects with the reason of the signal. Rights may be granted much
 * later, so the reviews repeat without end, after 1 s at first and up to 1 min.
 */
async function untilCrdsAreAllowed(options: CrdAccessOptions): Promise<void> {
  const { clock, signal } = options;
  const backoff = createBackoff();
  for (;;) {
    signal.throwIfAborted();
    try {
      const denied = await deniedVerbs(options);
      if (denied.length === 0) return;
      options.onDenied(denied);
    } catch (error) {
      signal.throwIfAborted();
      if (isForbidden(error)) options.onDenied(VERBS);
      else options.onProblem(error);
    }
    await sleep(clock, backoff.next('question'), signal);
  }
}

async function deniedVerbs({ client, signal }: CrdAccessOptions): Promise<string[]> {
  const ended = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const answers = await Promise.all(
    VERBS.map(async (verb) => {
      const { allowed } = await canI(client, { verb, type: customResourceDefinitions }, { signal: ended });
      return allowed ? [] : [verb];
    }),
  );
  return answers.flat();
}

interface KindLifecycleOptions extends Pick<Deps, 'clock' | 'log' | 'metrics'> {
  readonly kind: GatedKind;
  readonly manager: Controllers & Pick<Manager, 'addReadyCheck'>;
  /** The names of the missing CRDs, and of conditions that do not hold. */
  readonly missing: () => readonly string[];
  /** Whether reconciles in progress must end at once when it stops. */
  readonly mustAbort: () => boolean;
  /** Whether it may run without its CRD. */
  readonly mayBeMissing: () => boolean;
}

/**
 * Starts and stops one kind, one step at a time: it never starts again before it has stopped. Starting takes two
 * calls, so that several kinds are built before the first of them runs.
 */
interface KindLifecycle {
  readonly kind: GatedKind;
  want(running: boolean): void;
  /** Builds the kind if it is about to start. */
  build(): void;
  /** Performs the next steps. */
  settle(): void;
  /** Reports that the kind waits for its CRD, if it does. */
  reportWaiting(): void;
  /** Stops what runs besides the controller, which has stopped, and starts nothing any more. */
  end(): void;
}

function createKindLifecycle(options: KindLifecycleOptions): KindLifecycle {
  const { kind, manager, missing, clock, metrics } = options;
  const log = options.log.child({ controller: kind.name });
  const labels = { controller: kind.name };
  const available = metrics.gauge({
    name: 'controller_kind_available',
    help: '1 while the kind is reconciled, 0 while the controller waits for its CRD.',
    labels: ['controller'],
  });
  const backoff = createBackoff();
  let wanted = false;
  let ended = false;
  let built: KindRun | undefined;
  let running: { readonly run: KindRun; readonly stop: () => void } | undefined;
  let stopping: Promise<void> | undefined;
  let cancelRetry: () => void = () => undefined;

  const removeScrapeHook = metrics.onScrape(() => {
    if (running === undefined) return;
    available.set(running.run.controller.problem()?.kindMissing ? 0 : 1, labels);
  });
  const isIdle = () => built === undefined && running === undefined && stopping === undefined;
  const wait = () => {
    available.set(0, labels);
    manager.addReadyCheck(kind.name, () => `waits for ${missing().join(', ')}`);
  };
  const attempt = (doing: string, work: () => void): void => {
    try {
      work();
    } catch (error) {
      const retryInMs = backoff.next(kind.name);
      log.error('cannot start the controller', { doing, error: messageOf(error), retryInMs });
      cancelRetry = clock.after(retryInMs, () => {
        self.build();
        self.settle();
      });
    }
  };
  const begin = (run: KindRun) => {
    const stop = run.start();
    running = { run, stop };
    manager.addController(run.controller, {
      mayBeMissing: options.mayBeMissing,
    });
    available.set(1, labels);
    backoff.forget(kind.name);
  };
  const finish = async ({ run, stop }: { run: KindRun; stop: () => void }) => {
    log.info('the controller stops until what it needs is available', { missing: missing() });
    if (options.mustAbort()) run.controller.abort(new ProviderError('transient', 'the controller must stop'));
    const removed = manager.removeController(run.controller);
    wait();
    try {
      await removed;
    } finally {
      stop();
      run.forget();
    }
  };
  const self: KindLifecycle = {
    kind,
    want: (value) => {
      wanted = value;
    },
    build: () => {
      if (!wanted || ended || !isIdle()) return;
      cancelRetry();
      attempt('build', () => {
        built = kind.build();
      });
    },
    settle: () => {
      if (ended) return;
      if (wanted && built !== undefined) {
        const run = built;
        built = undefined;
        attempt('start', () => begin(run));
      } else if (!wanted) {
        built = undefined;
        cancelRetry();
        if (running === undefined) return;
        const last = running;
        running = undefined;
        stopping = finish(last)
          .catch((error: unknown) => log.error('cannot end cleanly', { error: messageOf(error) }))
          .then(() => {
            stopping = undefined;
            self.build();
            self.settle();
          });
      }
    },
    reportWaiting: () => {
      if (wanted || missing().length === 0) return;
      log.info('the controller waits', { missing: missing() });
      wait();
    },
    end: () => {
      ended = true;
      cancelRetry();
      removeScrapeHook();
      available.remove(labels);
      running?.stop();
      running = undefined;
    },
  };
  return self;
}

/** A kind that runs while the API server serves the types that it needs. */
export interface GatedKind {
  /** Name of its controller. */
  readonly name: string;
  /** It starts once all of these are served. */
  readonly needs: readonly ResourceType[];
  /** It stops when one of these is not served. Default `needs`. */
  readonly keeps?: readonly ResourceType[];
  /** It runs only while all of these hold; default: none. */
  readonly conditions?: readonly RunCondition[];
  /** Builds a run; called for each start, before any part of this or other kinds runs. */
  build(): KindRun;
}

/** A kind from one start to its stop. */
export interface KindRun {
  readonly controller: Controller;
  /** Starts what the controller needs, e.g. caches. The returned function stops it, after the controller. */
  start(): () => void;
  /** Called last if the kind is gone: removes its objects from the caches and notifies their subscribers. */
  forget(): void;
}

/**
 * A condition for a kind to run besides its CRDs, e.g. that no other program reconciles it. When it ends, reconciles in
 * progress are aborted.
 */
export interface RunCondition {
  /** For logs and /readyz: what the kind waits for while the condition does not hold. */
  readonly name: string;
  /**
   * Calls `onChange` with each new state, and returns the function that ends it. The condition does not hold before the
   * first call.
   */
  watch(onChange: (holds: boolean) => void): () => void;
  /** Called before each external write of the kind; throws if the condition may not hold any more. Default: none. */
  readonly fence?: Fence;
}
