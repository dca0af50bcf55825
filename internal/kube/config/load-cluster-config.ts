import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Deps } from '../../base/deps.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import type { ClusterConfig } from './cluster-config.ts';
import { inClusterConfig } from './in-cluster-config.ts';
import { kubeconfigFile } from './kubeconfig-file.ts';

export interface LoadClusterConfigOptions extends Pick<Deps, 'clock'> {
  /** Path given with --kubeconfig; goes before everything else. */
  readonly kubeconfig?: string | undefined;
  /** The context of the kubeconfig, given with --context; a pod's service account then does not count. */
  readonly context?: string | undefined;
  /** Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where the pod's service account is mounted; for tests. */
  readonly mount?: string;
}

/**
 * Where the provider's own client points: --kubeconfig, else KUBECONFIG, else the pod's service account, else
 * `~/.kube/config`. The order is that of controller-runtime.
 */
export async function loadClusterConfig(options: LoadClusterConfigOptions): Promise<ClusterConfig> {
  const { clock, kubeconfig, env = process.env } = options;
  const context = options.context || undefined;
  const named = kubeconfig || env.KUBECONFIG;
  if (named) return kubeconfigFile(clock, named, context);
  const inCluster = context === undefined ? await inClusterConfig({ ...options, env }) : undefined;
  if (inCluster) return inCluster;
  const home = join(env.HOME || homedir(), '.kube', 'config');
  if (await exists(home)) return kubeconfigFile(clock, home, context);
  throw new ProviderError(
    'terminal',
    `cannot find a cluster: give --kubeconfig, set KUBECONFIG, run in a pod, or have ${home}`,
  );
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
