import { ProviderError, type ProviderErrorOptions } from '../../../framework/base/index.ts';

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
 * others than the reader; `details` does, and the message of `forReaderOf` in the namespace of the Secret.
 */
export class InvalidCredentialsError extends ProviderError {
  /** For administrators: the Secret and what is wrong with it. Never quotes a value. */
  readonly details: string;
  readonly secret: SecretKey | undefined;

  constructor(
    details: string,
    options?: ProviderErrorOptions & { readonly secret?: SecretKey; readonly message?: string },
  ) {
    super('auth', options?.message ?? INVALID_CREDENTIALS, options);
    this.details = details;
    this.secret = options?.secret;
  }

  /** The error for who reads objects of a namespace: names the Secret and its key if these are there. */
  forReaderOf(namespace: string): InvalidCredentialsError {
    const { details, secret } = this;
    if (secret?.namespace !== namespace) return this;
    const message = `invalid Service-Manager credentials: ${details}`;
    return new InvalidCredentialsError(details, { cause: this.cause, secret, message });
  }
}

const INVALID_CREDENTIALS = 'invalid Service-Manager credentials, contact your cluster administrator';
