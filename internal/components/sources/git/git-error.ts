import { Errors } from 'isomorphic-git';
import { messageOf, ProviderError } from '../../../base/errors/errors.ts';
import { refused, SourceError } from '../model/source-error.ts';

/**
 * The error for one of isomorphic-git. Its messages may quote what a server sent, so they are replaced.
 *
 * @param url without credentials
 */
export function gitErrorOf(error: unknown, url: string): Error {
  if (error instanceof ProviderError) return error;
  if (error instanceof Errors.SmartHttpError || error instanceof Errors.ParseError) {
    return refused(`${url} is not a Git repository that is served by the smart HTTP protocol`);
  }
  if (error instanceof Errors.NotFoundError) {
    return new SourceError('not-found', `${url} did not send the revision`);
  }
  if (error instanceof Errors.RemoteCapabilityError)
    return refused(`${url} cannot send a revision without its history`);
  return new SourceError('transient', `cannot read the answer of ${url}: ${messageOf(error)}`);
}
