/**
 * The kubeconfig of a GardenerCluster, from the first one to the last: its Secret always has one that its cluster accepts. The Secret is
 * found in the informer, without its content; another kubeconfig is requested when it is due, tried, and stored in the Secret.
 */
import { type AdminKubeconfigRequest, type Shoot, shoots } from '../../../../apis/gardener/kinds.ts';
import type { GardenerCluster } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import {
  type Clock,
  kindOf,
  messageOf,
  ownMember,
  ProviderError,
  parseTimestamp,
  withDeadline,
} from '../../../framework/base/index.ts';
import {
  createObjectEvents,
  done,
  isNoFailure,
  pollAfter,
  type ReconcileResult,
  type Reconciler,
  type ReconcilerContext,
  reasonWaitingForFinalizers,
  reportingHeldDeletion,
  requeue,
  requeueAfter,
  storeStatus,
  type WorkingCopy,
} from '../../../framework/controller/index.ts';
import {
  type CallOptions,
  type ClusterPool,
  type ConnectCluster,
  findCondition,
  getIfExists,
  isAlreadyExists,
  isForbidden,
  isNotFound,
  type KubeObject,
  keyString,
  namespaces,
  parseUntrustedKubeconfig,
  type Secret,
  secrets,
  wasDeleted,
  withCondition,
} from '../../../framework/kube/index.ts';
import { isOlder } from '../../../framework/kube/object/object.ts';
import { assertPermitted, type OwnershipRule, ownershipOf } from '../../../framework/ownership/ownership.ts';
import {
  ask,
  authorityChangedAt,
  type Gardener,
  HIBERNATED,
  namespaceOf,
  shootInformer,
  shootKey,
} from '../gardener/gardener.ts';
import type { KubeconfigExpirations } from '../metrics.ts';
import {
  hasRecord,
  isOfAnotherShoot,
  type KubeconfigSecret,
  kubeconfigInformer,
  kubeconfigOf,
  MAX_KUBECONFIG_BASE64,
  secretFor,
  summarize,
  withKubeconfig,
  withRecord,
} from './kubeconfig-secret.ts';
import {
  annotationForceRotation,
  annotationLastSync,
  clusterOwner,
  isRotationForced,
  labelShootName,
  recordedCluster,
  secretKeyOf,
} from './metadata.ts';
import {
  lastSyncOf,
  nextRotationInMs,
  pastSyncOf,
  type RefusedKubeconfigs,
  type Rotation,
  type RotationSettings,
  rotationOf,
} from './rotation.ts';

/** The condition of a GardenerCluster. Reasons and texts are those of the Kyma infrastructure manager, oddities included. */
export const CONDITION = 'KubeconfigManagement';

export const reasons = {
  created: 'KubeconfigSecretCreated',
  rotated: 'KubeconfigSecretRotated',
  checkFailed: 'FailedToCheckSecret',
  createFailed: 'ConditionReasonFailedToCreateSecret',
  updateFailed: 'FailedToUpdateSecret',
  fetchFailed: 'FailedToGetKubeconfig',
} as const;

export type Reason = (typeof reasons)[keyof typeof reasons];

export type FailureReason = Exclude<Reason, 'KubeconfigSecretCreated' | 'KubeconfigSecretRotated'>;

export const messages: Readonly<Record<Reason, string>> = {
  KubeconfigSecretCreated: 'Secret created successfully.',
  KubeconfigSecretRotated: 'Secret rotated successfully.',
  FailedToCheckSecret: 'Failed to get secret.',
  ConditionReasonFailedToCreateSecret: 'Failed to create secret.',
  FailedToUpdateSecret: 'Failed to rotate secret.',
  FailedToGetKubeconfig: 'Failed to get kubeconfig.',
};

export const failed = (reason: FailureReason, cause: string): string => `${messages[reason]} Error: ${cause}`;

/** A kubeconfig that was stored although its cluster did not answer to it. */
export const untried = (reason: Reason, cause: string): string =>
  `${messages[reason]} The kubeconfig could not be tried: ${cause}`;

export interface GardenerClusterReconcilerOptions {
  readonly gardener: Gardener;
  readonly rotation: RotationSettings;
  /** Connects to runtime clusters. */
  readonly connect: ConnectCluster;
  /** Connections of the controllers that use the kubeconfigs. */
  readonly clusters: Pick<ClusterPool, 'learn'>;
  readonly expirations: KubeconfigExpirations;
  readonly refusedKubeconfigs: RefusedKubeconfigs;
}

export interface GardenerClusterMemory {
  /** The result of the last own write, while the informer may not have it. */
  readonly written?: KubeconfigSecret;
  /** When the kubeconfig was last replaced because its cluster refused it, or tried to be, by the monotonic clock in ms. */
  readonly refusedAt?: number;
}

export interface GardenerClusterRun extends GardenerClusterReconcilerOptions {
  readonly copy: WorkingCopy<GardenerCluster>;
  /** Changed in place. */
  readonly object: GardenerCluster;
  readonly context: ReconcilerContext<GardenerClusterMemory>;
}

/** Until a kubeconfig that its cluster does not accept is replaced by another one, in ms. */
const TRY_AGAIN_MS = 600_000;

export const createGardenerClusterReconciler = (
  options: GardenerClusterReconcilerOptions,
): Reconciler<GardenerCluster, GardenerClusterMemory> =>
  reportingHeldDeletion(clusterReconciler(options), { own: undefined, show: showHeldDeletion });

const clusterReconciler =
  (options: GardenerClusterReconcilerOptions): Reconciler<GardenerCluster, GardenerClusterMemory> =>
  async (copy, context) => {
    const run: GardenerClusterRun = { ...options, copy, object: copy.object, context };
    // Its Secret is deleted when it is gone.
    if (wasDeleted(run.object)) return done;
    try {
      return await reconcile(run);
    } catch (error) {
      if (error instanceof StepError) return showFailure(run, error.reason, error.cause);
      throw error;
    }
  };

/** A failed step, with the reason that the condition shows. */
class StepError extends Error {
  readonly reason: FailureReason;

  constructor(reason: FailureReason, cause: unknown) {
    super('step failed', { cause });
    this.reason = reason;
  }
}

async function step<T>(reason: FailureReason, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new StepError(reason, cause);
  }
}

async function reconcile(run: GardenerClusterRun): Promise<ReconcileResult> {
  const known = await step(reasons.checkFailed, () => knownSecret(run));
  const kept = keptUntil(run, known);
  const isRefused = known !== undefined && isSuspected(run, known);
  if (kept !== undefined && known !== undefined && hasRecord(known, run.object) && !isRefused)
    return keepKubeconfig(run, kept);
  // The create says whether there is one already.
  if (known === undefined && isNew(run)) return rotate(run, undefined);
  return keepOrRotate(run, isRefused);
}

/** Nothing was stored for it yet. */
const isNew = ({ object, context }: GardenerClusterRun): boolean =>
  object.status?.state === undefined && context.memory.get()?.written === undefined;

/** The informer may be behind, does not have the content, and lacks a Secret whose labels are missing: it is read. */
async function keepOrRotate(run: GardenerClusterRun, isRefused: boolean): Promise<ReconcileResult> {
  const secret = await step(reasons.checkFailed, () => readSecret(run));
  const rotation = keptUntil(run, secret && summarize(secret));
  if (rotation === undefined || secret === undefined) return rotate(run, secret);
  if (isRefused) {
    const replaced = (await isStillRefused(run, secret)) ? await rotate(run, secret) : undefined;
    // Not before: a look that failed, or a kubeconfig that Gardener did not give, leaves the report.
    run.refusedKubeconfigs.forget(keyString(secretKeyOf(run.object)));
    if (replaced !== undefined) {
      run.context.memory.set({ ...run.context.memory.get(), refusedAt: run.context.clock.monotonic() });
      return replaced;
    }
  }
  if (!hasRecord(secret, run.object))
    await step(reasons.updateFailed, () => writeSecret(run, withRecord(secret, run.object)));
  return keepKubeconfig(run, rotation);
}

/** Whether a controller reported that the cluster refuses the kubeconfig, and enough time has passed since the last such report. */
function isSuspected(
  { object, context, refusedKubeconfigs }: GardenerClusterRun,
  { metadata: { resourceVersion = '' } }: KubeconfigSecret,
): boolean {
  if (!refusedKubeconfigs.has(keyString(secretKeyOf(object)), resourceVersion)) return false;
  const { refusedAt } = context.memory.get() ?? {};
  return refusedAt === undefined || context.clock.monotonic() - refusedAt >= TRY_AGAIN_MS;
}

/** Tries the kubeconfig itself, since the report may be of a moment. */
async function isStillRefused(run: GardenerClusterRun, secret: Secret): Promise<boolean> {
  const { object, context } = run;
  const kubeconfig = ownMember(secret.data, object.spec.kubeconfig.secret.key) ?? '';
  return (await tryKubeconfig(kubeconfig, { ...run, ...context })) !== undefined;
}

/** The rotation of a kubeconfig that works; undefined: there is none. */
function rotationOfUsable(
  run: GardenerClusterRun,
  secret: KubeconfigSecret | undefined,
): Rotation | undefined {
  const { object, rotation: settings, context } = run;
  const kubeconfig = kubeconfigOf(secret, object);
  if (secret === undefined || kubeconfig === undefined || isOfAnotherShoot(secret, object)) return undefined;
  const now = context.client.now();
  if (kubeconfig.expiresAt !== undefined && kubeconfig.expiresAt <= now) return undefined;
  const lastSync = pastSyncOf(secret, now);
  if (lastSync !== undefined) {
    const rotation = rotationOf(now, lastSync, kubeconfig.expiresAt, settings);
    return lastSync < authorityChangeOf(run) ? { ...rotation, isDue: true } : rotation;
  }
  // Nothing says how old it is: it is due.
  const { expiresAt = settings.expirationMs } = kubeconfig;
  return { ...rotationOf(now, expiresAt - settings.expirationMs, expiresAt, settings), isDue: true };
}

function authorityChangeOf(run: GardenerClusterRun): number {
  const shoot = shootOf(run);
  return shoot === undefined ? 0 : authorityChangedAt(shoot);
}

const shootOf = ({ object, gardener, context }: GardenerClusterRun): Shoot | undefined =>
  shootInformer(context.informersAt(gardener.cluster), gardener).get(
    shootKey(gardener, object.spec.shoot.name),
  );

/** The rotation of a kubeconfig that needs no other one now. */
function keptUntil(run: GardenerClusterRun, secret: KubeconfigSecret | undefined): Rotation | undefined {
  const rotation = rotationOfUsable(run, secret);
  return rotation === undefined || rotation.isDue || isRotationForced(run.object) ? undefined : rotation;
}

async function keepKubeconfig(run: GardenerClusterRun, rotation: Rotation): Promise<ReconcileResult> {
  await showReady(run);
  return shown(run, rotation);
}

function shown({ expirations, object, context }: GardenerClusterRun, rotation: Rotation): ReconcileResult {
  expirations.show(object, rotation);
  const lastSync = rotation.expiresAt - rotation.lifetimeMs;
  return requeueAfter(Math.ceil(nextRotationInMs(context.client.now(), lastSync, rotation.periodMs)));
}

async function rotate(run: GardenerClusterRun, secret: Secret | undefined): Promise<ReconcileResult> {
  const { object, gardener, context, rotation: settings } = run;
  const { expirationMs } = settings;
  const fetched = await step(reasons.fetchFailed, () =>
    fetchKubeconfig(gardener, object.spec.shoot.name, expirationMs, context),
  );
  const old = rotationOfUsable(run, secret && summarize(secret));
  // A cluster that sleeps answers to none.
  const isAsleep = shootOf(run)?.status?.hibernated === true;
  const tried = () => (isAsleep ? HIBERNATED : tryKubeconfig(fetched.kubeconfig, { ...run, ...context }));
  const problem = old === undefined ? undefined : await tried();
  if (problem !== undefined && !isAsleep && old?.isLast === false) {
    const error = new ProviderError('terminal', `the cluster does not accept the new kubeconfig: ${problem}`);
    await showFailure(run, reasons.updateFailed, error);
    return requeueAfter(TRY_AGAIN_MS);
  }
  const reason = secret === undefined ? reasons.created : reasons.rotated;
  try {
    await storeKubeconfig(run, secret, fetched);
  } catch (error) {
    if (secret === undefined && isNew(run) && isAlreadyExists(error)) return keepOrRotate(run, false);
    throw error;
  }
  if (isRotationForced(object)) {
    delete object.metadata.annotations?.[annotationForceRotation];
    run.copy.markChanged();
    await run.copy.put(context.signal);
  }
  await showReady(run, reason, problem === undefined ? undefined : untried(reason, problem));
  const now = context.client.now();
  return shown(
    run,
    rotationOf(
      now,
      lastSyncOf(run.context.memory.get()?.written ?? object) ?? now,
      fetched.expiresAt,
      settings,
    ),
  );
}

async function storeKubeconfig(
  run: GardenerClusterRun,
  secret: Secret | undefined,
  { kubeconfig }: FetchedKubeconfig,
): Promise<void> {
  const { object, context } = run;
  const now = context.client.now();
  if (secret !== undefined)
    return step(reasons.updateFailed, () =>
      writeSecret(run, withKubeconfig(secret, object, kubeconfig, now)),
    );
  await step(reasons.createFailed, async () => {
    const created = await context.client.create(secrets, secretFor(object, kubeconfig, now), context);
    rememberWritten(run, created);
  });
}

async function writeSecret(run: GardenerClusterRun, secret: Secret): Promise<void> {
  const { signal, client } = run.context;
  rememberWritten(run, await client.update(secrets, secret, { signal }));
}

function rememberWritten(
  { context: { memory }, object, clusters }: GardenerClusterRun,
  written: Secret,
): void {
  memory.set({ ...memory.get(), written: summarize(written) });
  clusters.learn({ secret: secretKeyOf(object), kubeconfigKey: object.spec.kubeconfig.secret.key }, written);
}

export interface FetchedKubeconfig {
  /** In base64. */
  readonly kubeconfig: string;
  /** When Gardener lets it expire, in ms since the epoch; undefined: it does not say. */
  readonly expiresAt: number | undefined;
}

/**
 * Requests a kubeconfig of an administrator. Addresses in it are used as Gardener gives them.
 *
 * @throws GardenerRefusal; `not-found` if there is no such Shoot
 */
async function fetchKubeconfig(
  { client, project }: Pick<Gardener, 'client' | 'project'>,
  shoot: string,
  expirationMs: number,
  options: CallOptions,
): Promise<FetchedKubeconfig> {
  const body: Omit<AdminKubeconfigRequest, 'status'> = {
    apiVersion: 'authentication.gardener.cloud/v1alpha1',
    kind: 'AdminKubeconfigRequest',
    spec: { expirationSeconds: Math.floor(expirationMs / 1000) },
  };
  const key = { namespace: namespaceOf({ project }), name: shoot };
  const { status } = await ask(() =>
    client.createSubresource<AdminKubeconfigRequest & KubeObject>(
      shoots,
      key,
      'adminkubeconfig',
      body,
      options,
    ),
  );
  const { kubeconfig = '', expirationTimestamp }: Partial<AdminKubeconfigRequest['status']> = status ?? {};
  if (kubeconfig === '' || kubeconfig.length > MAX_KUBECONFIG_BASE64)
    throw new ProviderError('transient', `Gardener returned no kubeconfig of Shoot ${shoot}`);
  return { kubeconfig, expiresAt: parseTimestamp(expirationTimestamp) };
}

export interface TryOptions {
  readonly connect: ConnectCluster;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Time for the answer of a cluster, in ms. */
const TIMEOUT_MS = 10_000;

/** Whether a cluster answers to its kubeconfig, in base64. Returns why not; undefined: it does. */
export async function tryKubeconfig(
  kubeconfig: string,
  { connect, clock, signal }: TryOptions,
): Promise<string | undefined> {
  try {
    const config = parseUntrustedKubeconfig(Buffer.from(kubeconfig, 'base64').toString('utf8'));
    const cluster = connect(config, { name: 'remote', required: false, trust: 'hostile' });
    using deadline = withDeadline(clock, TIMEOUT_MS, 'a request to the runtime cluster', signal);
    try {
      await cluster.client.get(namespaces, { name: 'kube-system' }, deadline);
    } catch (error) {
      // The cluster knows the user; what the user may do is another matter.
      if (!isForbidden(error) && !isNotFound(error)) throw error;
    } finally {
      await cluster.close();
    }
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return messageOf(error);
  }
}

/** The Secret as the informer or the last own write has it, without its content; undefined: the informer does not have it. */
async function knownSecret(run: GardenerClusterRun): Promise<KubeconfigSecret | undefined> {
  const { context, object } = run;
  const cached = kubeconfigInformer(context.informers).get(keyString(secretKeyOf(object)));
  const written = context.memory.get()?.written;
  if (cached === undefined) return undefined;
  const isAhead =
    written?.metadata.uid === cached.metadata.uid &&
    isOlder(cached.metadata.resourceVersion ?? '', written?.metadata.resourceVersion ?? '');
  return ownedBy(run, isAhead && written !== undefined ? written : cached);
}

/** The newest version with its content; undefined: there is none. */
async function readSecret(run: GardenerClusterRun): Promise<Secret | undefined> {
  const { context, object } = run;
  const found = await getIfExists(context.client, secrets, secretKeyOf(object), context);
  return found && ownedBy(run, found);
}

/** A Secret of others must neither be overwritten nor deleted, whatever a GardenerCluster names. @throws OwnershipError */
async function ownedBy<S extends KubeconfigSecret | Secret>(
  { object }: GardenerClusterRun,
  secret: S,
): Promise<S> {
  const own = clusterOwner(object.metadata);
  const ownership = await ownershipOf({
    own,
    recorded: recordedCluster(secret),
    // The object of that name is this one by now.
    isGone: ({ namespace, name }) => namespace === own.namespace && name === own.name,
  });
  const rule: OwnershipRule = {
    unrecorded: isOfShoot(secret, object) ? ['adopt', 'update'] : [],
    abandoned: ['adopt', 'update'],
  };
  const resource = `Secret ${keyString(secretKeyOf(object))}`;
  assertPermitted(ownership, 'update', rule, { resource, own, remedy: 'choose another name' });
  return secret;
}

/** Secrets of older programs say only of which Shoot they are, or when their kubeconfig was stored. */
function isOfShoot({ metadata }: KubeconfigSecret | Secret, { spec }: GardenerClusterRun['object']): boolean {
  const { labels: { [labelShootName]: shoot } = {}, annotations = {} } = metadata;
  return shoot === undefined ? annotations[annotationLastSync] !== undefined : shoot === spec.shoot.name;
}

/** Until what only others can change is tried again, in ms. Shoots and Secrets are watched. */
const POLL_MS = 300_000;

async function storeCondition(
  { copy, object, context }: GardenerClusterRun,
  state: 'Ready' | 'Error',
  condition: { readonly status: 'True' | 'False'; readonly reason: Reason; readonly message: string },
): Promise<void> {
  const before = findCondition(object.status?.conditions ?? [], CONDITION);
  const conditions = withCondition(
    object.status?.conditions ?? [],
    { type: CONDITION, ...condition },
    context.clock.now(),
  );
  object.status = {
    ...object.status,
    state,
    conditions: conditions.map((each) => ({ ...each, message: each.message ?? '' })),
  };
  const { recorder, signal } = context;
  const events = createObjectEvents({ recorder, object: () => object });
  const isSame =
    before?.status === 'False' && before.reason === condition.reason && before.message === condition.message;
  // A failure that lasts is one event.
  if (condition.status === 'False' && !isSame)
    events.recordWithStatus('Warning', condition.reason, condition.message);
  await storeStatus(copy, { events, signal });
}

/** Finalizers of others hold the GardenerCluster. Its Secret is deleted after it. */
function showHeldDeletion(
  object: GardenerCluster,
  message: string,
  { clock }: Pick<GardenerClusterRun['context'], 'clock'>,
): void {
  const stated = { type: CONDITION, status: 'Unknown', reason: reasonWaitingForFinalizers, message } as const;
  const conditions = withCondition(object.status?.conditions ?? [], stated, clock.now());
  const complete = conditions.map((each) => ({ ...each, message: each.message ?? '' }));
  object.status = { ...object.status, state: 'Terminating', conditions: complete };
}

/** The Secret has a current kubeconfig. @param reason default: as it is, or Created */
async function showReady(run: GardenerClusterRun, reason?: Reason, message?: string): Promise<void> {
  const shown = findCondition(run.object.status?.conditions ?? [], CONDITION);
  if (reason === undefined && run.object.status?.state === 'Ready' && shown?.status === 'True') return;
  const { created } = reasons;
  await storeCondition(run, 'Ready', {
    status: 'True',
    reason: reason ?? created,
    message: message ?? messages[reason ?? created],
  });
}

/** Stores what failed. @throws a transient error again, so that it is retried with growing delays */
async function showFailure(
  run: GardenerClusterRun,
  reason: FailureReason,
  error: unknown,
): Promise<ReconcileResult> {
  if (isNoFailure(error)) throw error;
  const text = messageOf(error);
  await storeCondition(run, 'Error', { status: 'False', reason, message: failed(reason, text) });
  const kind = kindOf(error);
  if (kind === 'contested') return pollAfter(POLL_MS);
  if (kind !== 'terminal' && kind !== 'not-found') throw error;
  run.context.log.info('cannot keep the kubeconfig current', { reason, error: text });
  return kind === 'not-found' ? pollAfter(POLL_MS) : requeue;
}
