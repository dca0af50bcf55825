import type { FaultAction, FaultTiming } from '../../simulators/base/faults/faults.ts';

/** What can happen to one call, besides its success. */
export interface CallFault {
  readonly title: string;
  readonly action: FaultAction;
  /** Whether the response says the opposite of what has happened: a success without an effect, a refusal after it. */
  readonly misleads: boolean;
}

/** Longer than the provider of these tests waits for any call. */
const TOO_LATE_MS = 60_000;
/** More than any client reads. */
const TOO_LONG = 5_000_000;

/** Every fault, for a request that had no effect (`before`) or had it (`after`). */
export function callFaults(when: FaultTiming): CallFault[] {
  const status = (code: number, headers?: Readonly<Record<string, string>>): FaultAction => ({
    kind: 'status',
    status: code,
    when,
    ...(headers === undefined ? {} : { headers }),
  });
  const faults: readonly (readonly [title: string, action: FaultAction])[] = [
    ['reset', { kind: 'reset', when }],
    ['timeout', { kind: 'hang', when }],
    ...[401, 403, 404, 409, 429, 500, 503].map((code) => [String(code), status(code)] as const),
    ['429 with Retry-After', status(429, { 'retry-after': '1' })],
    ['malformed', { kind: 'malformed', when }],
    ['truncated', { kind: 'truncated', when }],
    ['oversized', { kind: 'oversized', bytes: TOO_LONG, when }],
    ['slow body', { kind: 'slow-body', ms: TOO_LATE_MS, when }],
  ];
  return faults.map(([title, action]) => ({
    title: `${title} ${when} the effect`,
    action,
    misleads: misleads(action, when),
  }));
}

function misleads(action: FaultAction, when: FaultTiming): boolean {
  if (action.kind === 'reset' || action.kind === 'hang') return false;
  const success = action.kind !== 'status';
  const refusal = action.kind === 'status' && action.status < 500;
  return when === 'before' ? success : refusal;
}

export const TIMINGS: readonly FaultTiming[] = ['before', 'after'];
