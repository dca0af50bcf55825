import { findCause } from '../../../base/errors/errors.ts';
import { ServiceManagerError } from '../../../clients/service-manager/index.ts';
import { isGone, type Look } from './absence.ts';
import { isMaker, unprovenAbsence } from './maker.ts';
import { type Run, writeOptions } from './run.ts';

/**
 * Whether Service Manager does not have the resource of an ID any more: the only function that says so, for deletions, adoptions and
 * observations.
 *
 * @param looks default: GET, then a list
 * @throws UnprovenAbsenceError, and errors of Service Manager
 */
export function isGoneInServiceManager(
  run: Run,
  id: string,
  looks: readonly [Look, ...Look[]] = run.external.looks(id),
): Promise<boolean> {
  const { record = {} } = run.external.made() ?? {};
  return isGone({
    looks,
    isUnclear,
    isMaker: () => isMaker(run, { id, record, look: looks[0] }),
    unproven: () => unprovenAbsence(run, id),
  });
}

/** A 404 or 410 that is not of Service Manager. */
const isUnclear = (error: unknown): boolean => findCause(error, ServiceManagerError)?.class === 'unclear';

/** What the deletion of a resource has led to. */
export type OwnDeletion =
  | { readonly state: 'gone' }
  | { readonly state: 'in-progress'; readonly operationURL: string };

/** Deletes the resource of an ID, unless Service Manager has it for another namespace: then it is no resource of the object. */
export async function deleteOwn(run: Run, id: string): Promise<OwnDeletion> {
  const { object, external, ownResources } = run;
  const { namespace } = object.metadata;
  try {
    if (!ownResources.isKnown(namespace, id) && (await external.looks(id)[0]()) === 'foreign')
      return { state: 'gone' };
    const deletion = await external.remove(id, writeOptions(run));
    if (deletion.state !== 'absent') return deletion;
    await isGoneInServiceManager(run, id, [async () => 'absent']);
  } catch (error) {
    if (!isUnclear(error) || !(await isGoneInServiceManager(run, id))) throw error;
  }
  return { state: 'gone' };
}
