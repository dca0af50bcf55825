import { kindOf, messageOf, ProviderError } from '../../../../base/errors/errors.ts';
import { cloneJson } from '../../../../base/json/clone-json.ts';
import type { AuditData } from '../rendering.ts';
import type { RuntimeRun } from '../run.ts';
import { conversionFailed, messages } from '../status/messages.ts';
import { type Reason, reasons } from '../status/reasons.ts';
import type { Step } from '../step.ts';
import { failUnexpectedly } from './fail.ts';

/** Why no Shoot can be rendered. The Runtime is Failed until it, or the configuration, changes. */
export class RenderingProblem extends ProviderError {
  readonly reason: Reason;

  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super('terminal', message, options);
    this.reason = reason;
  }
}

/** What the configuration has for audit logs of the Runtime. @throws RenderingProblem */
export function auditDataOf({ object, rendering, settings, context }: RuntimeRun): AuditData | undefined {
  const audit = rendering.auditData(object);
  if ('data' in audit) return audit.data;
  if (settings.auditLogMandatory)
    throw new RenderingProblem(reasons.auditLogError, messages.auditLogFailed, {
      cause: new Error(audit.missing),
    });
  context.log.info('no audit logs', { why: audit.missing });
  return undefined;
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
