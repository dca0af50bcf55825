import { join } from 'node:path';
import type { GitRepository, TestCluster } from '../clusters/test-cluster.ts';

export const ROOT = join(import.meta.dirname, '../../..');

/** How the steps with pods are run. */
export interface PodsOptions {
  /** Made, and removed at the end. */
  readonly cluster: TestCluster;
  /** Helm's range for Crossplane's chart: `2.x`, `1.20.x`. */
  readonly crossplane: string;
  /** Tag of Argo CD. Default: that of the cluster. */
  readonly argocd?: string | undefined;
  /** A repository that Argo CD can read, with this test in it. Default: that of the cluster, if it has one. */
  readonly repository?: GitRepository | undefined;
  /** For what is built. */
  readonly directory: string;
  /** Names what is left out, and why. */
  readonly leaveOut: (what: string) => void;
  /** Prints a figure. */
  readonly report: (line: string) => void;
}

/** Of the package in the registry. */
export const PACKAGE_VERSION = '0.0.0-e2e';
