import { kindOf, messageOf, ProviderError } from '../../../../base/errors/errors.ts';
import { cloneJson } from '../../../../base/json/clone-json.ts';
import { jsonEqual } from '../../../../base/json/json-equal.ts';
import { configMaps, isNotFound } from '../../../../kube/index.ts';
import { ask, gardenerRefusal } from '../../gardener/refusal.ts';
import type { AuditData } from '../rendering.ts';
import type { RuntimeRun } from '../run.ts';
import { conversionFailed, messages } from '../status/messages.ts';
import { type Reason, reasons } from '../status/reasons.ts';

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

/**
 * Creates the ConfigMap with the authentication configuration of the Shoot, or makes it as rendered, if the flag is on.
 *
 * @throws RenderingProblem if Gardener refuses it
 */
export async function storeAuthenticationConfig(run: RuntimeRun): Promise<void> {
  const { rendering, settings, gardener, context } = run;
  if (!settings.structuredAuth) return;
  const wanted = rendered(run, (runtime) => rendering.authenticationConfig(runtime));
  const { name, namespace = '' } = wanted.metadata;
  const { client } = gardener;
  try {
    const found = await ask(() => client.get(configMaps, { namespace, name }, context)).catch(
      undefinedIfMissing,
    );
    if (found !== undefined && jsonEqual(found.data, wanted.data)) return;
    context.guard.assertMayWrite();
    const { data = {} } = wanted;
    await ask<unknown>(() =>
      found === undefined
        ? client.create(configMaps, wanted, context)
        : client.update(configMaps, { ...found, data }, context),
    );
  } catch (cause) {
    const refusal = gardenerRefusal(cause);
    if (refusal !== 'refused' && refusal !== 'forbidden') throw cause;
    throw new RenderingProblem(reasons.oidcConfigurationError, messages.authenticationConfigFailed, {
      cause,
    });
  }
}

const undefinedIfMissing = (error: unknown): undefined => {
  if (!isNotFound(error)) throw error;
};
