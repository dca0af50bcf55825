import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Deps } from '../../base/deps.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import { type ClusterConfig, inClusterConfig } from './cluster-config.ts';
import { kubeconfigFile } from './kubeconfig-file.ts';

export interface LoadClusterConfigOptions extends Pick<Deps, 'clock'> {
  /** Path from --kubeconfig; has precedence. */
  readonly kubeconfig?: string | undefined;
  /** Context of the kubeconfig, from --context; a pod's service account is then ignored. */
  readonly context?: string | undefined;
  /** Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Mount of the pod's service account; for tests. */
  readonly mount?: string;
}

/**
 * The cluster of the provider itself, in the order of controller-runtime: --kubeconfig, KUBECONFIG, the pod's service
 * account, `~/.kube/config`.
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
