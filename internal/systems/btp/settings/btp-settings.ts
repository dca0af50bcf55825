import { ProviderError } from '../../../framework/base/index.ts';

import type { CredentialSettings } from '../credentials/secret-names.ts';
import { type BtpFlags, namespacesIn } from './flags.ts';

export interface BtpSettings extends CredentialSettings {
  /** ID of the cluster in Service Manager. */
  readonly clusterID: string;
  /** The ID at the first start; empty if this is the first one. */
  readonly initialClusterID: string;
  /** Interval between polls of an operation, in ms. */
  readonly pollIntervalMs: number;
  /** Interval between comparisons with Service Manager, in ms; 0: none. */
  readonly driftIntervalMs: number;
  /** The shortest and the longest delay after failures, in ms. */
  readonly backoff: { readonly baseMs: number; readonly maxMs: number };
  readonly webhooks: boolean;
  /** The namespaces whose objects are reconciled; absent: all. */
  readonly namespaces?: readonly string[];
}

/** @throws `terminal` if the module cannot run with these flags */
export function btpSettings(flags: BtpFlags, env: NodeJS.ProcessEnv): BtpSettings {
  const { clusterId: clusterID, initialClusterId: initialClusterID } = flags;
  if (initialClusterID !== '' && initialClusterID !== clusterID) {
    throw new ProviderError(
      'terminal',
      `ClusterID changed, which is not supported. Please redeploy with --set cluster.id=${initialClusterID}`,
    );
  }
  const releaseNamespace = flags.releaseNamespace || env.POD_NAMESPACE || '';
  if (clusterID === '') throw missing('--cluster-id (CLUSTER_ID)');
  if (releaseNamespace === '') throw missing('--release-namespace (RELEASE_NAMESPACE)');
  const namespaces = reconciledNamespaces({ ...flags, releaseNamespace });
  return {
    clusterID,
    initialClusterID,
    releaseNamespace,
    managementNamespace: flags.managementNamespace || releaseNamespace,
    namespaceSecrets: flags.enableNamespaceSecrets,
    pollIntervalMs: flags.operationPollInterval,
    driftIntervalMs: flags.driftInterval,
    backoff: {
      baseMs: flags.retryBaseDelay,
      maxMs: Math.max(flags.retryBaseDelay, flags.retryMaxDelay),
    },
    webhooks: flags.enableWebhooks,
    ...(namespaces === undefined ? {} : { namespaces }),
  };
}

/** The namespaces whose objects are reconciled; undefined: all. */
export function reconciledNamespaces(
  flags: Pick<BtpFlags, 'allowClusterAccess' | 'allowedNamespaces' | 'releaseNamespace'>,
): readonly string[] | undefined {
  if (flags.allowClusterAccess) return undefined;
  const allowed = [...namespacesIn(flags.allowedNamespaces), flags.releaseNamespace];
  return [...new Set(allowed)].filter((name) => name !== '');
}

/** Where SAP's Helm chart installs the operator. */
export const USUAL_NAMESPACE = 'sap-btp-operator';

/** For a command outside the cluster, which needs no ID of it. */
export function credentialSettings(flags: BtpFlags): CredentialSettings {
  const releaseNamespace = flags.releaseNamespace || USUAL_NAMESPACE;
  return {
    releaseNamespace,
    managementNamespace: flags.managementNamespace || releaseNamespace,
    namespaceSecrets: flags.enableNamespaceSecrets,
  };
}

const missing = (flag: string) =>
  new ProviderError('terminal', `cannot start the module btp: ${flag} is empty`);
