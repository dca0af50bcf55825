import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import { gardenerClusters } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import {
  type Runtime,
  runtimes,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { findCause, type LimitKeyOption, messageOf } from '../../../framework/base/index.ts';
import {
  availabilityOf,
  createObjectIndex,
  indexed,
  LOW_PRIORITY,
  mapped,
  type ObjectIndex,
  type ReconciledKind,
  type ReconcileResult,
  type Reconciler,
  reasonWaitingForFinalizers,
  reported,
  reportingHeldDeletion,
  requeueAfter,
  type Source,
} from '../../../framework/controller/index.ts';
import {
  type ConfigMap,
  type Informer,
  type Informers,
  isPartial,
  KubeApiError,
  keepSmallParts,
  keyOf,
  keyString,
  type ObjectCache,
  wasDeleted,
  withCondition,
} from '../../../framework/kube/index.ts';
import { UnprovenAbsenceError } from '../../../framework/ownership/ownership.ts';
import {
  createSeedRegions,
  type Gardener,
  isMoreThanProgress,
  RETRY_DELAYS,
  shootInformer,
  shootKey,
} from '../gardener/gardener.ts';
import { kubeconfigInformer } from '../gardenercluster/kubeconfig-secret.ts';
import { accountOf, finalizer, isChanged, runtimeIdOf } from '../metadata.ts';
import { runtimeStates } from '../metrics.ts';
import { accessControlInformer, accessControlOf } from './access-control.ts';
import { type AuditLog, auditLogs, reservedFor } from './audit-log-kind.ts';
import {
  type Bootstrapper,
  type BootstrapperSettings,
  createBootstrapper,
} from './bootstrapper/bootstrapper.ts';
import { slotsOfNextStep } from './cluster/runtime-cluster.ts';
import { type MassDeletionOptions, watchMassDeletion } from './mass-deletion.ts';
import {
  type RuntimeMemory,
  type RuntimeReconcilerOptions,
  type RuntimeRun,
  revisionsOf,
  shootNameOf,
} from './run.ts';
import { runStates } from './runtime-to-ready.ts';
import { authenticationConfigInformer, shootOfConfig } from './shoot-of-runtime.ts';
import { conditionTypes, createRuntimeStatusStore, reasons } from './status.ts';

export interface RuntimeKindOptions
  extends Omit<
    RuntimeReconcilerOptions,
    | 'runtimesNaming'
    | 'seedRegions'
    | 'auditLogs'
    | 'clustersOf'
    | 'accessControl'
    | 'accessControlRevision'
    | 'bootstrapper'
  > {
  /** Whether Runtimes may have audit logs of their own. Their CRD must be there. */
  readonly auditLogsEnabled: boolean;
  /** Whether API servers have access control lists. */
  readonly accessControlEnabled: boolean;
  /** Undefined: the runtime bootstrapper is not enabled. */
  readonly bootstrapper?: BootstrapperSettings | undefined;
  /** That of the Runtimes. */
  readonly namespace: string;
  readonly workers: number;
  /** Deadline of one reconcile's requests to Gardener, in ms. */
  readonly externalTimeoutMs: number;
  readonly deletions: MassDeletionOptions;
  /** Calls the listener when the rendering differs, until the returned function is called. */
  readonly onConfigurationChange: (listener: () => void) => () => void;
}

export function runtimeKind(options: RuntimeKindOptions): ReconciledKind<Runtime, RuntimeMemory> {
  const { gardener, workers, externalTimeoutMs } = options;
  let runtimesNaming: RuntimeReconcilerOptions['runtimesNaming'] = () => [];
  let clustersOf: RuntimeReconcilerOptions['clustersOf'] = () => [];
  const lists = accessControlLists(options);
  let bootstrapper: Bootstrapper | undefined;
  let knownAuditLogs: Informer<AuditLog> | undefined;
  let limitKeysOf: (runtime: Runtime) => readonly LimitKeyOption[] = () => [];
  return {
    // Component of events, as of the Kyma infrastructure manager.
    name: 'runtime-controller',
    type: runtimes,
    finalizer,
    sharesSpec: true,
    tenantOf: accountOf,
    limitKeysOf: (runtime) => limitKeysOf(runtime),
    transform: smallRuntime,
    workers,
    externalTimeoutMs,
    backoff: RETRY_DELAYS,
    sources: (informers, cache, at) => {
      // Of the connections to clusters.
      kubeconfigInformer(informers);
      const ofShoot = createObjectIndex(cache, (runtime) => {
        const name = shootNameOf(runtime);
        return name === undefined ? [] : [shootKey(gardener, name)];
      });
      runtimesNaming = ofShoot.of;
      const knownShoots = shootInformer(at(gardener.cluster), gardener);
      const knownClusters = informers.of(gardenerClusters);
      limitKeysOf = (runtime) => {
        const { namespace } = runtime.metadata;
        const shoot = knownShoots.get(shootKey(gardener, shootNameOf(runtime) ?? ''));
        const cluster = knownClusters.get(keyString({ namespace, name: runtimeIdOf(runtime) ?? '' }));
        return slotsOfNextStep(runtime, shoot, cluster);
      };
      const shoots = mapped(
        knownShoots,
        (shoot) => ofShoot.of(keyString(keyOf(shoot))).map((runtime) => keyString(keyOf(runtime))),
        { predicate: isMoreThanProgress },
      );
      const byRuntimeId = createObjectIndex(cache, (runtime) => {
        const name = runtimeIdOf(runtime);
        return name === undefined ? [] : [keyString({ namespace: runtime.metadata.namespace, name })];
      });
      const byShoot = createObjectIndex(knownClusters, ({ metadata, spec }) => [
        keyString({ namespace: metadata.namespace, name: spec.shoot.name }),
      ]);
      clustersOf = (namespace, name) =>
        byShoot.of(keyString({ namespace, name })).map(({ metadata }) => metadata.name);
      const clusters = mapped(knownClusters, (cluster) =>
        byRuntimeId.of(keyString(keyOf(cluster))).map((runtime) => keyString(keyOf(runtime))),
      );
      const auditLogChanges = (): Source[] => {
        if (!options.auditLogsEnabled) return [];
        knownAuditLogs = informers.of(auditLogs, { selection: { namespace: options.namespace } });
        return [
          mapped(knownAuditLogs, (auditLog) => {
            const id = auditLog.spec.assignedToRuntimeID || reservedFor(auditLog);
            const { namespace = '' } = auditLog.metadata;
            return id
              ? byRuntimeId.of(keyString({ namespace, name: id })).map((found) => keyString(keyOf(found)))
              : [];
          }),
        ];
      };
      const bootstrapperChanges = (): readonly Source[] => {
        if (options.bootstrapper === undefined) return [];
        const followed = createBootstrapper(options.bootstrapper, informers);
        bootstrapper = followed.bootstrapper;
        return followed.sources(all);
      };
      const all = () => cache.list().map((runtime) => keyString(keyOf(runtime)));
      return [
        indexed([ofShoot], shoots),
        changedMeanwhile(cache, knownShoots, gardener, ofShoot),
        indexed([byRuntimeId, byShoot], clusters),
        authenticationConfigs(at(gardener.cluster), gardener, ofShoot),
        availabilityOf(gardener.cluster, all),
        configurationChanges(options, all),
        ...lists.sources(informers, cache),
        ...auditLogChanges(),
        ...bootstrapperChanges(),
      ];
    },
    whileRunning: (cache) => {
      const ends = [watchMassDeletion(cache, options.deletions), runtimeStates(cache, options.deletions)];
      return () => {
        for (const end of ends) end();
      };
    },
    reconcile: createRuntimeReconciler({
      ...options,
      // Known since the sources are.
      get bootstrapper() {
        return bootstrapper;
      },
      runtimesNaming: (shoot) => runtimesNaming(shoot),
      clustersOf: (namespace, shoot) => clustersOf(namespace, shoot),
      seedRegions: createSeedRegions(gardener),
      auditLogs: options.auditLogsEnabled ? { list: () => knownAuditLogs?.list() ?? [] } : undefined,
      accessControl: lists.of,
      accessControlRevision: lists.revision,
    }),
  };
}

/**
 * Runtimes that were changed while no process ran. They go before all others of a start, which are only compared and whose clusters are
 * checked.
 */
function changedMeanwhile(
  cache: ObjectCache<Runtime>,
  shoots: Informer<Shoot>,
  gardener: Gardener,
  ofShoot: ObjectIndex<Runtime>,
): Source {
  const keyIfChanged = (runtime: Runtime, shoot: Shoot | undefined): string[] =>
    shoot !== undefined && isChanged(runtime, shoot) ? [keyString(keyOf(runtime))] : [];
  return reported((enqueue) => {
    const add = (keys: readonly string[]) => {
      for (const key of keys) enqueue(key);
    };
    // Which of both lists is complete first is not known.
    const ends = [
      cache.subscribe((event) => {
        if (event.type !== 'added' || !event.initial) return;
        const name = shootNameOf(event.object);
        if (name !== undefined) add(keyIfChanged(event.object, shoots.get(shootKey(gardener, name))));
      }),
      shoots.subscribe((event) => {
        if (event.type !== 'added' || !event.initial) return;
        const named = ofShoot.of(keyString(keyOf(event.object)));
        add(named.flatMap((runtime) => keyIfChanged(runtime, event.object)));
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  });
}

/** Runtimes whose authentication configuration others may have changed. */
const authenticationConfigs = (
  informers: Informers,
  gardener: Gardener,
  ofShoot: ObjectIndex<Runtime>,
): Source =>
  mapped(authenticationConfigInformer(informers, gardener), (config) => {
    const shoot = shootOfConfig(config);
    if (shoot === undefined) return [];
    return ofShoot.of(shootKey(gardener, shoot)).map((runtime) => keyString(keyOf(runtime)));
  });

/** Between Runtimes that a changed configuration concerns, in ms, so that Gardener is not asked to change all Shoots at once. */
const PACE_MS = 100;

/** The access control lists, and the Runtimes that have one when its ConfigMap changes. */
function accessControlLists({
  rendering,
  namespace,
  accessControlEnabled,
}: Pick<RuntimeKindOptions, 'rendering' | 'namespace' | 'accessControlEnabled'>) {
  let informer: Informer<ConfigMap> | undefined;
  const name = accessControlEnabled ? rendering.accessControlName() : '';
  /** A large one of the cache may have one. */
  const hasList = (runtime: Runtime) =>
    isPartial(runtime) || (runtime.spec !== undefined && rendering.needsAccessControl(runtime));
  return {
    sources: (informers: Informers, cache: ObjectCache<Runtime>): Source[] => {
      if (!accessControlEnabled) return [];
      informer = accessControlInformer(informers, namespace, name);
      return [
        mapped(informer, () =>
          cache
            .list()
            .filter(hasList)
            .map((runtime) => keyString(keyOf(runtime))),
        ),
      ];
    },
    of: (runtime: Runtime) =>
      informer !== undefined && hasList(runtime) ? accessControlOf(informer, namespace, name) : undefined,
    revision: () => informer?.get(keyString({ namespace, name }))?.metadata.resourceVersion ?? '',
  };
}

/** All Runtimes, one after the other, when the configuration has changed. */
function configurationChanges(
  { onConfigurationChange }: Pick<RuntimeKindOptions, 'onConfigurationChange'>,
  keys: () => readonly string[],
): Source {
  return reported((enqueue) =>
    onConfigurationChange(() => {
      for (const [index, key] of keys().entries())
        enqueue(key, { priority: LOW_PRIORITY, delayMs: index * PACE_MS });
    }),
  );
}

/** The reconcile of a Runtime: the state machine, with the status, the Shoot and the memory that its states share. */
const createRuntimeReconciler = (options: RuntimeReconcilerOptions): Reconciler<Runtime, RuntimeMemory> =>
  reportingHeldDeletion(runtimeReconciler(options), { own: finalizer, show: showHeldDeletion });

/** The Shoot is gone, and finalizers of others hold the Runtime. */
function showHeldDeletion(
  object: Runtime,
  message: string,
  { clock }: Pick<RuntimeRun['context'], 'clock'>,
): void {
  const { deprovisioned: type } = conditionTypes;
  const stated = { type, status: 'Unknown', reason: reasonWaitingForFinalizers, message } as const;
  const conditions = withCondition(object.status?.conditions ?? [], stated, clock.now());
  const complete = conditions.map((each) => ({ ...each, message: each.message ?? '' }));
  object.status = { ...object.status, state: 'Terminating', conditions: complete };
}

const runtimeReconciler =
  (options: RuntimeReconcilerOptions): Reconciler<Runtime, RuntimeMemory> =>
  async (copy, context) => {
    const run: RuntimeRun = {
      ...options,
      copy,
      object: copy.object,
      context,
      status: createRuntimeStatusStore(copy, context),
      shoot: undefined,
      revisions: revisionsOf(options),
      claimed: undefined,
      recheckMs: undefined,
    };
    const result = await runStates(run).catch((error: unknown) => showUnproven(run, error));
    return notLater(result, run.recheckMs);
  };

/** A deletion that cannot go on, since nothing proves that something is gone, says so. @throws the error, for a retry */
async function showUnproven({ object, status }: RuntimeRun, error: unknown): Promise<never> {
  const isUnproven =
    findCause(error, UnprovenAbsenceError) !== undefined || findCause(error, KubeApiError)?.status === 404;
  if (isUnproven && wasDeleted(object)) {
    const { deprovisioned: type } = conditionTypes;
    status.deletion({ type, reason: reasons.gardenerError, status: 'Unknown', message: messageOf(error) });
    await status.store();
  }
  throw error;
}

function notLater(result: ReconcileResult, recheckMs: number | undefined): ReconcileResult {
  if (recheckMs === undefined) return result;
  const isLater = result.type === 'done' || (result.type === 'requeue-after' && result.delayMs > recheckMs);
  return isLater ? requeueAfter(recheckMs) : result;
}

const keepSmall = keepSmallParts('kyma-project.io/');

/**
 * The transform of the cache: users may write a megabyte into each of hundreds of Runtimes. Of a large one it keeps what indexes, metrics
 * and the owners of Shoots need; a reconcile reads it.
 */
export function smallRuntime(runtime: Runtime): Runtime {
  const { shoot } = runtime.spec ?? {};
  const small = keepSmall(runtime);
  if (!isPartial(small) || small.spec === undefined || shoot === undefined) return small;
  const { name, purpose, region, platformRegion, secretBindingName, networking, provider } = shoot;
  const kept = { name, purpose, region, platformRegion, secretBindingName };
  // Ranges of addresses: each of its texts has a bound.
  const { nodes, pods, services } = networking;
  return Object.assign(small, {
    spec: {
      ...small.spec,
      shoot: {
        ...kept,
        networking: { nodes, pods, services },
        provider: { type: provider.type, workers: [] },
      },
    },
  });
}
