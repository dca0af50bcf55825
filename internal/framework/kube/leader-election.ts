/**
 * Leader election by a Lease, as client-go `tools/leaderelection`: one of several replicas writes. The leader renews
 * the Lease; another replica acquires it when it was not renewed for its duration. Replicas measure that with their
 * own clocks, from when they observed the last renewal, so clocks need not agree. The leader measures from when it
 * *sent* its last successful renewal and stops at the renew deadline, which is shorter. So there are never two
 * leaders.
 *
 * The monotonic clock and timers may stop while a machine is suspended. A leader whose wall clock has passed the
 * renew deadline writes nothing until a renewal succeeds. The API server refuses that renewal if another replica has
 * acquired the Lease in the meantime.
 */

import { abandonable } from '../base/concurrency/abandonable.ts';
import { type LeaderElector, NotLeaderError } from '../base/concurrency/fence.ts';
import type { Deps } from '../base/deps.ts';
import { messageOf, ProviderError } from '../base/errors/errors.ts';
import { type Stopwatch, sleep, startStopwatch, withDeadline } from '../base/time/clock.ts';
import { formatMicroTime } from '../base/time/formats.ts';
import type { KubeClient } from './client/client.ts';
import { isAlreadyExists, isConflict, isNotFound } from './errors/errors.ts';
import { keyString, type Lease, type ObjectKey } from './object/object.ts';
import { leases } from './object/resource-type.ts';

export interface LeaderElectionOptions extends Pick<Deps, 'clock' | 'random' | 'log' | 'metrics'> {
  readonly client: KubeClient;
  /** The Lease; created if it does not exist. */
  readonly lease: Required<ObjectKey>;
  /** Identifies the replica, e.g. host name and a random part. */
  readonly identity: string;
  /** Time that other replicas wait after the last renewal, in ms; default 15000. */
  readonly leaseDurationMs?: number;
  /** Time that a leader continues without a successful renewal, in ms; default 10000. */
  readonly renewDeadlineMs?: number;
  /** Time between attempts, in ms; default 2000. Attempts of a process that has just started follow each other sooner. */
  readonly retryPeriodMs?: number;
}

/** When a write of the Lease was sent. */
interface Sent {
  /** When leadership ends without a later renewal, by the monotonic clock. */
  readonly deadline: number;
  readonly age: Stopwatch;
}

/** Between attempts to release the Lease: another replica looks for it every `retryPeriodMs`. */
const RELEASE_RETRY_MS = 250;

/** Between attempts to acquire it, in the time in which a process that has started usually replaces one that stops. */
const STARTUP_RETRY_MS = 250;
const STARTUP_MS = 60_000;

const tooLate = 'it could not be renewed in time';

export function createLeaderElector(options: LeaderElectionOptions): LeaderElector {
  const { client, lease: key, identity, clock, random, log } = options;
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2000 } = options;
  const status = options.metrics.gauge({
    name: 'leader_election_master_status',
    help: '1 if this process is the leader, otherwise 0.',
    labels: ['name'],
  });
  const ended = new AbortController();
  let onLost: () => void = () => undefined;
  /** The last version of another replica, and when this process observed it. */
  let seen: { readonly version: string; readonly at: number } | undefined;
  /** The Lease that this process holds; without `lease` it was deleted, and the next renewal creates it. */
  let held: { readonly lease: Lease | undefined; readonly sent: Sent } | undefined;
  let cancelDeadline: () => void = () => undefined;
  let renewing: Promise<void> = Promise.resolve();

  const sending = (): Sent => ({ deadline: clock.monotonic() + renewDeadlineMs, age: startStopwatch(clock) });
  const hold = (lease: Lease, sent: Sent) => {
    held = { lease, sent };
    cancelDeadline();
    cancelDeadline = clock.after(sent.deadline - clock.monotonic(), () => lose(tooLate));
  };
  const endLeadership = () => {
    held = undefined;
    cancelDeadline();
    ended.abort(new ProviderError('terminal', 'this process leads no longer'));
    status.set(0, { name: key.name });
  };
  const lose = (why: string) => {
    if (held === undefined) return;
    log.error('leadership lost', { lease: keyString(key), why });
    endLeadership();
    onLost();
  };
  const write = async (spec: Lease['spec'], base: Lease | undefined, signal: AbortSignal): Promise<Lease> => {
    const metadata = base?.metadata ?? { ...key };
    const lease: Lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata,
      ...(spec ? { spec } : {}),
    };
    using deadline = withDeadline(clock, renewDeadlineMs / 2, `write of Lease ${keyString(key)}`, signal);
    const call = { signal: deadline.signal };
    const written =
      base === undefined ? client.create(leases, lease, call) : client.update(leases, lease, call);
    // A late write is refused by its version if another replica has written since.
    return await abandonable(written, deadline.signal);
  };
  const read = async (signal: AbortSignal): Promise<Lease | undefined> => {
    using deadline = withDeadline(clock, renewDeadlineMs / 2, `read of Lease ${keyString(key)}`, signal);
    try {
      return await abandonable(client.get(leases, key, { signal: deadline.signal }), deadline.signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const leaseSpec = (before: Lease | undefined): Lease['spec'] => {
    const now = formatMicroTime(clock.now());
    const same = before?.spec?.holderIdentity === identity;
    const transitions = before?.spec?.leaseTransitions ?? 0;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: leaseDurationMs / 1000,
      acquireTime: (same ? before?.spec?.acquireTime : undefined) ?? now,
      renewTime: now,
      leaseTransitions: before === undefined || same ? transitions : transitions + 1,
    };
  };
  /** Whether another replica holds the Lease, as far as this process knows. */
  const isTaken = (lease: Lease): boolean => {
    const version = lease.metadata.resourceVersion ?? '';
    if (seen?.version !== version) seen = { version, at: clock.monotonic() };
    const holder = lease.spec?.holderIdentity ?? '';
    const duration = (lease.spec?.leaseDurationSeconds ?? 0) * 1000;
    return holder !== '' && holder !== identity && clock.monotonic() < seen.at + duration;
  };
  const tryAcquire = async (signal: AbortSignal): Promise<boolean> => {
    const found = await read(signal);
    if (found !== undefined && isTaken(found)) return false;
    const sent = sending();
    try {
      hold(await write(leaseSpec(found), found, signal), sent);
      return true;
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error)) return false;
      throw error;
    }
  };
  /** @param mayRepeat whether a Lease that was changed since is read, and renewed at once unless another replica holds it */
  const renew = async (signal: AbortSignal, mayRepeat = true): Promise<void> => {
    const sent = sending();
    try {
      const lease = held?.lease;
      const renewed = await write(leaseSpec(lease), lease, signal);
      if (held !== undefined) hold(renewed, sent);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error) && !isAlreadyExists(error)) throw error;
      const found = await read(signal);
      if (held === undefined) return;
      const holder = found?.spec?.holderIdentity || identity;
      if (holder !== identity) return lose('another replica holds it');
      held = { ...held, lease: found };
      // Processes that share an identity would always write each other's last version; one that ends releases it.
      if (mayRepeat) await renew(signal, false);
    }
  };
  const keepRenewing = async () => {
    while (held !== undefined) {
      await sleep(clock, retryPeriodMs, ended.signal);
      try {
        await renew(ended.signal);
      } catch (error) {
        if (held !== undefined) log.info('cannot renew leadership', { error: messageOf(error) });
      }
    }
  };
  const releaseLease = async (signal: AbortSignal) => {
    const lease = await read(signal);
    if (lease?.spec?.holderIdentity !== identity) return;
    const spec = {
      ...lease.spec,
      holderIdentity: '',
      leaseDurationSeconds: 1,
      renewTime: formatMicroTime(clock.now()),
    };
    await write(spec, lease, signal);
    log.info('leadership released', { lease: keyString(key) });
  };
  return {
    acquire: async (signal) => {
      status.set(0, { name: key.name });
      log.info('waiting for leadership', { lease: keyString(key), identity });
      const startupEnd = clock.monotonic() + STARTUP_MS;
      for (let problem = ''; ; ) {
        try {
          if (await tryAcquire(signal)) break;
          problem = '';
        } catch (error) {
          signal.throwIfAborted();
          if (problem !== messageOf(error))
            log.info('cannot acquire leadership', { error: messageOf(error) });
          problem = messageOf(error);
        }
        const isStartup = clock.monotonic() < startupEnd;
        const period = isStartup ? Math.min(STARTUP_RETRY_MS, retryPeriodMs) : retryPeriodMs;
        // At least the period, with jitter, so that replicas do not send requests at the same time.
        await sleep(clock, period * (1 + 0.2 * random()), signal);
      }
      status.set(1, { name: key.name });
      log.info('leading', { lease: keyString(key), identity });
      renewing = keepRenewing().catch(() => undefined);
    },
    onLost: (fn) => {
      onLost = fn;
    },
    assertLeading: () => {
      // The timer of the deadline may be late.
      if (held !== undefined && clock.monotonic() >= held.sent.deadline) lose(tooLate);
      if (held === undefined || held.sent.age() >= renewDeadlineMs)
        throw new NotLeaderError('this replica does not lead');
    },
    release: async (given) => {
      const before = held;
      endLeadership();
      await renewing;
      if (before === undefined || before.sent.age() >= renewDeadlineMs) return;
      // After its duration another replica acquires it anyway.
      using deadline = withDeadline(
        clock,
        leaseDurationMs - before.sent.age(),
        'release of leadership',
        given,
      );
      const { signal } = deadline;
      for (;;) {
        try {
          return await releaseLease(signal);
        } catch (error) {
          await sleep(clock, RELEASE_RETRY_MS, signal).catch(() => undefined);
          if (signal.aborted) throw error;
        }
      }
    },
  };
}
