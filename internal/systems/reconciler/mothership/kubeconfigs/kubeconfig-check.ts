import { createBreather } from '../../../../framework/base/concurrency/breather.ts';
import { createShares, type Deps, findCause, messageOf, sleep } from '../../../../framework/base/index.ts';
import { EndpointRefusedError } from '../../../../framework/http/index.ts';
import { KubeconfigError } from '../../../../framework/kube/config/kubeconfig-document.ts';
import { isForbidden, isUnauthorized, namespaces } from '../../../../framework/kube/index.ts';
import type { ClusterDocument } from '../model/cluster.ts';
import { RefusedError } from '../model/refused-error.ts';
import { isTenant, registrantOf, tenantOf } from '../model/registrant.ts';
import type { ClusterAccess } from './cluster-access.ts';
import type { SecretKubeconfigs } from './secret-kubeconfigs.ts';

export interface KubeconfigCheckOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly access: ClusterAccess;
  /** Undefined: there is no control plane with Secrets. */
  readonly secrets: SecretKubeconfigs | undefined;
}

/** Checks the kubeconfigs of registrations. */
export interface KubeconfigCheck {
  /**
   * Lists namespaces with the kubeconfig, up to four times. Without one, it is that of the Secret of the runtime, unless a tenant
   * registers it.
   *
   * @throws RefusedError `invalid`, without quoting it; `foreign` for a tenant that names the id of a Runtime; `busy` if its cluster does
   * not answer soon, and very many others do not
   */
  check(document: ClusterDocument, signal: AbortSignal): Promise<void>;
}

/** Delays before the second and later attempts, in ms. */
const DELAYS_MS = [5000, 10_000, 20_000];

/** Checks begin one after the other, and give way to what else is ready after this time, in ms: each costs a TLS connection, a callback little. */
const BEGIN_MS = 1;
/** A check that takes longer is slow, in ms: each holds a connection of the server and the memory of a body for a minute. */
const SLOW_MS = 2000;
/** Checks of one tenant at the same time: half of the connections of the server. */
const MAX_PER_TENANT = 128;
/** Slow checks, of all tenants and of one alone: others have connections left, and so have component reconcilers. */
const MAX_SLOW = 64;
const MAX_SLOW_PER_TENANT = 16;

export function createKubeconfigCheck(options: KubeconfigCheckOptions): KubeconfigCheck {
  const { access, secrets, clock, log } = options;
  const slow = createShares({ maxBytes: MAX_SLOW, maxBytesPerTenant: MAX_SLOW_PER_TENANT });
  const checks = new Map<string, number>();

  /** Counts the check, also while it is slow. @returns ends it @throws RefusedError `busy` */
  const watched = (tenant: string, giveUp: () => void): (() => void) => {
    const running = checks.get(tenant) ?? 0;
    if (running >= MAX_PER_TENANT) throw new RefusedError('busy', BUSY);
    checks.set(tenant, running + 1);
    const share = slow.of(tenant);
    let isCounted = false;
    const cancel = clock.after(SLOW_MS, () => {
      isCounted = share.take(1);
      if (!isCounted) giveUp();
    });
    return () => {
      cancel();
      if (isCounted) share.give(1);
      const left = (checks.get(tenant) ?? 0) - 1;
      if (left > 0) checks.set(tenant, left);
      else checks.delete(tenant);
    };
  };

  const breathe = createBreather(clock, BEGIN_MS);
  let last: Promise<void> = Promise.resolve();
  /** Resolves when the check may begin. */
  const turn = () => {
    last = last.then(breathe);
    return last;
  };

  const given = async (runtimeId: string, signal: AbortSignal): Promise<string> => {
    const found = await secrets?.readAgain(runtimeId, signal);
    if (found !== undefined) return found;
    const secret =
      secrets === undefined ? 'no cluster with Secrets is known' : `there is no ${secrets.nameOf(runtimeId)}`;
    throw new RefusedError('invalid', `kubeconfig: it is missing, and ${secret}`);
  };

  /** A Runtime has such a Secret: its components are for operators to manage. */
  const ofTenant = async (runtimeId: string, kubeconfig: string | undefined, signal: AbortSignal) => {
    if (kubeconfig === undefined) throw new RefusedError('invalid', 'kubeconfig: it is missing');
    if ((await secrets?.readAgain(runtimeId, signal)) === undefined) return kubeconfig;
    throw new RefusedError(
      'foreign',
      `cannot register cluster ${runtimeId}: a Runtime of the control plane has this runtimeID: choose another one, or let an operator register it`,
    );
  };

  const attempt = async (runtimeId: string, text: string, signal: AbortSignal): Promise<void> => {
    for (const delayMs of [...DELAYS_MS, undefined]) {
      try {
        return await access.withClient(text, async (client) => {
          await client.list(namespaces, { limit: 1, signal });
        });
      } catch (error) {
        signal.throwIfAborted();
        if (delayMs === undefined || isFinal(error)) throw refusal(error);
        log.info('cannot reach a cluster, trying again', {
          'runtime-id': runtimeId,
          error: messageOf(error),
        });
        await sleep(clock, delayMs, signal);
      }
    }
  };

  return {
    check: async ({ runtimeID: runtimeId, runtimeInput, metadata, kubeconfig }, signal) => {
      const text = isTenant(registrantOf(runtimeInput))
        ? await ofTenant(runtimeId, kubeconfig, signal)
        : (kubeconfig ?? (await given(runtimeId, signal)));
      const busy = new AbortController();
      const end = watched(tenantOf(runtimeInput.name, metadata, runtimeId), () =>
        busy.abort(new RefusedError('busy', BUSY)),
      );
      try {
        await turn();
        await attempt(runtimeId, text, AbortSignal.any([signal, busy.signal]));
      } finally {
        end();
      }
    },
  };
}

const BUSY =
  'kubeconfig: the cluster does not answer, and neither do those of many other registrations: try again later';

/** Whether another attempt would end in the same way. */
const isFinal = (error: unknown): boolean =>
  findCause(error, KubeconfigError) !== undefined ||
  findCause(error, EndpointRefusedError) !== undefined ||
  isUnauthorized(error) ||
  isForbidden(error);

const refusal = (cause: unknown): RefusedError =>
  new RefusedError('invalid', `kubeconfig: ${messageOf(cause)}`, { cause });
