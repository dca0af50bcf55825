import type { Deps } from '../../../../framework/base/index.ts';

import { openConnections } from '../../../../framework/http/transport/connections.ts';
import { createChartJobs } from '../charts/rendering/chart-jobs.ts';
import { createCharts } from '../charts/rendering/create-charts.ts';
import { createWorkspaces } from '../charts/sources/workspaces.ts';
import { createManagedClusters } from '../clusters/managed-clusters.ts';
import type { ComponentParts } from '../model/component.ts';
import { createDeployer } from '../objects/deploy/create-deployer.ts';

export interface PartsOptions extends Deps {
  /** Folder of charts; one that is not there is fetched into it. */
  readonly workspace: string;
  /** The longest time between two reads of objects that are awaited, in ms; 0: 15 seconds. */
  readonly progressIntervalMs: number;
  /** Whether kubeconfigs and charts may have loopback and link-local addresses. */
  readonly allowPrivateEndpoints: boolean;
  /** Whether charts are rendered as without a cluster, whatever versions it serves. Default false. */
  readonly defaultCapabilities?: boolean | undefined;
  /** With proxies, GIT_CLONE_TOKEN and GIT_CLONE_TOKEN_HOSTS. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 10_000;
const MAX_CONNECTIONS = 8;

/** Charts, their rendering, and access to clusters, for all tasks of a process. */
export function openParts(options: PartsOptions): ComponentParts {
  const { workspace, progressIntervalMs, allowPrivateEndpoints, env } = options;
  const connections = openConnections({
    allowPrivateEndpoints,
    trustedCertificates: [],
    env,
    perOrigin: MAX_CONNECTIONS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    keepAliveMs: KEEP_ALIVE_MS,
  });
  const clusters = createManagedClusters(options);
  const jobs = createChartJobs(options);
  const workspaces = createWorkspaces({
    ...options,
    storage: workspace,
    connections,
    unpackJobs: jobs,
    gitToken: env.GIT_CLONE_TOKEN,
    gitTokenHosts: env.GIT_CLONE_TOKEN_HOSTS,
  });
  return {
    charts: createCharts({ workspaces, jobs }),
    deployer: createDeployer({
      ...options,
      ...(progressIntervalMs === 0 ? {} : { progressIntervalMs }),
    }),
    openCluster: async (kubeconfig, tenant) => clusters.open(kubeconfig, tenant),
    versionFolder: async (version, signal) =>
      (await workspaces.openRoot({ component: 'kyma', version, url: '' }, signal)).folder,
    close: async () => {
      await clusters.close();
      await jobs.close();
      await connections.close();
    },
  };
}
