import type { Shoot } from '../../../../../apis/gardener/kinds.ts';
import { jsonEqual } from '../../../../framework/base/json/json-equal.ts';
import { isRenderedToday, readAppliedFields } from '../../gardener/applied-fields.ts';
import { planUpdate } from '../../gardener/plan-update.ts';
import { annotationRuntimeGeneration } from '../../shoot-metadata.ts';
import { assignedAuditLog } from '../audit-log/audit-logs.ts';
import { RenderingProblem } from '../rendering-problem.ts';
import { type RuntimeRun, remember } from '../run.ts';
import { conditionTypes } from '../status/reasons.ts';
import { isAuthenticationConfigApplied, knownAuthenticationConfig } from './authentication-config.ts';
import { factsOf, rendered } from './prepare-rendering.ts';

/**
 * Whether the Shoot differs from what would be rendered for it now. Costs no request, and is computed once for each version of what it
 * depends on. A Runtime that cannot be rendered has no drift: only its next change is refused.
 */
export function hasDrift(run: RuntimeRun): boolean {
  const { shoot, context } = run;
  if (shoot === undefined) return false;
  const { isRefused, ...compared } = context.memory.get()?.compared ?? {};
  if (jsonEqual(compared, versionOf(run, shoot))) {
    if (isRefused !== true) run.status.remove(conditionTypes.driftCorrected);
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

/** The Shoot is as it should be, or as much as Gardener lets it be, until something changes. */
export const rememberCompared = (run: RuntimeRun, shoot: Shoot, isRefused = false): void =>
  remember(run, { compared: { ...versionOf(run, shoot), isRefused } });

/**
 * Whether the Shoot was rendered by the rules of today, or may be changed to these without a change of its Runtime. Else only drift is
 * put right, so that an upgrade of this program changes no Shoot.
 */
export const isUpToDate = (run: RuntimeRun, shoot: Shoot): boolean =>
  run.settings.upgradeShoots || isRenderedToday(shoot);

/** @throws RenderingProblem */
export const renderPatch = (run: RuntimeRun, live: Shoot, facts = factsOf(run, live)): Shoot =>
  rendered(run, (runtime) => run.rendering.patch(runtime, live, facts));

function versionOf(run: RuntimeRun, { metadata }: Shoot) {
  const { object, rendering, accessControlRevision } = run;
  const { uid = '', generation = 0, labels = {} } = metadata;
  return {
    ...{ uid, shoot: generation, runtime: object.metadata.generation ?? 0 },
    ...{ revision: rendering.revision(), accessControl: accessControlRevision() },
    authentication: knownAuthenticationConfig(run)?.metadata.resourceVersion ?? '',
    auditLog: JSON.stringify(assignedAuditLog(run)?.spec) ?? '',
    // They count no generation.
    labels: JSON.stringify([object.metadata.labels, labels.account, labels.subaccount]),
  };
}
