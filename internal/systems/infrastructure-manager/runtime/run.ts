/** What all states of one reconcile of a Runtime share. */
import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type { ReconcilerContext, WorkingCopy } from '../../../framework/controller/index.ts';
import type { ClusterPool, ObjectCache } from '../../../framework/kube/index.ts';
import type { Gardener } from '../gardener/gardener.ts';
import type { SeedRegions } from '../gardener/seed-regions.ts';
import type { RefusedKubeconfigs } from '../gardenercluster/refused-kubeconfigs.ts';
import type { AccessControl } from '../rendering/model/extender.ts';
import type { AuditLog } from './audit-log/kind.ts';
import type { ShootRendering } from './rendering.ts';
import type { RuntimeStatusStore } from './status/status-store.ts';

export interface RuntimeSettings {
  /** A Runtime without audit log data of its region fails. */
  readonly auditLogMandatory: boolean;
  /** Shoots that were rendered by former rules are patched without a change of their Runtime. */
  readonly upgradeShoots: boolean;
  /** Credentials of registry caches are copied to Gardener. */
  readonly registryCaches: boolean;
}

export interface RuntimeReconcilerOptions {
  readonly gardener: Gardener;
  readonly seedRegions: SeedRegions;
  /** Audit logs for one Runtime each. Undefined: there are none. */
  readonly auditLogs: Pick<ObjectCache<AuditLog>, 'list'> | undefined;
  readonly rendering: ShootRendering;
  readonly settings: RuntimeSettings;
  /** Connections to runtime clusters. */
  readonly clusters: ClusterPool;
  /**
   * Who may always connect to API servers; undefined: access control lists are not enabled, or the Runtime has none. Costs no request.
   *
   * @throws if the ConfigMap with them is missing or has a mistake
   */
  readonly accessControl: (runtime: Runtime) => AccessControl | undefined;
  /** Differs when these differ. */
  readonly accessControlRevision: () => string;
  /** Told of kubeconfigs that their clusters refuse. */
  readonly refusedKubeconfigs?: Pick<RefusedKubeconfigs, 'report'> | undefined;
  /** The Runtimes that name a Shoot, by its key. */
  readonly runtimesNaming: (shoot: string) => readonly Runtime[];
  /** The names of the GardenerClusters of a Shoot. */
  readonly clustersOf: (namespace: string, shoot: string) => readonly string[];
  /** Called where the state machine ends although nothing is settled: for a metric. */
  readonly onUnexpectedStop: () => void;
}

/** What is kept of a Runtime between reconciles of one process. */
export interface RuntimeMemory {
  /** The result of the last own write, while the informer may not have it. */
  readonly written?: Shoot;
  /** The Shoot that was compared with the rendered one, and is as much like it as Gardener lets it be. */
  readonly compared?: {
    readonly uid: string;
    readonly shoot: number;
    readonly runtime: number;
    readonly revision: number;
    readonly accessControl: string;
    readonly auditLog: string;
    readonly labels: string;
    /** Version of the ConfigMap with its authentication configuration; empty: none is known. */
    readonly authentication: string;
    /** Gardener refused to correct its drift. */
    readonly isRefused: boolean;
  };
  /** The generation of the Runtime that was shown as Pending before it was first sent. */
  readonly tried?: number;
  /** When drift was put right, by the monotonic clock in ms. */
  readonly driftPatchedAt?: number;
  /** Which version of the Runtime its cluster was configured for, and when, by the monotonic clock in ms. */
  readonly configured?: { readonly version: string; readonly at: number };
  /**
   * The create of the Shoot by this process: `none` was sent, the last one was `sent` and has no result, or it was `answered`. Undefined:
   * what an earlier process did is not known.
   */
  readonly create?: 'none' | 'sent' | 'answered';
  /** When a deletion first found no Shoot although the result of a create is unknown, by the monotonic clock in ms. */
  readonly absentSince?: number;
}

export interface RuntimeRun extends RuntimeReconcilerOptions {
  readonly copy: WorkingCopy<Runtime>;
  /** Changed in place. */
  readonly object: Runtime;
  readonly context: ReconcilerContext<RuntimeMemory>;
  readonly status: RuntimeStatusStore;
  /** As the snapshot found it; undefined: there is none. */
  shoot: Shoot | undefined;
  /** The AuditLog that this reconcile has claimed, which the informer may not have. */
  claimed: AuditLog | undefined;
  /** When the Shoot must be looked at again at the latest, in ms; undefined: as the last state says. */
  recheckMs: number | undefined;
}

export const remember = ({ context: { memory } }: RuntimeRun, more: Partial<RuntimeMemory>): void =>
  memory.set({ ...memory.get(), ...more });

/** The name of the Shoot; undefined for a Runtime without a spec. */
export const shootNameOf = ({ spec }: Runtime): string | undefined => spec?.shoot.name;

/** Whether the Runtime asks for an audit log of its own, and there are any. */
export const isAuditLogRequested = ({ object, auditLogs }: RuntimeRun): boolean =>
  auditLogs !== undefined && object.spec?.auditLogAccessEnabled === true;
