/**
 * With which credentials an existing resource is reconciled: those that made it. A Secret that is created later may come first in the order
 * and be of another subaccount, which has no such resource.
 */
import { ProviderError } from '../../../framework/base/index.ts';

import { nounOf } from '../status/messages.ts';
import type { MadeResource } from './external-resource.ts';
import type { Run, UnconnectedRun } from './run.ts';

/** Service Manager does not show the resource to credentials of which nothing shows that they made it. */
export class OtherCredentialsError extends ProviderError {}

export function otherCredentials(
  { object: { kind, status } }: UnconnectedRun,
  id: string,
): OtherCredentialsError {
  const origin = status?.subaccountID
    ? `of subaccount ${status.subaccountID}, in which it was`
    : 'with which it was';
  return new OtherCredentialsError(
    'auth',
    `the ${nounOf(kind)} ${id} is not visible to the present credentials of Service Manager, and they are not known to be those ${origin} created`,
  );
}

/** Without a request. */
const isKnownMaker = ({ client: { viewer }, ownResources }: Run, { id, record }: MadeResource): boolean =>
  id !== '' && (record.viewer === viewer || ownResources.wasSeenBy(viewer, id));

/** Whether the credentials of the reconcile made the resource, or have seen it, or are of its subaccount. */
export async function isMaker(run: Run, made: MadeResource): Promise<boolean> {
  const { viewer, subaccountID } = made.record;
  // Without a record, `chooseMaker` has asked with all credentials that there are.
  if (isKnownMaker(run, made) || (!viewer && !subaccountID)) return true;
  return isOfSubaccount(run, subaccountID);
}

async function isOfSubaccount(run: Run, subaccountID: string | undefined): Promise<boolean> {
  const { client, ownResources, settings, context } = run;
  const { viewer } = client;
  if (!subaccountID) return false;
  if (ownResources.subaccountOf(viewer) === undefined)
    await client.eachInstance(
      settings.clusterID,
      (items) => {
        for (const item of items) ownResources.note(viewer, item);
      },
      context,
    );
  return ownResources.subaccountOf(viewer) === subaccountID;
}

/**
 * The reconcile with the credentials that made its resource, as far as they can be found; else the one with those that come first. Costs
 * requests only if there are several Secrets, and it is not recorded with which of them it was made.
 *
 * @param first with the credentials that come first; closed if others are chosen
 * @param others connects with the other Secrets
 * @param made what the run of one client is about; undefined: nothing that exists
 */
export async function chooseMaker<R extends Run>(
  first: R,
  others: () => AsyncIterable<R>,
  made: (run: R) => MadeResource | undefined,
): Promise<R> {
  const subject = made(first);
  if (subject === undefined || isKnownMaker(first, subject)) return first;
  const runs = [first];
  // None after a failure.
  let chosen: R | undefined;
  try {
    for await (const run of others()) runs.push(run);
    const maker = runs.length > 1 ? await makerAmong(runs, made) : undefined;
    chosen = maker ?? first;
    return chosen;
  } finally {
    await Promise.all(runs.filter((run) => run !== chosen).map(({ client }) => client.close()));
  }
}

async function makerAmong<R extends Run>(
  runs: readonly R[],
  made: (run: R) => MadeResource | undefined,
): Promise<R | undefined> {
  const subjects = runs.flatMap((run) => {
    const subject = made(run);
    return subject === undefined ? [] : [{ run, subject }];
  });
  const known = subjects.find(({ run, subject }) => isKnownMaker(run, subject));
  if (known !== undefined) return known.run;
  for (const { run, subject } of subjects) if ((await subject.look()) === 'present') return run;
  for (const { run, subject } of subjects)
    if (await isOfSubaccount(run, subject.record.subaccountID)) return run;
  return undefined;
}
