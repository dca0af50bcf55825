import type { Charts } from './charts.ts';
import type { OpenCluster } from './clusters.ts';
import type { Deployer } from './deployer.ts';

/** What tasks of one process share. */
export interface ComponentParts {
  readonly charts: Charts;
  readonly deployer: Deployer;
  readonly openCluster: OpenCluster;
  /** The folder of a version of Kyma, which is fetched if it is not there. @throws SourceError */
  versionFolder(version: string, signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}
