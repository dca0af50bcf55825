import { findCause, messageOf } from '../../../framework/base/index.ts';

import { type Existence, isProvedAbsent } from '../../../framework/ownership/ownership.ts';
import { ServiceManagerError } from '../service-manager/index.ts';
import { nounOf } from '../status/messages.ts';
import type { Look } from './external-resource.ts';
import { isMaker, otherCredentials } from './maker.ts';
import { type Run, writeOptions } from './run.ts';

/**
 * Whether Service Manager does not have the resource of an ID any more: the only function that says so, for deletions, adoptions and
 * observations. Credentials that did not make it do not see it, though it exists.
 *
 * @param first what another call has said; default: that of a GET
 * @throws UnprovenAbsenceError, OtherCredentialsError, and errors of Service Manager
 */
export async function isGoneInServiceManager(run: Run, id: string, first?: Existence): Promise<boolean> {
  const [read, list] = run.external.looks(id);
  const seen = first ?? (await existenceBy(read));
  if (seen.state === 'foreign') return true;
  // After another call, the resource is read first.
  const secondLook = async (): Promise<Existence> => {
    const again = first === undefined ? seen : await existenceBy(read);
    const second = again.state === 'unclear' ? await existenceBy(list) : again;
    return second.state === 'foreign' ? { state: 'absent' } : second;
  };
  const resource = `${nounOf(run.object.kind)} ${id} of Service Manager`;
  if (!(await isProvedAbsent(resource, seen, secondLook))) return false;
  const { record = {} } = run.external.made() ?? {};
  if (await isMaker(run, { id, record, look: read })) return true;
  throw otherCredentials(run, id);
}

async function existenceBy(look: Look): Promise<Existence | { readonly state: 'foreign' }> {
  try {
    return { state: await look() };
  } catch (error) {
    if (!isUnclear(error)) throw error;
    return { state: 'unclear', response: messageOf(error) };
  }
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
    await isGoneInServiceManager(run, id, { state: 'absent' });
  } catch (error) {
    if (!isUnclear(error)) throw error;
    const answer = { state: 'unclear', response: messageOf(error) } as const;
    if (!(await isGoneInServiceManager(run, id, answer))) throw error;
  }
  return { state: 'gone' };
}
