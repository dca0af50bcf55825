import type { components } from '../../../../../apis/reconciler/component.openapi.gen.ts';
import type { Deps } from '../../../../framework/base/index.ts';
import type { Runnable } from '../../../../framework/process/index.ts';
import type {
  ClientCertificateSource,
  TrustedCertificatesSource,
} from '../../../../framework/process/server/server-tls.ts';
import type { Database } from '../database/database.ts';
import type { Keyring } from '../encryption/keyring.ts';
import type { ClusterStatus, KubeconfigSource } from './cluster.ts';
import type { Inventory } from './inventory.ts';
import type { Overview } from './overview.ts';
import type { EndedOperation, Reconciliations } from './reconciliation.ts';
import type { Settings } from './settings.ts';

export interface MothershipOptions extends Deps {
  /** With the current schema; closed by its owner, after the runnables have stopped. */
  readonly database: Database;
  readonly keyring: Keyring;
  readonly settings: Settings;
  /** How component reconcilers are called. Default: without credentials. */
  readonly componentAccess?: ComponentAccess;
  /** Component reconcilers of this process, called instead of those of the settings; `base` serves those not named. */
  readonly actions?: Readonly<Record<string, ComponentAction>>;
  /** Default: none has. */
  readonly kubeconfigs?: KubeconfigSource;
  readonly observers?: readonly Observer[];
  /** Whether clients have sent requests just now: operations are begun slowly then. Default: never. */
  readonly hasRequests?: () => boolean;
}

export interface ComponentAccess {
  /** Whom this process knows them by. Default: by authorities that Node trusts. */
  readonly trustedCertificates?: TrustedCertificatesSource;
  /** What they know this process by. */
  readonly identity: ClientCertificateSource | undefined;
  /** The current bearer token; undefined: none. */
  readonly token: () => Promise<string | undefined>;
}

/** All parts of a mothership but its servers. `createMothership` makes it. */
export interface Mothership {
  readonly inventory: Inventory;
  readonly reconciliations: Reconciliations;
  readonly occupancy: Occupancy;
  readonly rollouts: Rollouts;
  readonly overview: Overview;
  /** Scheduler, worker pool, bookkeeper and cleaner; any number of processes may run them. */
  readonly runnables: readonly Runnable[];
}

/** Is told what this process did, after it was committed; for metrics. Must not throw. */
export interface Observer {
  /** An operation ended as `done` or `error`. */
  operationEnded?(operation: EndedOperation): void;
  /** A reconciliation ended with this status. */
  reconciliationEnded?(result: ClusterStatus): void;
  /** Workers of this process that are busy. */
  workersChanged?(running: number, size: number): void;
}

/** How busy the worker pools are: the signal of the autoscaler. */
export interface Occupancy {
  /**
   * Stores the workers of a pool. Returns whether the pool is new.
   *
   * @throws RefusedError `mismatch` if component or size of a known pool differ, `invalid` if more run than there are
   */
  report(pool: WorkerPoolOccupancy): Promise<'created' | 'updated'>;
  /** Removes a pool; one that is unknown is no error. */
  remove(poolId: string): Promise<void>;
  /** Pool ids in the order of their names. */
  poolIds(): Promise<string[]>;
  /** Removes the pools that have reported nothing for so long. Returns how many. */
  removeSilent(ageMs: number): Promise<number>;
  /** In percent of the workers of all pools of a component, by component. */
  ratios(): Promise<ReadonlyMap<string, number>>;
}

interface WorkerPoolOccupancy {
  readonly poolId: string;
  readonly component: string;
  readonly runningWorkers: number;
  readonly poolSize: number;
}

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

/** What a component reconciler gets. */
export type Task = components['schemas']['Task'];

/** Reconciles a component in this process. Rejects when it failed. */
export type ComponentAction = (task: Task, signal: AbortSignal) => Promise<void>;
