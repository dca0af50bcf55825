/** A change of a Runtime, or drift of its Shoot: the difference is computed once, and stored by one PUT. */
import { type Shoot, shoots } from '../../../../apis/gardener/kinds.ts';
import { jsonEqual, messageOf } from '../../../framework/base/index.ts';
import { pollAfter, requeue } from '../../../framework/controller/index.ts';
import { ask, gardenerRefusal, isLasting, isObserved, namespaceOf } from '../gardener/gardener.ts';
import {
  type Difference,
  planUpdate,
  type ShootUpdate,
  withRecord,
  withRecordOf,
} from '../gardener/plan-update.ts';
import {
  fieldsOfRenderers,
  isRenderedToday,
  otherOwnersOf,
  readAppliedFields,
} from '../gardener/shoot-fields.ts';
import { annotationForcePatch, annotationRuntimeGeneration, isChanged, isPatchForced } from '../metadata.ts';
import { annotationExperimental } from '../rendering/extenders.ts';
import { cachesOfShoot } from '../rendering/extensions.ts';
import { assignedAuditLog, claimAuditLog, isAuditLogDue } from './audit-log.ts';
import { lookAtAllAgain } from './cluster/runtime-cluster.ts';
import { driftRefused, messages, updateFailed } from './messages.ts';
import {
  forgetCachesRefused,
  showCachesFailed,
  showCachesRefused,
  syncRegistryCacheSecrets,
} from './registry-caches.ts';
import {
  type End,
  end,
  failLater,
  failUnexpectedly,
  next,
  RenderingProblem,
  type RuntimeRun,
  remember,
  type StepOf,
} from './run.ts';
import {
  factsOf,
  failRendering,
  isAuthenticationConfigApplied,
  isAuthenticationConfigNoted,
  knownAuthenticationConfig,
  readShoot,
  rememberWritten,
  rendered,
  storeAuthenticationConfig,
  usesAuthenticationConfig,
  withAuthenticationConfig,
} from './shoot-of-runtime.ts';
import { conditionTypes, reasons } from './status.ts';

/** Safety net beside the watch of Shoots, in ms. */
const POLL_MS = 30_000;

/** Makes the Shoot as the Runtime says, by one PUT, if it differs. */
export async function patchExistingShoot(run: RuntimeRun): Promise<StepOf<'PatchExistingShoot'>> {
  try {
    if (run.shoot !== undefined && isChanged(run.object, run.shoot)) await showPending(run);
    return await updateShoot(run);
  } catch (error) {
    if (error instanceof RenderingProblem) {
      if (error.reason === reasons.conversionError) await showCachesFailed(run);
      return failRendering(run, error);
    }
    return afterRefusal(run, error);
  }
}

/** Readers take Ready for the end of a change, so it ends before the change is sent. Once for each generation: retries do not. */
async function showPending(run: RuntimeRun): Promise<void> {
  const { context, object } = run;
  const { generation } = object.metadata;
  if (object.status?.state === 'Pending' || context.memory.get()?.tried === generation) return;
  setPending(run, messages.pendingAfterPatch);
  await run.status.store();
  // Not before: the patch that follows a write which failed would be sent while the Runtime is Ready.
  remember(run, { ...(generation === undefined ? {} : { tried: generation }) });
}

const setPending = ({ status }: RuntimeRun, message: string): void =>
  status.pending({
    type: conditionTypes.provisioned,
    reason: reasons.processing,
    status: 'Unknown',
    message,
  });

async function updateShoot(run: RuntimeRun): Promise<StepOf<'PatchExistingShoot'>> {
  const { context, object } = run;
  await context.guard.acquireOwnership();
  await context.guard.beforeWrite();
  // The informer's version may be old, and leaves out fields.
  const live = await readShoot(run, run.shoot?.metadata.name ?? '');
  if (live === undefined) return end(requeue);
  await claimForPatch(run);
  const cacheSecrets = await syncRegistryCacheSecrets(run, live);
  const facts = { ...factsOf(run, live), ...(cacheSecrets === undefined ? {} : { cacheSecrets }) };
  const wanted = renderPatch(run, live, facts);
  const isRequested = isChanged(object, live) || isPatchForced(object) || isAuditLogDue(run);
  const onlyDrift = !isRequested && !isUpToDate(run, live);
  const isAuthenticationChanged =
    (!onlyDrift || usesAuthenticationConfig(live)) &&
    // A request that was refused, or a process that ended, may have left the ConfigMap new and the Shoot as it was.
    ((await storeAuthenticationConfig(run)) || !isAuthenticationConfigNoted(run, live));
  const cause = { isAuthenticationChanged, isRequested, onlyDrift };
  const written = await writeWithCaches(run, live, wanted, {
    write: (shoot) => writeDifference(run, live, shoot, cause),
    keepingCaches: () => renderPatch(run, live, { ...facts, keepsCaches: true }),
  });
  if (isPatchForced(object)) {
    await removeForce(run);
    // The cluster is checked as well.
    lookAtAllAgain(run);
  }
  // A change of before that Gardener has not observed is none that is done.
  const isPending = object.status?.state !== 'Ready' && !isObserved(written);
  if (written.metadata.generation === live.metadata.generation && !isPending) return withoutChanges(run);
  setPending(run, messages.pendingAfterPatch);
  await run.status.store({ isResult: true });
  return end(pollAfter(POLL_MS));
}

interface WriteOptions {
  readonly write: (shoot: Shoot) => Promise<Shoot>;
  /** As is wanted, but with the caches that the Shoot has. */
  readonly keepingCaches: () => Shoot;
}

/**
 * Writes the Shoot. Users of the runtime decide on its registry caches. What Gardener refuses of these, such as another size of a volume,
 * must not hold what the Runtime says: then the Shoot keeps its caches.
 */
async function writeWithCaches(
  run: RuntimeRun,
  live: Shoot,
  wanted: Shoot,
  { write, keepingCaches }: WriteOptions,
): Promise<Shoot> {
  try {
    const written = await write(wanted);
    forgetCachesRefused(run);
    return written;
  } catch (error) {
    const hasOthers = !jsonEqual(cachesOfShoot(live), cachesOfShoot(wanted));
    if (!run.settings.registryCaches || !hasOthers || !isLasting(gardenerRefusal(error))) throw error;
    const written = await write(keepingCaches());
    await showCachesRefused(run, { live, wanted, error });
    rememberCompared(run, written, true);
    return written;
  }
}

/** A Runtime that asks for an audit log of its own gets it with the patch. */
async function claimForPatch(run: RuntimeRun): Promise<void> {
  const before = assignedAuditLog(run);
  const claimed = await claimAuditLog(run);
  if (claimed === undefined || before !== undefined) return;
  const { auditLogConfigured: type } = conditionTypes;
  const reason = reasons.customAuditLogConfigured;
  run.status.pending({ type, reason, status: 'Unknown', message: messages.auditLogClaimed });
}

interface PatchCause {
  readonly isAuthenticationChanged: boolean;
  /** By a change of the Runtime or its AuditLog, or by an annotation. */
  readonly isRequested: boolean;
  /** The Shoot was rendered by former rules, and keeps what they have set. */
  readonly onlyDrift: boolean;
}

/** @returns the Shoot as it is stored */
async function writeDifference(
  run: RuntimeRun,
  live: Shoot,
  wanted: Shoot,
  { isAuthenticationChanged, isRequested, onlyDrift }: PatchCause,
): Promise<Shoot> {
  const { object, status } = run;
  const applied = readAppliedFields(live, live.metadata.annotations?.[annotationRuntimeGeneration]);
  const isDue = isRequested || isAuthenticationChanged;
  const isOfOthers = (path: readonly string[]) => otherOwnersOf(live, path).length > 0;
  const known = planUpdate(live, wanted, { applied, isOfOthers, onlyDrift });
  // Without a record it is not known what of a Shoot of former rules is drift.
  const isSame = known.differences.length === 0 || (onlyDrift && applied === undefined);
  if (!isDue && isSame) {
    rememberCompared(run, live);
    return live;
  }
  const record = applied ?? fieldsOfRenderers(live);
  const plan = applied === undefined ? planUpdate(live, wanted, { applied: record, isOfOthers }) : known;
  const recorded = (shoot: Shoot) => (onlyDrift ? withRecordOf(shoot, live) : withRecord(shoot, wanted));
  const send = ({ shoot }: ShootUpdate) => put(run, recorded(shoot), isAuthenticationChanged);
  try {
    const written = await send(plan);
    status.remove(conditionTypes.driftCorrected);
    return written;
  } catch (error) {
    const refusal = gardenerRefusal(error);
    // Without a record, all that differs from an unchanged Runtime is drift.
    const { differences } = applied === undefined && !isChanged(object, live) ? known : plan;
    const drift = differences.filter(({ isDrift }) => isDrift);
    if (!isLasting(refusal) || drift.length === 0) throw error;
    const isRest = isDue || drift.length < differences.length;
    const written = isRest
      ? await send(planUpdate(live, wanted, { applied: record, isOfOthers, leaveDrift: true, onlyDrift }))
      : live;
    showRefusedDrift(run, live, drift, error);
    rememberCompared(run, written, true);
    return written;
  }
}

/** Neither the version of another request is overwritten, nor a Shoot that was created anew. */
async function put(run: RuntimeRun, shoot: Shoot, isAuthenticationChanged: boolean): Promise<Shoot> {
  const { context, gardener } = run;
  const { metadata } = withAuthenticationConfig(run, shoot);
  const annotations = {
    ...metadata.annotations,
    // Gardener reads the ConfigMap when it reconciles the Shoot.
    ...(isAuthenticationChanged ? { [annotationOperation]: operationFor(shoot) } : {}),
  };
  const body = { ...shoot, metadata: { ...metadata, annotations, namespace: namespaceOf(gardener) } };
  context.guard.assertMayWrite();
  const written = await ask(() => gardener.client.update(shoots, body, context));
  rememberWritten(run, written);
  // What Gardener has stored in another form is not sent again and again.
  rememberCompared(run, written);
  return written;
}

const annotationOperation = 'gardener.cloud/operation';

/** What the owner of the Shoot asks for with it stays, if Gardener reconciles the Shoot for it anyway. One that has failed is only retried. */
function operationFor({ metadata, status }: Shoot): string {
  if (status?.lastOperation?.state === 'Failed') return 'retry';
  const asked = metadata.annotations?.[annotationOperation] ?? '';
  return /(?:^|;)\s*(?:rotate|rollout)-/.test(asked) ? asked : 'reconcile';
}

async function removeForce({ object, copy, context }: RuntimeRun): Promise<void> {
  delete object.metadata.annotations?.[annotationForcePatch];
  copy.markChanged();
  await copy.put(context.signal);
}

/** The Shoot was as the Runtime says, apart from annotations. */
async function withoutChanges(run: RuntimeRun): Promise<StepOf<'PatchExistingShoot'>> {
  const { status, shoot, object } = run;
  const { lastOperation } = shoot?.status ?? {};
  const isDone = lastOperation?.state === 'Succeeded';
  if (!isDone && lastOperation?.type === 'Create') return next('WaitForShootCreation');
  if (!isDone && object.status?.state !== 'Ready') return next('WaitForShootReconcile');
  const unchanged = {
    type: conditionTypes.provisioned,
    reason: reasons.processing,
    status: 'True',
    message: messages.patchedWithoutChanges,
  } as const;
  if (object.status?.state === 'Ready') status.keepState(unchanged);
  else status.pending(unchanged);
  await status.store({ isResult: true });
  return next('HandleKubeconfig');
}

async function afterRefusal(run: RuntimeRun, error: unknown): Promise<End> {
  const refusal = gardenerRefusal(error);
  switch (refusal) {
    case undefined:
      throw error;
    case 'transient':
      return failLater(run, 'reconcile', error);
    case 'conflict':
    case 'forbidden': {
      // Admission also answers 403 for invalid changes, so its text is shown.
      const message =
        refusal === 'conflict'
          ? messages.pendingAfterConflict
          : `${messages.pendingAfterForbidden}: ${messageOf(error)}`;
      setPending(run, message);
      await run.status.store();
      return end(requeue);
    }
    case 'refused':
      return failUnexpectedly(run, reasons.processingError, updateFailed(messageOf(error)));
    default:
      return refusal satisfies never;
  }
}

/**
 * A correction that was refused is sent again after this time, in ms, with the next check of the cluster at the latest: what refused it,
 * as a quota or a webhook, may be gone without a change of the Shoot.
 */
const TRY_AGAIN_MS = 1_800_000;

/**
 * Whether the Shoot differs from what would be rendered for it now. Costs no request, and is computed once for each version of what it
 * depends on. A Runtime that cannot be rendered has no drift: only its next change is refused.
 */
export function hasDrift(run: RuntimeRun): boolean {
  const { shoot, context } = run;
  if (shoot === undefined) return false;
  const { refusedAt, ...compared } = context.memory.get()?.compared ?? {};
  const isTriedAgain = refusedAt !== undefined && context.clock.monotonic() - refusedAt >= TRY_AGAIN_MS;
  if (!isTriedAgain && jsonEqual(compared, comparisonOf(run, shoot))) {
    if (refusedAt === undefined) run.status.remove(conditionTypes.driftCorrected);
    return false;
  }
  try {
    const applied = readAppliedFields(shoot, shoot.metadata.annotations?.[annotationRuntimeGeneration]);
    const onlyDrift = !isUpToDate(run, shoot);
    // What a former version rendered without a record is compared when its Runtime changes.
    const isKnown = applied !== undefined || !onlyDrift;
    const { differences } = isKnown
      ? planUpdate(shoot, renderPatch(run, shoot), { applied, onlyDrift })
      : { differences: [] };
    if (differences.length > 0 || !isAuthenticationConfigApplied(run, shoot)) return true;
    run.status.remove(conditionTypes.driftCorrected);
  } catch (error) {
    if (!(error instanceof RenderingProblem)) throw error;
    context.log.debug('cannot compare the Shoot', { why: error.message });
  }
  rememberCompared(run, shoot);
  return false;
}

/** The Shoot is as it should be, until something changes; or as much as Gardener lets it be, which is tried again. */
export const rememberCompared = (run: RuntimeRun, shoot: Shoot, isRefused = false): void => {
  const refused = isRefused ? { refusedAt: run.context.clock.monotonic() } : {};
  remember(run, { compared: { ...comparisonOf(run, shoot), ...refused } });
};

/**
 * Whether the Shoot was rendered by the rules of today, or may be changed to these without a change of its Runtime. Else only drift is
 * put right, so that an upgrade of this program changes no Shoot.
 */
const isUpToDate = (run: RuntimeRun, shoot: Shoot): boolean =>
  run.settings.upgradeShoots || isRenderedToday(shoot);

/** @throws RenderingProblem */
export const renderPatch = (run: RuntimeRun, live: Shoot, facts = factsOf(run, live)): Shoot =>
  rendered(run, (runtime) => run.rendering.patch(runtime, live, facts));

function comparisonOf(run: RuntimeRun, { metadata }: Shoot) {
  const { object, revisions } = run;
  const { uid = '', generation = 0, labels = {} } = metadata;
  const { [annotationExperimental]: policy } = object.metadata.annotations ?? {};
  return {
    ...{ uid, shoot: generation, runtime: object.metadata.generation ?? 0 },
    ...{ revision: revisions.rendering, accessControl: revisions.accessControl },
    authentication: knownAuthenticationConfig(run)?.metadata.resourceVersion ?? '',
    auditLog: JSON.stringify(assignedAuditLog(run)?.spec) ?? '',
    // They count no generation.
    metadata: JSON.stringify([object.metadata.labels, policy, labels.account, labels.subaccount]),
  };
}

/** Fields that a message names. */
const MAX_FIELDS = 5;

/**
 * Shows which fields others changed that Gardener does not let be set back, and who owns them. The Runtime keeps its state: nothing of
 * it has failed.
 */
function showRefusedDrift(run: RuntimeRun, live: Shoot, drift: readonly Difference[], error: unknown): void {
  const named = drift.slice(0, MAX_FIELDS).map(({ path }) => {
    const owners = otherOwnersOf(live, path);
    return `${path.join('.')}${owners.length === 0 ? '' : ` (owned by ${owners.join(', ')})`}`;
  });
  const more = drift.length > MAX_FIELDS ? [`${drift.length - MAX_FIELDS} more`] : [];
  run.status.keepState({
    type: conditionTypes.driftCorrected,
    reason: reasons.driftRefused,
    status: 'False',
    message: driftRefused(`${[...named, ...more].join(', ')}: ${messageOf(error)}`),
  });
}
