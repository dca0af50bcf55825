import { cloneJson } from '../../base/json/clone-json.ts';
import type { ExternalClient, Observation } from '../kind/external-client.ts';
import type { Managed } from '../resource/managed.ts';
import { recordedExternalName } from '../resource/meta.ts';
import type { Reconciliation } from './reconciliation.ts';

/** The observation, and the late-initialized spec if there is one. */
export interface Observed<R extends Managed> {
  readonly observation: Observation;
  readonly lateInitializedSpec?: R['spec'];
}

/**
 * Calls Observe. Its changes of the status stay on the resource. Its changes of the spec are returned separately,
 * because the policies decide whether they are stored. Its annotations are stored with the next write of the object.
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

/** The external name of the observation, if it differs from the recorded one. */
export function newExternalName(resource: Managed, observation: Observation): string | undefined {
  if (observation.state === 'pending') return undefined;
  const { externalName } = observation;
  return externalName === recordedExternalName(resource) ? undefined : externalName;
}
