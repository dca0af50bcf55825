import { ProviderError, type ProviderErrorOptions } from '../../../base/errors/errors.ts';
import type { SecretKey } from './secret-names.ts';

/** No Secret with credentials for Service Manager was found. */
export class MissingCredentialsError extends ProviderError {
  /** A Secret that provides credentials once it is created, also while the namespace of the object is being deleted. */
  readonly proposed: SecretKey;

  constructor(message: string, proposed: SecretKey) {
    super('not-found', message);
    this.proposed = proposed;
  }
}

/**
 * The Secret has no valid credentials for Service Manager. The message does not name the Secret, which may belong to
 * others than the reader; `details` does.
 */
export class InvalidCredentialsError extends ProviderError {
  /** For administrators: the Secret and what is wrong with it. Never quotes a value. */
  readonly details: string;
  readonly secret: SecretKey | undefined;

  constructor(details: string, options?: ProviderErrorOptions & { readonly secret?: SecretKey }) {
    super('auth', INVALID_CREDENTIALS, options);
    this.details = details;
    this.secret = options?.secret;
  }
}

const INVALID_CREDENTIALS = 'invalid Service-Manager credentials, contact your cluster administrator';
