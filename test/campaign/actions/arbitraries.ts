/** The actions that modules have in common. */
import fc from 'fast-check';
import { PAUSE } from './managed-objects.ts';
import type { NetworkFault, When } from './network.ts';
import type { UserAction } from './user-objects.ts';

export type ProcessAction =
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'stop' | 'hand over' }
  /** At one of the next writes. */
  | { readonly do: 'kill'; readonly write: number; readonly when: When }
  | { readonly do: 'fault'; readonly link: string; readonly fault: NetworkFault; readonly calls: number }
  /** The wall clock of the process. */
  | { readonly do: 'clock'; readonly ms: number }
  /** Watches are late until the next one, or expire. */
  | { readonly do: 'hold watches' | 'expire watches' };

const when = fc.constantFrom<When>('before', 'after');
const HOUR = 3_600_000;

const fault: fc.Arbitrary<NetworkFault> = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), when }),
  fc.record({ kind: fc.constant('status' as const), status: fc.constantFrom(409, 429, 500, 503) }),
  fc.record({
    kind: fc.constant('gateway' as const),
    status: fc.constantFrom(403, 404, 502),
    body: fc.constantFrom('page' as const, 'json' as const),
  }),
  fc.record({ kind: fc.constant('slow' as const), ms: fc.constantFrom(200, 3000, 10_000) }),
);

/** @param links names of the connections */
export const processActions = (links: readonly string[]): fc.Arbitrary<ProcessAction> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('wait' as const),
        ms: fc.constantFrom(10, 1000, 20_000, 300_000),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('stop' as const, 'hand over' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('kill' as const),
        write: fc.integer({ min: 1, max: 6 }),
        when,
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('fault' as const),
        link: fc.constantFrom(...links),
        fault,
        calls: fc.integer({ min: 1, max: 3 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('clock' as const),
        ms: fc.constantFrom(-10 * HOUR, -60_000, 60_000, 10 * HOUR),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constantFrom('hold watches' as const, 'expire watches' as const) }),
    },
  );

/** @param places how many objects there can be */
export function userActions<S>(spec: fc.Arbitrary<S>, places: number): fc.Arbitrary<UserAction<S>> {
  const at = fc.nat({ max: places - 1 });
  const plain = <D extends 'take back' | 'delete' | 'recreate' | 'dump' | 'restore'>(name: D) =>
    fc.record({ do: fc.constant(name), at });
  return fc.oneof(
    { weight: 10, arbitrary: fc.record({ do: fc.constant('set' as const), at, spec }) },
    { weight: 2, arbitrary: plain('take back') },
    { weight: 2, arbitrary: plain('delete') },
    { weight: 1, arbitrary: plain('recreate') },
    { weight: 1, arbitrary: plain('dump') },
    { weight: 1, arbitrary: plain('restore') },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('copy' as const), at, to: at }) },
  );
}

/** Those of users whose objects can be paused, which they do rarely. */
export const pausingActions = <S>(spec: fc.Arbitrary<S>, places: number): fc.Arbitrary<UserAction<S>> =>
  fc.oneof(
    { weight: 12, arbitrary: userActions(spec, places) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('annotate' as const),
        at: fc.nat({ max: places - 1 }),
        annotations: fc.constantFrom(PAUSE.on, PAUSE.off),
      }),
    },
  );
