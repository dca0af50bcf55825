/** What all states of one reconcile of a Runtime share. */
import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { messageOf, ProviderError } from '../../../framework/base/index.ts';
import {
  pollAfter,
  type ReconcileResult,
  type ReconcilerContext,
  requeue,
  requeueAfter,
  type WorkingCopy,
} from '../../../framework/controller/index.ts';
import type { ClusterPool, ObjectCache } from '../../../framework/kube/index.ts';
import { nameProblem } from '../../../framework/kube/object/object.ts';
import type { Gardener, SeedRegions } from '../gardener/gardener.ts';
import type { RefusedKubeconfigs } from '../gardenercluster/rotation.ts';
import type { AccessControl } from '../rendering/model/extender.ts';
import type { ShootRendering } from '../rendering/shoot-rendering.ts';
import type { AuditLog } from './audit-log-kind.ts';
import type { Bootstrapper } from './bootstrapper/bootstrapper.ts';
import { messages } from './messages.ts';
import { conditionTypes, type Reason, type RuntimeStatusStore, reasons } from './status.ts';

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
  /** Undefined: the runtime bootstrapper is not enabled. */
  readonly bootstrapper: Bootstrapper | undefined;
  /** Told of kubeconfigs that their clusters refuse. */
  readonly refusedKubeconfigs?: Pick<RefusedKubeconfigs, 'report'> | undefined;
  /** The Runtimes that name a Shoot, by its key. */
  readonly runtimesNaming: (shoot: string) => readonly Runtime[];
  /** The names of the GardenerClusters of a Shoot. */
  readonly clustersOf: (namespace: string, shoot: string) => readonly string[];
  /** Called where the state machine ends although nothing is settled: for a metric. */
  readonly onUnexpectedStop: () => void;
}

/** What is stored in the cluster from the Runtime, each by requests of its own. */
export type ClusterPart = 'provisioning info' | 'issuers' | 'administrators';

/** The one object that has a part. */
export interface AppliedObject {
  readonly uid?: string;
}

/** Each part with what was applied, and when, by the monotonic clock in ms. */
export type AppliedParts = Partial<
  Record<ClusterPart, AppliedObject & { readonly version: string; readonly at: number }>
>;

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
    /** Labels and annotations that are a part of the rendering, or come from it. */
    readonly metadata: string;
    /** Version of the ConfigMap with its authentication configuration; empty: none is known. */
    readonly authentication: string;
    /** When Gardener refused to correct its drift, by the monotonic clock in ms; undefined: it did not. */
    readonly refusedAt?: number;
  };
  /** The generation of the Runtime that was shown as Pending before it was first sent. */
  readonly tried?: number;
  /** When this process created the Shoot, by the monotonic clock in ms. */
  readonly createdAt?: number;
  /** What the Runtime waits for, as its condition says, and since when, by the monotonic clock in ms. */
  readonly wait?: { readonly message: string; readonly since: number };
  /** When drift was put right, by the monotonic clock in ms. */
  readonly driftPatchedAt?: number;
  /** Which version of the Runtime its cluster was configured for, and when, by the monotonic clock in ms. */
  readonly configured?: { readonly version: string; readonly at: number };
  /** What was applied to the cluster of the Shoot with this uid. */
  readonly applied?: { readonly shoot: string | undefined; readonly parts: AppliedParts };
  /**
   * The create of the Shoot by this process: `none` was sent, the last one was `sent` and has no result, or it was `answered`. Undefined:
   * what an earlier process did is not known.
   */
  readonly create?: 'none' | 'sent' | 'answered';
  /** When a deletion first found no Shoot although the result of a create is unknown, by the monotonic clock in ms. */
  readonly absentSince?: number;
}

/** Versions of what decides beside the Runtime, its Shoot and its cluster. */
export interface Revisions {
  readonly rendering: number;
  readonly accessControl: string;
  readonly bootstrapper: string | undefined;
}

export const revisionsOf = ({
  rendering,
  accessControlRevision,
  bootstrapper,
}: Pick<RuntimeReconcilerOptions, 'rendering' | 'accessControlRevision' | 'bootstrapper'>): Revisions => ({
  rendering: rendering.revision(),
  accessControl: accessControlRevision(),
  bootstrapper: bootstrapper?.revision(),
});

export interface RuntimeRun extends RuntimeReconcilerOptions {
  readonly copy: WorkingCopy<Runtime>;
  /** Changed in place. */
  readonly object: Runtime;
  readonly context: ReconcilerContext<RuntimeMemory>;
  readonly status: RuntimeStatusStore;
  /** As the snapshot found it; undefined: there is none. */
  shoot: Shoot | undefined;
  /** As they were when the reconcile began. What changes meanwhile may not be part of what it does, and is done by the next one. */
  readonly revisions: Revisions;
  /** The AuditLog that this reconcile has claimed, which the informer may not have. */
  claimed: AuditLog | undefined;
  /** When the Shoot must be looked at again at the latest, in ms; undefined: as the last state says. */
  recheckMs: number | undefined;
}

export const remember = ({ context: { memory } }: RuntimeRun, more: Partial<RuntimeMemory>): void =>
  memory.set({ ...memory.get(), ...more });

/** The name of the Shoot; undefined for a Runtime without a spec. */
export const shootNameOf = ({ spec }: Runtime): string | undefined => spec?.shoot.name;

/** Why there is no Shoot with the name, as no request for it can be sent; undefined: there may be one. */
export const shootNameProblem = (name: string): string | undefined => {
  const problem = nameProblem(name, 'a Shoot');
  return problem && `spec.shoot.name: ${problem}`;
};

/** Whether the Runtime asks for an audit log of its own, and there are any. */
export const isAuditLogRequested = ({ object, auditLogs }: RuntimeRun): boolean =>
  auditLogs !== undefined && object.spec?.auditLogAccessEnabled === true;

/** The states, by the names of the Kyma infrastructure manager, and those that may follow in the same reconcile. Each may also end it. */
export const followers = {
  TakeSnapshot: ['Initialize'],
  Initialize: ['CreateShoot', 'SelectShootProcessing', 'DeleteKubeconfig'],
  CreateShoot: ['SelectShootProcessing'],
  SelectShootProcessing: [
    'PatchExistingShoot',
    'WaitForShootCreation',
    'WaitForShootReconcile',
    'HandleKubeconfig',
  ],
  PatchExistingShoot: ['WaitForShootCreation', 'WaitForShootReconcile', 'HandleKubeconfig'],
  WaitForShootCreation: ['HandleKubeconfig'],
  WaitForShootReconcile: ['HandleKubeconfig'],
  HandleKubeconfig: ['CreateKymaNamespace'],
  CreateKymaNamespace: ['InitializeRuntimeBootstrapper'],
  InitializeRuntimeBootstrapper: ['CleanupRegistryCacheGardenSecrets'],
  CleanupRegistryCacheGardenSecrets: ['ConfigureSKR'],
  ConfigureSKR: ['ApplyClusterRoleBindings'],
  ApplyClusterRoleBindings: ['MigrateToDedicatedAuditLog'],
  MigrateToDedicatedAuditLog: ['CopyAuditLogReadCredentials'],
  CopyAuditLogReadCredentials: [],
  DeleteKubeconfig: ['DeleteShoot', 'RemoveFinalizer'],
  DeleteShoot: ['RemoveFinalizer'],
  RemoveFinalizer: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type StateName = keyof typeof followers;

/** The state that follows in the same reconcile. */
export interface Next<Name extends StateName> {
  readonly next: Name;
}

/** How the reconcile ends. */
export interface End {
  readonly end: ReconcileResult;
}

/** What the state returns. The compiler refuses a state that does not follow it. */
export type StepOf<Name extends StateName> = Next<(typeof followers)[Name][number]> | End;

export const next = <Name extends StateName>(state: Name): Next<Name> => ({ next: state });

export const end = (result: ReconcileResult): End => ({ end: result });

/** What passes sooner than this, in ms, is not shown: it would be stored and replaced at once. */
const SHOWN_AFTER_MS = 2000;

/**
 * Ends the reconcile with a condition that says what the Runtime waits for. It is stored when the wait has lasted a while, and at once if
 * the state changes.
 *
 * @param message of the condition, which is set already
 * @param pollMs until the wait is looked at again
 */
export async function endWithWait(run: RuntimeRun, message: string, pollMs: number): Promise<End> {
  const { context, object, status } = run;
  const now = context.clock.monotonic();
  const known = context.memory.get()?.wait;
  const wait = known?.message === message ? known : { message, since: now };
  if (wait !== known) remember(run, { wait });
  const leftMs = wait.since + SHOWN_AFTER_MS - now;
  if (leftMs > 0 && status.storedState() === object.status?.state) return end(requeueAfter(leftMs));
  await status.store();
  return end(pollAfter(pollMs));
}

/** Why no Shoot can be rendered. The Runtime is Failed until it, or the configuration, changes. */
export class RenderingProblem extends ProviderError {
  readonly reason: Reason;

  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super('terminal', message, options);
    this.reason = reason;
  }
}

/**
 * Stores the condition Provisioned with status False, so that the Runtime is Failed, and ends the reconcile. Only for what needs a
 * change of the Runtime, the configuration or the environment.
 *
 * @param result default: with growing delays
 */
export async function fail(
  run: RuntimeRun,
  reason: Reason,
  message: string,
  result: ReconcileResult = requeue,
): Promise<End> {
  run.status.failed({ type: conditionTypes.provisioned, reason, message });
  await run.status.store();
  return end(result);
}

/** Stores the condition Provisioned with status False and why Gardener refused a request, which may pass: the Runtime is Pending. */
export async function retryRefused(run: RuntimeRun, reason: Reason, message: string): Promise<End> {
  run.status.pending({ type: conditionTypes.provisioned, reason, status: 'False', message });
  await run.status.store();
  return end(requeue);
}

/** The same, counted as an unexpected stop when it is new. */
export async function failUnexpectedly(
  run: RuntimeRun,
  reason: Reason,
  message: string,
  result?: ReconcileResult,
): Promise<End> {
  const shown = run.status.condition(conditionTypes.provisioned);
  if (shown?.reason !== reason || shown.message !== message) run.onUnexpectedStop();
  return fail(run, reason, message, result);
}

/** Shows why Gardener does not answer as it should, which passes: the Runtime is Pending. Then throws the error for a retry. */
export async function failLater(
  run: RuntimeRun,
  phase: 'creation' | 'reconcile',
  error: unknown,
): Promise<never> {
  const shown = phase === 'creation' ? messages.creationRetryable : messages.reconcileRetryable;
  const message = `${shown}: ${messageOf(error)}`;
  const { provisioned: type } = conditionTypes;
  run.status.pending({ type, reason: reasons.pending, status: 'Unknown', message });
  await run.status.store();
  throw error;
}
