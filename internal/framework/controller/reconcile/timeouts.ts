/** Deadline of all external calls of one reconcile together, in ms. */
export function externalTimeoutOf({
  externalTimeoutMs = 60_000,
}: {
  readonly externalTimeoutMs?: number;
}): number {
  return externalTimeoutMs;
}

/**
 * Upper bound for external writes still in flight after an ownership check, in ms. A request may be sent just before
 * the deadline of external calls and end a little later.
 */
export function ownershipDelayOf(externalTimeoutMs: number): number {
  return externalTimeoutMs * (1 + IN_FLIGHT_SHARE);
}

/** Share of the time for external calls: a write may end this much after it. 10 s for 60 s. */
const IN_FLIGHT_SHARE = 1 / 6;
