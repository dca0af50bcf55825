import type { Deps } from '../../../framework/base/deps.ts';
import type { Informer } from '../../../framework/kube/cache/informer.ts';
import { keyOf, keyString, type Lease } from '../../../framework/kube/object/object.ts';

/** The Leases of other programs. */
export interface ForeignLeases {
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
export function createForeignLeases(
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
