import type { Reserve } from '../../base/concurrency/limit-key.ts';
import { type CalledHosts, type HostLimits, limitKeysOf } from './called-hosts.ts';

/** Takes slots for the calls of one client, for its reconcile. */
export interface Admission {
  /**
   * Must be called before the calls. The reconcile has a slot of the token endpoint until there is a token, then a slot of
   * the API. If no token is granted, it keeps the slot of the token endpoint for retries.
   *
   * @throws NotAdmittedError, and errors of `fetchToken`
   */
  admit(signal: AbortSignal): Promise<void>;
  /** The slot of the API is for others, although the reconcile goes on. A later call takes one again. */
  release(): void;
}

export interface AdmissionOptions {
  readonly hosts: CalledHosts;
  readonly limits: (holdsToken: boolean) => HostLimits;
  readonly reserve: Reserve;
  readonly holdsToken: () => boolean;
  readonly fetchToken: (signal: AbortSignal) => Promise<string>;
}

export function createAdmission({
  hosts,
  limits,
  reserve,
  holdsToken,
  fetchToken,
}: AdmissionOptions): Admission {
  let admitted: (() => void) | undefined;
  return {
    admit: async (signal) => {
      if (admitted !== undefined) return;
      if (!holdsToken()) {
        const release = reserve(limitKeysOf(hosts, limits(false)));
        await fetchToken(signal);
        release();
      }
      admitted = reserve(limitKeysOf(hosts, limits(true)));
    },
    release: () => {
      admitted?.();
      admitted = undefined;
    },
  };
}
