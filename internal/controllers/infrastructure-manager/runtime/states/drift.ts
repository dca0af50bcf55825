import { jsonEqual } from '../../../../base/json/json-equal.ts';
import { covers } from '../../gardener/covers.ts';
import { workersDiffer } from '../../gardener/workers-differ.ts';
import { type RuntimeRun, remember } from '../run.ts';
import { auditDataOf, RenderingProblem, rendered } from './prepare-rendering.ts';

/**
 * Whether the Shoot differs from what would be rendered for it now. Costs no request, and is computed once for each generation of
 * the Shoot and of the Runtime, for each configuration, and for each change of its registry caches. A Runtime that cannot be rendered has no drift: only its next change is refused.
 */
export function hasDrift(run: RuntimeRun): boolean {
  const { shoot, object, context, rendering, registryCaches } = run;
  if (shoot === undefined) return false;
  const { uid = '', generation = 0 } = shoot.metadata;
  const runtime = object.metadata.generation ?? 0;
  const version = {
    ...{ uid, shoot: generation, runtime },
    ...{ revision: rendering.revision(), caches: registryCaches.revision(context.key) },
  };
  if (jsonEqual(context.memory.get()?.compared, version)) return false;
  try {
    const audit = auditDataOf(run);
    const wanted = rendered(run, (copy) =>
      rendering.patch(copy, shoot, audit, registryCaches.get(context.key)),
    );
    if (!covers(shoot.spec, wanted.spec) || workersDiffer(shoot, wanted)) return true;
  } catch (error) {
    if (!(error instanceof RenderingProblem)) throw error;
    context.log.debug('cannot compare the Shoot', { why: error.message });
  }
  remember(run, { compared: version });
  return false;
}
