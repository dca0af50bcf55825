/**
 * The requests that a fault applies to. Absent fields match everything; counts are of the requests that match the rest.
 */
export interface FaultMatch<R extends string> {
  readonly route?: R;
  readonly method?: string;
  readonly path?: string;
  /** ID of the object in the path. */
  readonly instance?: string;
  /** The name in the body. */
  readonly name?: string;
  readonly clientID?: string;
  /** Leaves the first so many alone. */
  readonly skip?: number;
  /** Applies to none of the first so many. */
  readonly first?: number;
  /** Of those, only each n-th. */
  readonly every?: number;
  /** Of those, each with this probability, drawn from a generator with `seed`. */
  readonly probability?: number;
  readonly seed?: number;
}

/** `before`: the request has no effect; `after`: it has, and only the response is lost or wrong. Default `before`. */
export type FaultTiming = 'before' | 'after';

export type FaultAction =
  /** Later than else; other faults may follow. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** No response at all. */
  | { readonly kind: 'hang'; readonly when?: FaultTiming }
  /** The connection ends without a response. */
  | { readonly kind: 'reset'; readonly when?: FaultTiming }
  /** Any response. A `body` that is no string is sent as JSON. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      readonly when?: FaultTiming;
    }
  /** The true status with a body that is not JSON. As the next three, default `after`; before the effect the status is 200. */
  | { readonly kind: 'malformed'; readonly body?: string; readonly when?: FaultTiming }
  /** The true status with a body of so many bytes. */
  | { readonly kind: 'oversized'; readonly bytes: number; readonly when?: FaultTiming }
  /** The true response, cut in the middle. */
  | { readonly kind: 'truncated'; readonly when?: FaultTiming }
  /** The true response, its last byte later than the others by so many ms. */
  | { readonly kind: 'slow-body'; readonly ms: number; readonly when?: FaultTiming }
  /** At the API: 401 as for an expired token. At the token endpoint: a token that has expired already. */
  | { readonly kind: 'expired-token' }
  /** The API's own 404. */
  | { readonly kind: 'unknown-instance' }
  /** A 404 that is not the API's own, as Cloud Foundry's router gives it. */
  | { readonly kind: 'router-404' }
  /** 503, with Retry-After if it is given. */
  | { readonly kind: 'unavailable'; readonly retryAfter?: string }
  | { readonly kind: 'redirect'; readonly location: string };

export interface FaultRule<R extends string> {
  readonly on: FaultMatch<R>;
  readonly do: FaultAction;
}

export interface FaultHandle {
  readonly id: string;
  /** Requests it has applied to. */
  hits(): number;
  remove(): void;
}

export interface FaultSubject<R extends string> {
  readonly route: R;
  readonly method: string;
  readonly path: string;
  readonly name?: string | undefined;
  readonly instance?: string | undefined;
  readonly clientID?: string | undefined;
}

export interface Faults<R extends string> {
  add(rule: FaultRule<R>): FaultHandle;
  list(): (FaultRule<R> & { readonly id: string; readonly hits: number })[];
  remove(id: string): boolean;
  clear(): void;
  /** The actions for this request, in the order of the rules. Counts it. */
  meeting(subject: FaultSubject<R>): { readonly id: string; readonly action: FaultAction }[];
}

export function createFaults<R extends string>(): Faults<R> {
  const rules = new Map<
    string,
    { rule: FaultRule<R>; matched: number; hits: number; random: () => number }
  >();
  let next = 1;
  return {
    add: (rule) => {
      const id = `fault-${next++}`;
      const entry = { rule, matched: 0, hits: 0, random: seeded(rule.on.seed ?? 1) };
      rules.set(id, entry);
      return { id, hits: () => entry.hits, remove: () => void rules.delete(id) };
    },
    list: () => [...rules].map(([id, { rule, hits }]) => ({ id, ...rule, hits })),
    remove: (id) => rules.delete(id),
    clear: () => rules.clear(),
    meeting: (subject) =>
      [...rules].flatMap(([id, entry]) => {
        if (!concerns(entry.rule.on, subject)) return [];
        entry.matched++;
        if (!isDue(entry.rule.on, entry.matched, entry.random)) return [];
        entry.hits++;
        return [{ id, action: entry.rule.do }];
      }),
  };
}

function concerns<R extends string>(on: FaultMatch<R>, subject: FaultSubject<R>): boolean {
  return (['route', 'method', 'path', 'instance', 'name', 'clientID'] as const).every(
    (field) => on[field] === undefined || on[field] === subject[field],
  );
}

function isDue(
  { skip = 0, first = Infinity, every = 1, probability = 1 }: FaultMatch<string>,
  count: number,
  random: () => number,
): boolean {
  const position = count - skip;
  return position >= 1 && position <= first && position % every === 0 && random() < probability;
}

/** mulberry32: the same seed gives the same faults. */
function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}
