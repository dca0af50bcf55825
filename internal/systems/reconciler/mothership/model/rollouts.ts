/**
 * Rollouts that were paused, since a version or a component fails on many clusters. A paused one holds back periodic runs and
 * upgrades of ready clusters; registrations, deletions, retries and statuses set by hand go on.
 */
export interface Rollouts {
  /** Paused ones first, then those that were resumed, newest first. At most 1000. */
  list(): Promise<Rollout[]>;
  /** How many are paused, of each kind. */
  pausedCounts(): Promise<Readonly<Record<Rollout['kind'], number>>>;
  /** Failures before this moment do not pause it again. @throws RefusedError `not-found`, `final` if it is not paused */
  resume(id: string, user: string): Promise<Rollout>;
}

export interface Rollout {
  readonly id: string;
  readonly kind: 'version' | 'component';
  /** The Kyma version or the component. */
  readonly name: string;
  readonly reason: string;
  /** Clusters with a result in the hour before, when it was paused. */
  readonly clusters: number;
  /** Those of them whose result was an error. */
  readonly failedClusters: number;
  /** Clusters that wait for it now. */
  readonly heldClusters: number;
  readonly pausedAt: Date;
  readonly resumedAt: Date | undefined;
  readonly resumedBy: string | undefined;
}
