/** Messages for users about claims. */
import type { IncompleteList } from './claim-lists.ts';

/**
 * @param thing what is claimed: `the folder "42"`
 * @param holder `Folder shop`
 */
export function contestedClaim(thing: string, holder: string, remedy: string): string {
  return `${thing} is owned by ${holder}: ${remedy}`;
}

/**
 * @param doing `delete the folder "42"`
 * @param noun `folder`
 */
export function claimsIncomplete(doing: string, noun: string, { resource, problem }: IncompleteList): string {
  const cause = problem === undefined ? '' : ` (${problem})`;
  return `cannot ${doing}: the list of ${resource} is not complete${cause}, and an older resource for the same ${noun} may be among them; it goes on as soon as they are listed`;
}

/**
 * @param rival an older resource with a recorded claim: `Folder shop`
 * @param api that has not answered
 */
export function claimUnconfirmed(doing: string, rival: string, api: string): string {
  return `cannot ${doing}: ${rival} is older and on record with it, and since the provider started ${api} has not yet answered its credentials; it goes on when that is decided, within two minutes`;
}
