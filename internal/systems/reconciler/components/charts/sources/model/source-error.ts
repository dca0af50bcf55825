import { type ErrorKind, ProviderError } from '../../../../../../framework/base/index.ts';

/**
 * A source cannot be used, or its content is refused: `not-found` (no such revision, repository or file), `auth` (refused
 * credentials), `transient` (network), `terminal` (content that stays refused until the source changes).
 */
export class SourceError extends ProviderError {
  constructor(kind: ErrorKind, message: string, options?: ErrorOptions) {
    super(kind, message, options);
  }
}

/** The content of a source is refused: a retry gives the same. */
export const refused = (message: string): SourceError => new SourceError('terminal', message);
