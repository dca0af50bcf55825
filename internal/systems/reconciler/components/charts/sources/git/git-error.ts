import { messageOf, ProviderError } from '../../../../../../framework/base/errors/errors.ts';
import { valueAt } from '../../../../../../framework/base/json/json-field.ts';
import { refused, SourceError } from '../model/source-error.ts';

/**
 * The error for one of isomorphic-git. Its messages may quote what a server sent, so they are replaced.
 *
 * @param url without credentials
 */
export function gitErrorOf(error: unknown, url: string): Error {
  if (error instanceof ProviderError) return error;
  const code = valueAt(error, ['code']);
  switch (code) {
    case 'SmartHttpError':
    case 'ParseError':
      return refused(`${url} is not a Git repository that is served by the smart HTTP protocol`);
    default:
      return new SourceError(
        'transient',
        `cannot read the answer of ${url}: ${typeof code === 'string' ? code : messageOf(error)}`,
      );
  }
}
