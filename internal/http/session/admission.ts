import type { Reserve } from '../../base/concurrency/limit-key.ts';
import { type CalledHosts, type HostLimits, limitKeysOf } from './called-hosts.ts';

/** Takes slots for the calls of one client, under the limit keys of the reconcile that it is for. */
export interface Admission {
  /**
   * To be called before the calls: the token endpoint has a slot of the reconcile only until there is a token, and the
   * API has one from then on. If no token is granted, the slot of the token endpoint is kept for further attempts.
   *
   * @throws NotAdmittedError, and what `fetchToken` throws
   */
  admit(signal: AbortSignal): Promise<void>;
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
  let admitted = false;
  return {
    admit: async (signal) => {
      if (admitted) return;
      if (!holdsToken()) {
        const release = reserve(limitKeysOf(hosts, limits(false)));
        await fetchToken(signal);
        release();
      }
      reserve(limitKeysOf(hosts, limits(true)));
      admitted = true;
    },
  };
}
