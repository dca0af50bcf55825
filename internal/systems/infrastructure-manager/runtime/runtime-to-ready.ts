/**
 * A Runtime from its event to Ready, from top to bottom. Each state is one step, and returns the state that follows or ends the reconcile;
 * the table of what follows is in `run.ts`. What must survive is in the Runtime and its Shoot, so that each reconcile decides anew.
 * The states of a change are in `change-of-shoot.ts`, those of a deletion in `deletion-of-runtime.ts`.
 */
import { seeds, shoots } from '../../../../apis/gardener/kinds.ts';
import type { GardenerCluster } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { messageOf } from '../../../framework/base/index.ts';
import {
  done,
  hasFinalizer,
  pollAfter,
  type ReconcileResult,
  storeFinalizer,
} from '../../../framework/controller/index.ts';
import { listAll } from '../../../framework/kube/cache/cache.ts';
import { isAlreadyExists, wasDeleted } from '../../../framework/kube/index.ts';
import {
  ask,
  codesOf,
  describeErrors,
  gardenerRefusal,
  hasExtension,
  isObserved,
  isRefused,
  isRetryable,
  type LastErrors,
  namesProblem,
  usableRegions,
} from '../gardener/gardener.ts';
import { withRecord } from '../gardener/plan-update.ts';
import { finalizer, isChanged, isPatchForced, isPatchSuspended } from '../metadata.ts';
import {
  copyAuditLogReadCredentials,
  isAuditLogDue,
  migrateToDedicatedAuditLog,
  reserveAuditLog,
} from './audit-log.ts';
import { initializeRuntimeBootstrapper } from './bootstrapper/initialize-runtime-bootstrapper.ts';
import { hasDrift, patchExistingShoot, rememberCompared, renderPatch } from './change-of-shoot.ts';
import { applyBindings, applyOpenIdConnects } from './cluster/access.ts';
import { applyProvisioningInfo, provisioningInfo } from './cluster/provisioning-info.ts';
import {
  appliedTo,
  applyToCluster,
  clusterFailed,
  createIfMissing,
  nextCheck,
  rememberConfigured,
  useRuntimeCluster,
} from './cluster/runtime-cluster.ts';
import {
  deleteFormerClusters,
  deleteKubeconfig,
  deleteShoot,
  removeRuntimeFinalizer,
} from './deletion-of-runtime.ts';
import {
  conversionFailed,
  createFailed,
  messages,
  noSeedInRegion,
  seedsUnknown,
  shootErrors,
} from './messages.ts';
import { findOrCreateGardenerCluster, foreignShoot, MismatchError, objectOwnershipOf } from './ownership.ts';
import { cleanupRegistryCacheGardenSecrets } from './registry-caches.ts';
import {
  type End,
  end,
  endWithWait,
  fail,
  failLater,
  failUnexpectedly,
  isAuditLogRequested,
  type Next,
  next,
  RenderingProblem,
  type RuntimeRun,
  remember,
  retryRefused,
  type StateName,
  type StepOf,
  shootNameOf,
  shootNameProblem,
} from './run.ts';
import {
  factsOf,
  failRendering,
  findShoot,
  readShoot,
  rememberWritten,
  rendered,
  showLastOperation,
  storeAuthenticationConfig,
  withAuthenticationConfig,
  withoutNumbers,
} from './shoot-of-runtime.ts';
import { conditionTypes, type Reason, reasons } from './status.ts';

/** Safety net beside the watches of Shoots and GardenerClusters, in ms. */
const POLL_MS = 60_000;
/** The same while Gardener changes a Shoot, in ms. */
const RECONCILE_POLL_MS = 30_000;

const states: { readonly [Name in StateName]: (run: RuntimeRun) => Promise<StepOf<Name>> } = {
  TakeSnapshot: takeSnapshot,
  Initialize: initialize,
  CreateShoot: createShoot,
  SelectShootProcessing: selectShootProcessing,
  PatchExistingShoot: patchExistingShoot,
  WaitForShootCreation: waitForShootCreation,
  WaitForShootReconcile: waitForShootReconcile,
  HandleKubeconfig: handleKubeconfig,
  CreateKymaNamespace: createKymaNamespace,
  InitializeRuntimeBootstrapper: initializeRuntimeBootstrapper,
  CleanupRegistryCacheGardenSecrets: cleanupRegistryCacheGardenSecrets,
  ConfigureSKR: configureSkr,
  ApplyClusterRoleBindings: applyClusterRoleBindings,
  MigrateToDedicatedAuditLog: migrateToDedicatedAuditLog,
  CopyAuditLogReadCredentials: copyAuditLogReadCredentials,
  DeleteKubeconfig: deleteKubeconfig,
  DeleteShoot: deleteShoot,
  RemoveFinalizer: removeRuntimeFinalizer,
};

/** One reconcile: the states from TakeSnapshot on, until one ends it. */
export async function runStates(run: RuntimeRun): Promise<ReconcileResult> {
  for (let state: StateName = 'TakeSnapshot'; ; ) {
    const step: Next<StateName> | End = await states[state](run);
    if ('end' in step) return step.end;
    run.context.log.debug('next state', { state: step.next, after: state });
    state = step.next;
  }
}

/**
 * Reads the Shoot from the informer, or the result of the last own write if that is newer. That there is no Shoot is confirmed by
 * a GET, since it decides what is created, and when a deletion is complete.
 */
async function takeSnapshot(run: RuntimeRun): Promise<StepOf<'TakeSnapshot'>> {
  const name = shootNameOf(run.object);
  run.shoot = name === undefined ? undefined : await findShoot(run, name);
  await showShootErrors(run);
  return next('Initialize');
}

/**
 * Shows why Gardener's operation fails, with all codes and texts, whatever the operation is. A Ready Runtime whose Shoot Gardener
 * reconciles again shows only an operation that has failed for good.
 */
async function showShootErrors(run: RuntimeRun): Promise<void> {
  const { shoot, status, object } = run;
  const { lastOperation, lastErrors = [] } = shoot?.status ?? {};
  const { state = '' } = lastOperation ?? {};
  if (shoot === undefined || state === 'Succeeded') status.remove(conditionTypes.shootOperationSucceeded);
  const isShown = state === 'Failed' || (object.status?.state !== 'Ready' && state !== 'Succeeded');
  // Between two attempts there may be none.
  if (!isShown || lastErrors.length === 0) return;
  const shown = status.condition(conditionTypes.shootOperationSucceeded);
  const message = shootErrors(`${lastOperation?.type} ${state}: ${describe(lastErrors)}`);
  // Texts may have times and numbers of requests: the same error is not shown anew with each attempt.
  if (shown !== undefined && withoutNumbers(shown.message ?? '') === withoutNumbers(message)) return;
  status.keepState({
    type: conditionTypes.shootOperationSucceeded,
    reason: reasons.shootErrors,
    status: 'False',
    message,
  });
  // The states of a deletion store nothing while they wait.
  if (wasDeleted(object)) await status.store();
}

/** `ERR_A, ERR_B: 1) First description 2) Second description`. */
const describe = (errors: LastErrors): string => {
  const codes = codesOf(errors).join(', ');
  return `${codes === '' ? '' : `${codes}: `}${describeErrors(errors).trim()}`;
};

/** Refuses the Shoot of another Runtime, adds the finalizer, and selects creation, change or deletion. */
async function initialize(run: RuntimeRun): Promise<StepOf<'Initialize'>> {
  const { object, copy, context, shoot } = run;
  showLastOperation(run);
  if (wasDeleted(object)) {
    if (hasFinalizer(object, finalizer)) return next('DeleteKubeconfig');
    // The Runtime belongs to others, who keep it.
    if (shoot === undefined) run.onUnexpectedStop();
    return end(done);
  }
  if (object.spec === undefined) return end(done);
  const problem = shootNameProblem(object.spec.shoot.name);
  if (problem !== undefined)
    return failUnexpectedly(run, reasons.conversionError, conversionFailed(problem), done);
  const refused = await refuseForeignShoot(run);
  if (refused !== undefined) return refused;
  await storeFinalizer(copy, finalizer, context);
  return next(shoot === undefined ? 'CreateShoot' : 'SelectShootProcessing');
}

/** How the reconcile ends if the Shoot belongs to another Runtime; undefined: it is that of this Runtime, or becomes it. */
async function refuseForeignShoot(run: RuntimeRun): Promise<End | undefined> {
  const refusal = await foreignShoot(run, 'adopt');
  return refusal === undefined ? undefined : fail(run, reasons.shootNotOwned, refusal, pollAfter(POLL_MS));
}

/** Seeds are not watched. */
const SEED_POLL_MS = 300_000;

/** Renders and creates the Shoot. */
async function createShoot(run: RuntimeRun): Promise<StepOf<'CreateShoot'>> {
  const { object, gardener } = run;
  const { shoot: { name = '', enforceSeedLocation = false } = {} } = object.spec ?? {};
  const tooLong = namesProblem(gardener, name);
  if (tooLong !== undefined) return failUnexpectedly(run, reasons.conversionError, conversionFailed(tooLong));
  const refused = enforceSeedLocation ? await checkSeeds(run) : undefined;
  if (refused !== undefined) return refused;
  try {
    return await sendShoot(run, name);
  } catch (error) {
    if (error instanceof RenderingProblem) return failRendering(run, error);
    const refusal = gardenerRefusal(error);
    if (refusal === undefined) throw error;
    if (refusal === 'transient' || refusal === 'conflict') return failLater(run, 'creation', error);
    return retryRefused(run, reasons.gardenerError, createFailed(messageOf(error)));
  }
}

async function sendShoot(run: RuntimeRun, name: string): Promise<StepOf<'CreateShoot'>> {
  const { gardener, context, rendering, status } = run;
  await reserveAuditLog(run);
  const facts = factsOf(run);
  const shoot = rendered(run, (runtime) => rendering.create(runtime, facts));
  await context.guard.acquireOwnership();
  const isFirst = status.condition(conditionTypes.provisioned) === undefined;
  await context.guard.beforeWrite(isFirst ? { record: () => showInitialized(run) } : { destructive: true });
  await storeAuthenticationConfig(run);
  context.guard.assertMayWrite();
  remember(run, { create: 'sent' });
  try {
    // A patch has less than a new Shoot, such as no domain: only what it has can be taken out again.
    const recorded = withRecord(shoot, renderPatch(run, shoot));
    const wanted = withAuthenticationConfig(run, recorded);
    const created = await ask(() => gardener.client.create(shoots, wanted, context));
    rememberWritten(run, created);
    remember(run, { createdAt: context.clock.monotonic() });
    // As after a change: what Gardener has stored in another form is not sent again.
    rememberCompared(run, created);
    remember(run, { create: 'answered' });
  } catch (error) {
    const refusal = gardenerRefusal(error);
    if (refusal !== undefined && refusal !== 'transient') remember(run, { create: 'answered' });
    if (!isAlreadyExists(error)) throw error;
    // An earlier request took effect although its response was lost.
    run.shoot = await readShoot(run, name);
    if (run.shoot !== undefined) return (await refuseForeignShoot(run)) ?? next('SelectShootProcessing');
    throw error;
  }
  return showShootPending(run);
}

const showShootPending = (run: RuntimeRun): Promise<End> =>
  showInProgress(run, { reason: reasons.pending, message: messages.shootPending }, POLL_MS);

/** The first condition. No process sends a create before it is stored, which is refused unless it is of the newest version. */
async function showInitialized(run: RuntimeRun): Promise<void> {
  remember(run, { create: 'none' });
  run.status.pending({
    type: conditionTypes.provisioned,
    reason: reasons.initialised,
    status: 'Unknown',
    message: messages.initialized,
  });
  await run.status.store({ isStep: true });
}

/** How the reconcile ends if no seed of the region takes the Shoot. */
async function checkSeeds(run: RuntimeRun): Promise<End | undefined> {
  const { gardener, context, object } = run;
  const { region = '', provider } = object.spec?.shoot ?? {};
  let regions: readonly string[];
  try {
    const all = await ask(() => listAll(gardener.client, seeds, { signal: context.signal }));
    regions = usableRegions(all, provider?.type ?? '');
  } catch (error) {
    const refusal = gardenerRefusal(error);
    if (refusal === undefined) throw error;
    if (refusal === 'transient') return failLater(run, 'creation', error);
    return retryRefused(run, reasons.gardenerError, seedsUnknown(region, messageOf(error)));
  }
  if (regions.includes(region)) return undefined;
  const message = noSeedInRegion(region, regions);
  return failUnexpectedly(run, reasons.seedNotFound, message, pollAfter(SEED_POLL_MS));
}

/** Others that change the Shoot again and again must not cause a patch each time. */
const DRIFT_PAUSE_MS = 60_000;

/** Decides whether the Shoot is patched, or which of Gardener's operations to wait for. */
async function selectShootProcessing(run: RuntimeRun): Promise<StepOf<'SelectShootProcessing'>> {
  const { shoot, object } = run;
  if (shoot === undefined) return end(done);
  if (wasDeleted(shoot)) return waitUntilGone(run);
  const { lastOperation } = shoot.status ?? {};
  if (shoot.spec?.dns?.domain === undefined || lastOperation === undefined) return waitForGardener(run);
  if (isPatchDue(run) || isDriftPatchDue(run)) return next('PatchExistingShoot');
  if (!isObserved(shoot)) return end(pollAfter(POLL_MS));
  // A reconcile that Gardener began itself.
  if (object.status?.state === 'Ready' && lastOperation.state !== 'Failed') return next('HandleKubeconfig');
  // A Restore follows a Migrate, and both are like a Reconcile. So is what a later Gardener may have: its state says what it means.
  return next(lastOperation.type === 'Create' ? 'WaitForShootCreation' : 'WaitForShootReconcile');
}

/** Gardener has not begun with the Shoot. */
async function waitForGardener(run: RuntimeRun): Promise<End> {
  const isNew = run.status.condition(conditionTypes.provisioned)?.reason === reasons.initialised;
  return isNew ? showShootPending(run) : end(pollAfter(POLL_MS));
}

/** A patch is requested, or due since the Runtime or its AuditLog was changed; a suspended Runtime is not patched. */
const isPatchDue = (run: RuntimeRun): boolean => {
  const { object, shoot } = run;
  if (shoot === undefined || isPatchSuspended(object)) return false;
  return isPatchForced(object) || isChanged(object, shoot) || isAuditLogDue(run);
};

/** Whether others changed what the Runtime says, and the last patch because of that is long enough ago. */
function isDriftPatchDue(run: RuntimeRun): boolean {
  if (isPatchSuspended(run.object) || !hasDrift(run)) return false;
  const { clock, memory } = run.context;
  const last = memory.get()?.driftPatchedAt;
  const leftMs = last === undefined ? 0 : last + DRIFT_PAUSE_MS - clock.monotonic();
  if (leftMs > 0) run.recheckMs = leftMs;
  else remember(run, { driftPatchedAt: clock.monotonic() });
  return leftMs <= 0;
}

/** Others deleted the Shoot. It is created again when it is gone. */
function waitUntilGone(run: RuntimeRun): Promise<End> {
  return showInProgress(run, { reason: reasons.processing, message: messages.updateInProgress }, POLL_MS);
}

/** What Gardener's scheduler says when no seed fits. */
const NO_SEED = /Failed to schedule Shoot: none out of the \d+ seeds has a matching provider for "/;

/** Shows how far Gardener is with the creation. */
async function waitForShootCreation(run: RuntimeRun): Promise<StepOf<'WaitForShootCreation'>> {
  const { lastOperation, lastErrors } = run.shoot?.status ?? {};
  switch (lastOperation?.state) {
    case 'Processing':
    case 'Pending':
    case 'Aborted':
    case 'Error':
      return NO_SEED.test(lastOperation.description)
        ? fail(run, reasons.creationError, messages.noMatchingSeeds, done)
        : showCreating(run, messages.creationInProgress);
    case 'Failed':
      if (isRetryable(lastErrors)) return showCreating(run, messages.creationRetryable);
      return failUnexpectedly(run, reasons.creationError, creationFailed(lastErrors), done);
    case 'Succeeded':
      return showCompleted(run, {
        reason: reasons.shootCreationCompleted,
        message: messages.creationCompleted,
      });
    default:
      return showNothing(run, POLL_MS);
  }
}

/** Why it failed is a condition of its own, in full. */
const creationFailed = (errors: LastErrors | undefined): string =>
  [messages.creationFailed, ...(codesOf(errors).length === 0 ? [] : [codesOf(errors).join(', ')])].join(': ');

const showCreating = (run: RuntimeRun, message: string): Promise<End> =>
  showInProgress(run, { reason: reasons.pending, message }, POLL_MS);

/** Shows how far Gardener is with a change. */
async function waitForShootReconcile(run: RuntimeRun): Promise<StepOf<'WaitForShootReconcile'>> {
  const { lastOperation, lastErrors } = run.shoot?.status ?? {};
  switch (lastOperation?.state) {
    case 'Processing':
    case 'Pending':
    case 'Aborted':
    case 'Error':
      return showInProgress(
        run,
        { reason: reasons.processing, message: messages.updateInProgress },
        RECONCILE_POLL_MS,
      );
    case 'Failed':
      if (isRetryable(lastErrors)) {
        const shown = { reason: reasons.pending, message: messages.reconcileRetryable };
        return showInProgress(run, shown, RECONCILE_POLL_MS);
      }
      return failUnexpectedly(run, reasons.processingError, codesOf(lastErrors).join(', '), done);
    case 'Succeeded':
      // The control plane has left its seed, and a Restore follows.
      if (lastOperation.type === 'Migrate')
        return showInProgress(
          run,
          { reason: reasons.processing, message: messages.updateInProgress },
          RECONCILE_POLL_MS,
        );
      return showCompleted(run, {
        reason: reasons.configurationCompleted,
        message: messages.processingCompleted,
      });
    default:
      return showNothing(run, RECONCILE_POLL_MS);
  }
}

interface Shown {
  readonly reason: Reason;
  readonly message: string;
}

/** @param pollMs safety net beside the watch of Shoots */
function showInProgress(run: RuntimeRun, shown: Shown, pollMs: number): Promise<End> {
  run.status.pending({ type: conditionTypes.provisioned, status: 'Unknown', ...shown });
  return endWithWait(run, shown.message, pollMs);
}

/** A Runtime that tells so already stays as it is. HandleKubeconfig stores the condition, together with its own. */
function showCompleted(run: RuntimeRun, shown: Shown): Next<'HandleKubeconfig'> {
  if (!isSettled(run)) run.status.pending({ type: conditionTypes.provisioned, status: 'True', ...shown });
  return next('HandleKubeconfig');
}

/** A state of the operation that Gardener does not have. */
function showNothing(run: RuntimeRun, pollMs: number): End {
  run.onUnexpectedStop();
  return end(pollAfter(pollMs));
}

/** The condition already tells that the Shoot is as the Runtime says, whatever the operation was. */
const isSettled = ({ object, status }: RuntimeRun): boolean =>
  // What else may have failed has a condition of its own.
  object.status?.state !== undefined &&
  object.status.state !== 'Terminating' &&
  status.condition(conditionTypes.provisioned)?.status === 'True';

/** Creates the GardenerCluster, and waits until its Secret has a kubeconfig. A wait stores the conditions of the states before it, too. */
async function handleKubeconfig(run: RuntimeRun): Promise<StepOf<'HandleKubeconfig'>> {
  let found: GardenerCluster;
  try {
    found = await findOrCreateGardenerCluster(run);
  } catch (error) {
    if (!isRefused(error) && !(error instanceof MismatchError)) {
      await run.status.store();
      throw error;
    }
    run.status.failed({
      type: conditionTypes.kubeconfigReady,
      reason: reasons.kubernetesError,
      message: messageOf(error),
    });
    await run.status.store();
    return end(pollAfter(POLL_MS));
  }
  if (wasDeleted(found) || found.status?.state !== 'Ready') return waitForGardenerCluster(run, found);
  if (run.status.condition(conditionTypes.kubeconfigReady)?.status !== 'True') {
    showKubeconfig(run, {
      reason: reasons.gardenerClusterReady,
      status: 'True',
      message: messages.gardenerClusterReady,
    });
    await run.status.store({ isStep: true });
  }
  await deleteFormerClusters(run);
  // What else is shown is stored together with the result of a later state.
  return next('CreateKymaNamespace');
}

/** A Ready Runtime stays Ready: its kubeconfig is valid for hours when the next one is due. */
function showKubeconfig(
  { object, status }: RuntimeRun,
  condition: Omit<Parameters<RuntimeRun['status']['pending']>[0], 'type'>,
) {
  if (object.status?.state === 'Ready')
    status.keepState({ type: conditionTypes.kubeconfigReady, ...condition });
  else status.pending({ type: conditionTypes.kubeconfigReady, ...condition });
}

/** Shows the cause in the Runtime too: users need not read the GardenerCluster. */
async function waitForGardenerCluster(run: RuntimeRun, { status }: GardenerCluster): Promise<End> {
  const [condition] = status?.conditions ?? [];
  const cause = condition?.status === 'False' ? `: ${condition.message}` : '';
  const message = `${messages.gardenerClusterCreated}${cause}`;
  showKubeconfig(run, { reason: reasons.gardenerClusterCreated, status: 'Unknown', message });
  return endWithWait(run, message, POLL_MS);
}

/** Creates the namespace of Kyma in the cluster, unless it is there. The first state that uses the cluster. */
async function createKymaNamespace(run: RuntimeRun): Promise<StepOf<'CreateKymaNamespace'>> {
  const check = nextCheck(run);
  if (check !== undefined) {
    await run.status.store();
    return end(check);
  }
  // The next state notices if it is gone, since it stores something there.
  if (isKnown(run)) return next('InitializeRuntimeBootstrapper');
  try {
    await useRuntimeCluster(run, createIfMissing);
  } catch (error) {
    return clusterFailed(run, error, {
      type: conditionTypes.kymaSystemCreated,
      reason: reasons.kymaSystemError,
      message: messages.kymaSystemFailed,
    });
  }
  // Stored together with the result of a later state.
  run.status.keepState({
    type: conditionTypes.kymaSystemCreated,
    reason: reasons.kymaSystemReady,
    status: 'True',
    message: messages.kymaSystemCreated,
  });
  return next('InitializeRuntimeBootstrapper');
}

const isKnown = (run: RuntimeRun): boolean =>
  (run.object.status?.state === 'Ready' || appliedTo(run) !== undefined) &&
  run.status.condition(conditionTypes.kymaSystemCreated)?.status === 'True';

/** Tells the cluster what it is, and makes the issuers that it trusts those of the Runtime, if the extension for it is there. */
async function configureSkr(run: RuntimeRun): Promise<StepOf<'ConfigureSKR'>> {
  const { object, shoot, seedRegions, context } = run;
  const seed = shoot?.spec?.seedName;
  try {
    const seedRegion = seed === undefined ? undefined : await seedRegions.of(seed, context);
    const info = provisioningInfo(object, shoot, seedRegion);
    await applyToCluster(run, 'provisioning info', info, (use, uid) => applyProvisioningInfo(use, info, uid));
  } catch (error) {
    return clusterFailed(run, error, {
      type: conditionTypes.oidcConfigured,
      reason: reasons.configMapError,
      message: messages.provisioningInfoFailed,
    });
  }
  let message: string = messages.oidcExtensionDisabled;
  if (hasExtension(shoot, 'shoot-oidc-service')) {
    const wanted = run.rendering.openIdConnects(object);
    try {
      await applyToCluster(run, 'issuers', wanted, (cluster) =>
        applyOpenIdConnects(cluster, objectOwnershipOf(run), wanted),
      );
    } catch (error) {
      return clusterFailed(run, error, {
        type: conditionTypes.oidcConfigured,
        reason: reasons.oidcConfigurationError,
        message: messages.oidcFailed,
      });
    }
    message = messages.oidcConfigured;
  }
  // Stored together with the result of the next state.
  run.status.keepState({
    type: conditionTypes.oidcConfigured,
    reason: reasons.oidcConfigured,
    status: 'True',
    message,
  });
  return next('ApplyClusterRoleBindings');
}

/** Makes the administrators of the cluster those of the Runtime, which is Ready then. */
async function applyClusterRoleBindings(run: RuntimeRun): Promise<StepOf<'ApplyClusterRoleBindings'>> {
  const { object, status } = run;
  const admins = object.spec?.security.administrators ?? [];
  try {
    await applyToCluster(run, 'administrators', admins, (cluster) =>
      applyBindings(cluster, objectOwnershipOf(run), admins),
    );
  } catch (error) {
    return clusterFailed(run, error, {
      type: conditionTypes.configured,
      reason: reasons.configurationError,
      message: messages.bindingsFailed,
      isFalse: true,
    });
  }
  const configured = {
    type: conditionTypes.configured,
    reason: reasons.administratorsConfigured,
    status: 'True',
    message: messages.administratorsConfigured,
  } as const;
  if (isAuditLogRequested(run)) {
    // Stored together with the result of a later state.
    status.keepState(configured);
    return next('MigrateToDedicatedAuditLog');
  }
  status.ready(configured);
  await status.store();
  return end(rememberConfigured(run));
}
