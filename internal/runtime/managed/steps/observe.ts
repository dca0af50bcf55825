import { cloneJson } from '../../../base/json/clone-json.ts';
import type { Managed } from '../../resource/managed.ts';
import { externalNameFrom } from '../../resource/meta.ts';
import type { ExternalClient, Observation } from '../kind/external-client.ts';
import type { Reconciliation } from './reconciliation.ts';

/** What Observe found, and the spec with the values it filled in, where it filled in any. */
export interface Observed<R extends Managed> {
  readonly observation: Observation;
  readonly lateInitializedSpec?: R['spec'];
}

/**
 * Observes the other side. The status that Observe sets stays on the resource; its changes to the spec are set
 * aside, since whether they may be stored is for the policies to say, and other writes come first. Annotations that
 * it sets go with the next write of the object, which they are reason enough for.
 */
export async function observe<R extends Managed>(
  reconciliation: Reconciliation<R>,
  client: ExternalClient<R>,
): Promise<Observed<R>> {
  const { object } = reconciliation.copy;
  const spec = cloneJson(object.spec);
  const observation = await reconciliation.calls.read('observe', (ctx) => client.observe(object, ctx));
  const filled: R['spec'] = object.spec;
  object.spec = spec;
  if (Object.keys(reconciliation.copy.changedAnnotations()).length > 0) reconciliation.copy.markChanged();
  const late = observation.state === 'present' && observation.lateInitialized === true;
  return late ? { observation, lateInitializedSpec: filled } : { observation };
}

/** The name by which the other side knows what was observed, or will know what Create makes, if it is news. */
export function newExternalName(resource: Managed, observation: Observation): string | undefined {
  if (observation.state === 'pending') return undefined;
  const { externalName } = observation;
  return externalName === externalNameFrom(resource) ? undefined : externalName;
}
