import type { KubeObject } from '../../../../framework/kube/index.ts';
import type { ManagedCluster } from './managed-cluster.ts';
import type { Manifest } from './manifest.ts';

/** Where objects of a component go, and what marks them. */
export interface DeployTarget {
  readonly cluster: ManagedCluster;
  readonly component: string;
  readonly namespace: string;
  /** The version of the task, for the label of objects. */
  readonly version: string;
}

/** An object that is awaited, and why. */
export interface Awaited {
  readonly object: Pick<KubeObject, 'apiVersion' | 'kind'> & {
    readonly metadata: Pick<KubeObject['metadata'], 'name' | 'namespace'>;
  };
  /** `1 of 3 replicas are ready` */
  readonly reason: string;
}

export interface DeployOptions {
  readonly signal: AbortSignal;
  /** Called when what is awaited changes; for heartbeats. */
  readonly onProgress?: (awaited: readonly Awaited[]) => void;
}

/** Applies, prunes, awaits and deletes the objects of components. */
export interface Deployer {
  /** Applies the manifest, deletes what left it, and waits until its objects are ready. */
  deploy(target: DeployTarget, manifest: Manifest, options: DeployOptions): Promise<void>;
  /** Deletes the objects of the manifest and of the inventory in reverse order, and waits until they are gone. */
  remove(target: DeployTarget, manifest: Manifest, options: DeployOptions): Promise<void>;
}
