import type { Deps } from '../../../../framework/base/deps.ts';
import { findCause, messageOf } from '../../../../framework/base/errors/errors.ts';
import { sleep } from '../../../../framework/base/time/clock.ts';
import { EndpointRefusedError } from '../../../../framework/http/transport/endpoint-guard.ts';
import { KubeconfigError } from '../../../../framework/kube/config/kubeconfig-error.ts';
import { isForbidden, isUnauthorized } from '../../../../framework/kube/errors/errors.ts';
import { namespaces } from '../../../../framework/kube/object/resource-type.ts';
import type { ClusterDocument } from '../model/cluster.ts';
import { RefusedError } from '../model/refused-error.ts';
import { isTenant, registrantOf } from '../model/registrant.ts';
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
   * @throws RefusedError `invalid`, without quoting it; `foreign` for a tenant that names the id of a Runtime
   */
  check(document: ClusterDocument, signal: AbortSignal): Promise<void>;
}

/** Delays before the second and later attempts, in ms. */
const DELAYS_MS = [5000, 10_000, 20_000];

export function createKubeconfigCheck(options: KubeconfigCheckOptions): KubeconfigCheck {
  const { access, secrets, clock, log } = options;

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

  return {
    check: async ({ runtimeID: runtimeId, runtimeInput, kubeconfig }, signal) => {
      const text = isTenant(registrantOf(runtimeInput))
        ? await ofTenant(runtimeId, kubeconfig, signal)
        : (kubeconfig ?? (await given(runtimeId, signal)));
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
    },
  };
}

/** Whether another attempt would end in the same way. */
const isFinal = (error: unknown): boolean =>
  findCause(error, KubeconfigError) !== undefined ||
  findCause(error, EndpointRefusedError) !== undefined ||
  isUnauthorized(error) ||
  isForbidden(error);

const refusal = (cause: unknown): RefusedError =>
  new RefusedError('invalid', `kubeconfig: ${messageOf(cause)}`, { cause });
