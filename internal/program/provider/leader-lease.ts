import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { ProviderError } from '../../framework/base/index.ts';
import type { ClusterConfig } from '../../framework/kube/index.ts';

import type { StartFlags } from './flags.ts';

export interface LeaderLease {
  readonly lease: { readonly name: string; readonly namespace: string };
  /** Identity of the replica: host name and a random part, as in controller-runtime. */
  readonly identity: string;
}

/**
 * The Lease of leader election. Each provider has one, and each shard of it: shards with different selectors reconcile
 * at the same time.
 *
 * @param ownLease its name, instead of the provider's
 */
export function leaderLease(
  flags: Pick<StartFlags, 'leaderElectionNamespace' | 'watchLabelSelector'>,
  config: Pick<ClusterConfig, 'namespace'>,
  env: Readonly<Record<string, string | undefined>>,
  ownLease?: string,
): LeaderLease {
  const namespace = flags.leaderElectionNamespace || env.POD_NAMESPACE || config.namespace;
  if (!namespace) {
    throw new ProviderError(
      'terminal',
      'cannot elect a leader outside a pod without --leader-election-namespace; or turn it off with --no-leader-election',
    );
  }
  const provider = ownLease ?? `crossplane-leader-election-${env.PROVIDER_NAME || 'provider-kyma'}`;
  const selector = flags.watchLabelSelector;
  const shard = selector === '' ? '' : `-${createHash('sha256').update(selector).digest('hex').slice(0, 10)}`;
  return { lease: { namespace, name: provider + shard }, identity: `${hostname()}_${randomUUID()}` };
}
