/** The reconcile of a GardenerCluster: its Secret always has a kubeconfig that its cluster accepts. */
import type { GardenerCluster } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { ProviderError } from '../../../framework/base/errors/errors.ts';
import { ownMember } from '../../../framework/base/json/json-field.ts';
import {
  done,
  type ReconcileResult,
  type Reconciler,
  reportingHeldDeletion,
  requeueAfter,
} from '../../../framework/controller/index.ts';
import { keyString, type Secret, secrets, wasDeleted } from '../../../framework/kube/index.ts';
import { authorityChangedAt } from '../gardener/authority-changed-at.ts';
import { shootInformer, shootKey } from '../gardener/gardener.ts';
import { type FetchedKubeconfig, fetchKubeconfig } from './fetch-kubeconfig.ts';
import { knownSecret, readSecret } from './find-secret.ts';
import {
  hasRecord,
  type KubeconfigSecret,
  kubeconfigOf,
  secretFor,
  summarize,
  withKubeconfig,
  withRecord,
} from './kubeconfig-secret.ts';
import { type FailureReason, reasons, untried } from './messages.ts';
import { annotationForceRotation, isRotationForced, secretKeyOf } from './metadata.ts';
import { lastSyncOf, nextRotationInMs, pastSyncOf, type Rotation, rotationOf } from './rotation.ts';
import type { GardenerClusterMemory, GardenerClusterReconcilerOptions, GardenerClusterRun } from './run.ts';
import { showFailure, showHeldDeletion, showReady } from './status.ts';
import { tryKubeconfig } from './try-kubeconfig.ts';

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
    return keep(run, kept);
  // The informer may be behind, does not have the content, and lacks a Secret whose labels are missing.
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
    await step(reasons.updateFailed, () => write(run, withRecord(secret, run.object)));
  return keep(run, rotation);
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
  if (secret === undefined || kubeconfig === undefined) return undefined;
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

function authorityChangeOf({ object, gardener, context }: GardenerClusterRun): number {
  const informer = shootInformer(context.informersAt(gardener.cluster), gardener);
  const shoot = informer.get(shootKey(gardener, object.spec.shoot.name));
  return shoot === undefined ? 0 : authorityChangedAt(shoot);
}

/** The rotation of a kubeconfig that needs no other one now. */
function keptUntil(run: GardenerClusterRun, secret: KubeconfigSecret | undefined): Rotation | undefined {
  const rotation = rotationOfUsable(run, secret);
  return rotation === undefined || rotation.isDue || isRotationForced(run.object) ? undefined : rotation;
}

async function keep(run: GardenerClusterRun, rotation: Rotation): Promise<ReconcileResult> {
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
  const problem =
    old === undefined ? undefined : await tryKubeconfig(fetched.kubeconfig, { ...run, ...context });
  if (problem !== undefined && old?.isLast === false) {
    const error = new ProviderError('terminal', `the cluster does not accept the new kubeconfig: ${problem}`);
    await showFailure(run, reasons.updateFailed, error);
    return requeueAfter(TRY_AGAIN_MS);
  }
  const reason = secret === undefined ? reasons.created : reasons.rotated;
  await store(run, secret, fetched);
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

async function store(
  run: GardenerClusterRun,
  secret: Secret | undefined,
  { kubeconfig }: FetchedKubeconfig,
): Promise<void> {
  const { object, context } = run;
  const now = context.client.now();
  if (secret !== undefined)
    return step(reasons.updateFailed, () => write(run, withKubeconfig(secret, object, kubeconfig, now)));
  await step(reasons.createFailed, async () => {
    const created = await context.client.create(secrets, secretFor(object, kubeconfig, now), context);
    context.memory.set({ ...context.memory.get(), written: summarize(created) });
  });
}

async function write({ context }: GardenerClusterRun, secret: Secret): Promise<void> {
  const { signal, client, memory } = context;
  memory.set({ ...memory.get(), written: summarize(await client.update(secrets, secret, { signal })) });
}
