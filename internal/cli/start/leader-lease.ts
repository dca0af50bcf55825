import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { ProviderError } from '../../base/errors/errors.ts';
import type { ClusterConfig } from '../../kube/config/cluster-config.ts';
import type { StartFlags } from '../flags.ts';

export interface LeaderLease {
  readonly lease: { readonly name: string; readonly namespace: string };
  /** Tells replicas apart: host name and a random part, as controller-runtime does. */
  readonly identity: string;
}

/**
 * Which Lease the replicas of this provider share: one for each provider, and one for each shard of it, since
 * shards with different selectors work side by side. Rule: managed-framework §6.
 */
export function leaderLease(
  flags: Pick<StartFlags, 'leaderElectionNamespace' | 'watchLabelSelector'>,
  config: Pick<ClusterConfig, 'namespace'>,
  env: Readonly<Record<string, string | undefined>>,
): LeaderLease {
  const namespace = flags.leaderElectionNamespace || env.POD_NAMESPACE || config.namespace;
  if (!namespace) {
    throw new ProviderError(
      'terminal',
      'cannot elect a leader outside a pod without --leader-election-namespace; or turn it off with --no-leader-election',
    );
  }
  const provider = `crossplane-leader-election-${env.PROVIDER_NAME || 'provider-kyma'}`;
  const selector = flags.watchLabelSelector;
  const shard = selector === '' ? '' : `-${createHash('sha256').update(selector).digest('hex').slice(0, 10)}`;
  return { lease: { namespace, name: provider + shard }, identity: `${hostname()}_${randomUUID()}` };
}
