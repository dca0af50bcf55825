import type { Charts } from './charts.ts';
import type { OpenCluster } from './clusters.ts';
import type { Deployer } from './deployer.ts';

/** What tasks of one process share. */
export interface ComponentParts {
  readonly charts: Charts;
  readonly deployer: Deployer;
  readonly openCluster: OpenCluster;
  close(): Promise<void>;
}
