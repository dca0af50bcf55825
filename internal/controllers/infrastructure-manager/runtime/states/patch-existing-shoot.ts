import { type Shoot, shoots } from '../../../../../apis/gardener/kinds.ts';
import { messageOf } from '../../../../base/errors/errors.ts';
import { cloneJson } from '../../../../base/json/clone-json.ts';
import { pollAfter, requeue } from '../../../../controller/index.ts';
import { namespaceOf } from '../../gardener/gardener.ts';
import { ask, gardenerRefusal } from '../../gardener/refusal.ts';
import { workersDiffer } from '../../gardener/workers-differ.ts';
import { annotationForcePatch, FIELD_MANAGER, isPatchForced } from '../metadata.ts';
import type { RuntimeRun } from '../run.ts';
import { messages, patchFailed, updateFailed } from '../status/messages.ts';
import { conditionTypes, reasons } from '../status/reasons.ts';
import { end, next, type Step } from '../step.ts';
import { fail, failLater } from './fail.ts';
import { auditDataOf, RenderingProblem, rendered, storeAuthenticationConfig } from './prepare-rendering.ts';
import { readShoot, rememberWritten } from './take-snapshot.ts';

/** Safety net beside the watch of Shoots, in ms. */
const POLL_MS = 30_000;

/** Makes the Shoot as the Runtime says. */
export async function patchExistingShoot(run: RuntimeRun): Promise<Step> {
  const attempt = { describe: patchFailed };
  try {
    return await patch(run, attempt);
  } catch (error) {
    if (error instanceof RenderingProblem) return fail(run, error.reason, error.message);
    return afterRefusal(run, error, attempt.describe);
  }
}

/** Which write was tried last, for the text of an error. */
interface Attempt {
  describe: (cause: string) => string;
}

async function patch(run: RuntimeRun, attempt: Attempt): Promise<Step> {
  const { context, rendering, registryCaches, gardener, status, copy, object } = run;
  const name = run.shoot?.metadata.name ?? '';
  await context.guard.acquireOwnership();
  await context.guard.beforeWrite();
  const audit = auditDataOf(run);
  // The informer's version may be old, and leaves out fields.
  const live = await readShoot(run, name);
  if (live === undefined) return end(requeue);
  const caches = registryCaches.get(context.key);
  const wanted = rendered(run, (runtime) => rendering.patch(runtime, live, audit, caches));
  await storeAuthenticationConfig(run);
  attempt.describe = updateFailed;
  await replaceWhatApplyKeeps(run, live, wanted);
  attempt.describe = patchFailed;
  context.guard.assertMayWrite();
  const options = { ...context, fieldManager: FIELD_MANAGER, force: true };
  const patched = await ask(() => gardener.client.apply(shoots, identified(wanted, live), options));
  rememberWritten(run, patched);
  if (isPatchForced(object)) {
    delete object.metadata.annotations?.[annotationForcePatch];
    copy.markChanged();
    await copy.put(context.signal);
  }
  if (patched.metadata.generation === live.metadata.generation) return withoutChanges(run);
  status.pending({
    type: conditionTypes.provisioned,
    reason: reasons.processing,
    status: 'Unknown',
    message: messages.pendingAfterPatch,
  });
  await status.store({ isResult: true });
  return end(pollAfter(POLL_MS));
}

/** An apply must not create the Shoot anew if it was deleted meanwhile. */
const identified = (wanted: Shoot, { metadata: { uid } }: Shoot): Shoot => ({
  ...wanted,
  metadata: { ...wanted.metadata, ...(uid === undefined ? {} : { uid }) },
});

/**
 * Server-side apply neither removes nor sorts worker pools, and does not remove fields of other managers. So pools that differ are
 * replaced by an update, together with the configuration of the provider, and so is a legacy OIDC configuration.
 */
async function replaceWhatApplyKeeps(run: RuntimeRun, live: Shoot, wanted: Shoot): Promise<void> {
  const { gardener, context, settings } = run;
  const update = cloneJson(live);
  const { spec } = update;
  if (spec === undefined) return;
  let isNeeded = false;
  const server = spec.kubernetes.kubeAPIServer;
  if (settings.structuredAuth && server?.oidcConfig?.issuerURL && server.oidcConfig.clientID) {
    const { oidcConfig: _, ...rest } = server;
    const { structuredAuthentication } = wanted.spec?.kubernetes.kubeAPIServer ?? {};
    spec.kubernetes.kubeAPIServer = {
      ...rest,
      ...(structuredAuthentication === undefined ? {} : { structuredAuthentication }),
    };
    isNeeded = true;
  }
  if (workersDiffer(live, wanted) && wanted.spec !== undefined) {
    const { workers, infrastructureConfig, controlPlaneConfig } = wanted.spec.provider;
    spec.provider = {
      ...spec.provider,
      ...(workers === undefined ? {} : { workers }),
      ...(infrastructureConfig === undefined ? {} : { infrastructureConfig }),
      ...(controlPlaneConfig === undefined ? {} : { controlPlaneConfig }),
    };
    isNeeded = true;
  }
  if (!isNeeded) return;
  const { managedFields: _, ...metadata } = update.metadata;
  context.guard.assertMayWrite();
  const body = { ...update, metadata: { ...metadata, namespace: namespaceOf(gardener) } };
  await ask(() => gardener.client.update(shoots, body, context));
}

/** The Shoot was as the Runtime says, apart from annotations. */
async function withoutChanges(run: RuntimeRun): Promise<Step> {
  const { status, shoot, object } = run;
  const { lastOperation, observedGeneration = 0 } = shoot?.status ?? {};
  const isDone =
    lastOperation?.state === 'Succeeded' && observedGeneration >= (shoot?.metadata.generation ?? 0);
  if (!isDone && lastOperation?.type === 'Create') return next('WaitForShootCreation');
  if (!isDone) return next('WaitForShootReconcile');
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

async function afterRefusal(run: RuntimeRun, error: unknown, describe: Attempt['describe']): Promise<Step> {
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
      const { provisioned: type } = conditionTypes;
      run.status.pending({ type, reason: reasons.processing, status: 'Unknown', message });
      await run.status.store();
      return end(requeue);
    }
    case 'refused':
      return fail(run, reasons.processingError, describe(messageOf(error)));
    default:
      return refusal satisfies never;
  }
}
