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
import { type Fence, NotLeaderError } from '../../../framework/base/concurrency/fence.ts';
import type { Deps } from '../../../framework/base/deps.ts';
import { messageOf } from '../../../framework/base/errors/errors.ts';
import { sleep } from '../../../framework/base/time/clock.ts';
import type { RunCondition } from '../../../framework/controller/index.ts';
import type { Informer } from '../../../framework/kube/cache/informer.ts';
import type { KubeClient } from '../../../framework/kube/client/client.ts';
import { createLeaderElector } from '../../../framework/kube/index.ts';
import type { Lease } from '../../../framework/kube/object/object.ts';
import { type LeaderElector, type Runnable, untilAborted } from '../../../framework/process/index.ts';
import { createForeignLeases, type ForeignLeases } from './foreign-leases.ts';

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
