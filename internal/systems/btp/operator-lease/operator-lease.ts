/**
 * The Lease of SAP's BTP service operator decides which program reconciles the kinds of its group:
 *
 * - This program reconciles them only while it holds the Lease in its release namespace, and while no other program renews
 *   a Lease of that name in any namespace.
 * - SAP's operator in the same namespace waits while this program holds the Lease. In another namespace it does not, so
 *   this program gives way.
 *
 * All replicas and shards of this program hold the Lease with the same identity: their own Leases decide among them.
 */
import { type Deps, type Fence, messageOf, NotLeaderError, sleep } from '../../../framework/base/index.ts';

import type { RunCondition } from '../../../framework/controller/index.ts';
import {
  createLeaderElector,
  type Informer,
  type KubeClient,
  keyOf,
  keyString,
  type Lease,
} from '../../../framework/kube/index.ts';
import { type LeaderElector, type Runnable, untilAborted } from '../../../framework/process/index.ts';

export const operatorLeaseName = 'aa689ecc.cloud.sap.com';
const IDENTITY = 'provider-kyma';

/** Delay before the Lease is acquired again, with jitter, so that of two programs that give way one acquires it. */
const RETRY_MS = 2000;

export interface OperatorLease {
  /** Holds while this program may reconcile. */
  readonly condition: RunCondition & { readonly fence: Fence };
  /** Acquire the Lease while this replica leads, and release it after its reconciles have ended. */
  readonly runnables: readonly Runnable[];
}

export interface OperatorLeaseOptions extends Pick<Deps, 'clock' | 'random' | 'log' | 'metrics'> {
  readonly client: KubeClient;
  readonly releaseNamespace: string;
  /** The Leases with `operatorLeaseName`, of all namespaces that this program may read. */
  readonly leases: Informer<Lease>;
}

export function createOperatorLease(options: OperatorLeaseOptions): OperatorLease {
  const { clock, random, log, releaseNamespace: namespace, leases } = options;
  // The one in the release namespace is acquired.
  const foreign = createForeignLeases(leases, ({ metadata }) => metadata.namespace !== namespace, options);
  const listeners = new Set<(holds: boolean) => void>();
  let held: LeaderElector | undefined;

  const set = (elector: LeaderElector | undefined) => {
    if (held === elector) return;
    held = elector;
    for (const listener of listeners) listener(elector !== undefined);
  };
  const newElector = () =>
    createLeaderElector({ ...options, lease: { namespace, name: operatorLeaseName }, identity: IDENTITY });
  /** One round: waits for the others, holds the Lease, and ends when it is lost or another program appears. */
  const round = async (signal: AbortSignal): Promise<void> => {
    await untilNone(foreign, signal, (names) =>
      log.info('another SAP BTP service operator is running: this one waits', { leases: names }),
    );
    const elector = newElector();
    const ended = new AbortController();
    elector.onLost(() => ended.abort(new NotLeaderError('the Lease of the operator is lost')));
    const end = foreign.watch(() => {
      const names = foreign.renewed() ?? [];
      if (names.length > 0)
        ended.abort(new NotLeaderError(`another operator renews Lease ${names.join(', ')}`));
    });
    const either = AbortSignal.any([signal, ended.signal]);
    try {
      await elector.acquire(either);
      if (!either.aborted) set(elector);
      await untilAborted(either);
    } finally {
      end();
    }
    // At the stop it is released after the controllers.
    if (signal.aborted) return;
    log.info('the SAP BTP service operator stops', { reason: messageOf(ended.signal.reason) });
    set(undefined);
    await elector.release(signal);
  };
  const holder: Runnable = {
    name: 'operator lease',
    needsLeadership: true,
    start: async (signal) => {
      const stop = leases.start();
      while (!signal.aborted) {
        try {
          await round(signal);
        } catch (error) {
          if (!signal.aborted) log.info('cannot hold the Lease of the operator', { error: messageOf(error) });
        }
        await sleep(clock, RETRY_MS * (1 + random()), signal).catch(() => undefined);
      }
      stop();
    },
  };
  // Without leadership, it stops after the controllers.
  const releaser: Runnable = {
    name: 'release of the operator lease',
    start: async (signal, abort) => {
      await untilAborted(signal);
      await held?.release(abort);
      held = undefined;
    },
  };
  return {
    runnables: [releaser, holder],
    condition: {
      name: `Lease ${namespace}/${operatorLeaseName}`,
      watch: (onChange) => {
        listeners.add(onChange);
        if (held !== undefined) onChange(true);
        return () => {
          listeners.delete(onChange);
        };
      },
      fence: () => {
        if (held === undefined)
          throw new NotLeaderError('this program does not hold the Lease of the operator');
        held.assertLeading();
      },
    },
  };
}

/** Resolves when no other program renews its Lease; rejects with the reason of the signal. */
function untilNone(
  foreign: ForeignLeases,
  signal: AbortSignal,
  onWaiting: (names: readonly string[]) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let isReported = false;
    let end: () => void = () => undefined;
    const finish = (settle: () => void) => {
      end();
      signal.removeEventListener('abort', abort);
      settle();
    };
    const abort = () => finish(() => reject(signal.reason));
    const check = () => {
      const names = foreign.renewed();
      if (names?.length === 0) finish(resolve);
      else if (names !== undefined && !isReported) {
        isReported = true;
        onWaiting(names);
      }
    };
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    end = foreign.watch(check);
    check();
  });
}

/** The Leases of other programs. */
interface ForeignLeases {
  /** The Leases that were renewed within their durations; undefined while they are not known. */
  renewed(): readonly string[] | undefined;
  /** Calls `onChange` when the result of `renewed` may have changed. Returns the function that ends it. */
  watch(onChange: () => void): () => void;
}

/** The longest time that a renewal counts, in ms. Anyone who may write Leases in a namespace determines the duration. */
const MAX_DURATION_MS = 60_000;

/**
 * Observes renewals by the clock of this process, as in leader election: clocks need not agree. A Lease that was found at
 * the start counts as renewed then.
 *
 * @param isForeign whether another program than this one can hold the Lease
 */
function createForeignLeases(
  informer: Pick<Informer<Lease>, 'subscribe' | 'hasSynced' | 'whenSynced'>,
  isForeign: (lease: Lease) => boolean,
  { clock }: Pick<Deps, 'clock'>,
): ForeignLeases {
  const known = new Map<string, Renewal>();
  const note = (lease: Lease) => {
    const key = keyString(keyOf(lease));
    const { holderIdentity = '', renewTime = '', leaseDurationSeconds = 0 } = lease.spec ?? {};
    if (holderIdentity === '' || !isForeign(lease)) known.delete(key);
    else if (known.get(key)?.renewTime !== renewTime) {
      const durationMs = Math.min(leaseDurationSeconds * 1000, MAX_DURATION_MS);
      known.set(key, { renewTime, until: clock.monotonic() + durationMs });
    }
  };
  /** Time until the next Lease expires; Infinity: none is renewed. */
  const nextMs = () => {
    const left = [...known.values()].map(({ until }) => until - clock.monotonic());
    return Math.min(...left.filter((ms) => ms > 0));
  };
  return {
    renewed: () => {
      if (!informer.hasSynced()) return undefined;
      return [...known].flatMap(([key, { until }]) => (clock.monotonic() < until ? [key] : []));
    },
    watch: (onChange) => {
      const ended = new AbortController();
      let cancel: () => void = () => undefined;
      const changed = () => {
        if (ended.signal.aborted) return;
        cancel();
        const ms = nextMs();
        if (Number.isFinite(ms)) cancel = clock.after(ms, changed);
        onChange();
      };
      const end = informer.subscribe((event) => {
        if (event.type === 'deleted') known.delete(keyString(keyOf(event.object)));
        else note(event.object);
        changed();
      });
      informer.whenSynced(ended.signal).then(changed, () => undefined);
      return () => {
        ended.abort();
        cancel();
        end();
      };
    },
  };
}

interface Renewal {
  readonly renewTime: string;
  /** When it expires, by the monotonic clock. */
  readonly until: number;
}
