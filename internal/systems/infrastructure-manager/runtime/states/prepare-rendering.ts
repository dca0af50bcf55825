import type { Shoot } from '../../../../../apis/gardener/kinds.ts';
import { kindOf, messageOf } from '../../../../framework/base/errors/errors.ts';
import { cloneJson } from '../../../../framework/base/json/clone-json.ts';
import { valueAt } from '../../../../framework/base/json/json-field.ts';
import { REGISTRY_CACHE } from '../../rendering/extensions/registry-cache.ts';
import { cachesOf } from '../../rendering/model/registry-caches.ts';
import { assignedAuditLog, auditDataOfAuditLog } from '../audit-log/audit-logs.ts';
import type { AuditData, RenderingFacts } from '../rendering.ts';
import { RenderingProblem } from '../rendering-problem.ts';
import type { RuntimeRun } from '../run.ts';
import { conversionFailed, messages } from '../status/messages.ts';
import { reasons } from '../status/reasons.ts';
import type { Step } from '../step.ts';
import { failUnexpectedly } from './fail.ts';

/** Where audit logs of the Runtime go: to its own AuditLog, or to the tenant that the configuration has. @throws RenderingProblem */
function auditDataOf(run: RuntimeRun): AuditData | undefined {
  const own = assignedAuditLog(run);
  if (own !== undefined) return auditDataOfAuditLog(own);
  const { object, rendering, settings, context } = run;
  const audit = rendering.auditData(object);
  if ('data' in audit) return audit.data;
  if (settings.auditLogMandatory)
    throw new RenderingProblem(reasons.auditLogError, messages.auditLogFailed, {
      cause: new Error(audit.missing),
    });
  context.log.info('no audit logs', { why: audit.missing });
  return undefined;
}

/** What a Shoot is rendered from beside the Runtime and the configuration. Costs no request. @throws RenderingProblem */
export function factsOf(run: RuntimeRun, live?: Shoot): RenderingFacts {
  return {
    audit: auditDataOf(run),
    accessControl: rendered(run, (runtime) => run.accessControl(runtime)),
    cacheSecrets: live === undefined ? undefined : cacheSecretsOf(run.object, live),
  };
}

/** The Secrets that the Shoot names for registry caches, by the uid of the cache. Two of one Shoot have different upstreams. */
function cacheSecretsOf({ spec }: RuntimeRun['object'], live: Shoot): ReadonlyMap<string, string> {
  const found = live.spec?.extensions?.find(({ type }) => type === REGISTRY_CACHE)?.providerConfig;
  const caches = valueAt(found, ['caches']);
  const named = (Array.isArray(caches) ? caches : []).flatMap((cache) => {
    const name = valueAt(cache, ['secretReferenceName']);
    return typeof name === 'string' ? [[valueAt(cache, ['upstream']), name] as const] : [];
  });
  const byUpstream = new Map<unknown, string>(named);
  const own = spec === undefined ? [] : cachesOf({ spec });
  return new Map(
    own.flatMap(({ uid, config }) => {
      const name = byUpstream.get(config.upstream);
      return name === undefined ? [] : [[uid, name] as const];
    }),
  );
}

/** Renders with a copy of the Runtime, which therefore cannot be changed. @throws RenderingProblem */
export function rendered<T>(run: RuntimeRun, render: (runtime: RuntimeRun['object']) => T): T {
  try {
    return render(cloneJson(run.object));
  } catch (cause) {
    if (kindOf(cause) === 'bug') throw cause;
    throw new RenderingProblem(reasons.conversionError, conversionFailed(messageOf(cause)), { cause });
  }
}

/** Shows why no Shoot can be rendered. */
export const failRendering = (run: RuntimeRun, { reason, message }: RenderingProblem): Promise<Step> =>
  failUnexpectedly(run, reason, message);
