import { type ErrorKind, ProviderError } from '../../../../framework/base/index.ts';

/**
 * The Secret of a binding cannot be made from its credentials and its spec. A retry cannot succeed before one of them
 * changes. The message quotes no credential.
 */
export class SecretContentError extends ProviderError {
  /** @param kind `transient` if a retry can succeed */
  constructor(message: string, kind: ErrorKind = 'terminal') {
    super(kind, message);
  }
}

/** The name of the Secret is used by another object. The user chooses another name, or deletes that Secret. */
export class SecretNameError extends ProviderError {
  /** Of the Secret that has the name. */
  readonly resourceVersion: string | undefined;

  constructor(message: string, resourceVersion: string | undefined) {
    super('contested', message);
    this.resourceVersion = resourceVersion;
  }
}

export const nameTakenText = (secret: string): string =>
  `the specified secret name '${secret}' is already taken. Choose another name and try again`;

export const otherBindingText = (secret: string, binding: string): string =>
  `secret ${secret} belongs to another binding ${binding}, choose a different name`;

/** Begins the message of all formats but a template. */
export const createFailedText = (cause: string): string => `failed to create secret. Error: ${cause}`;

/** Begins the message of a template that does not make a Secret. */
export const invalidTemplateText = (cause: string): string =>
  `failed to create secret from template: the Secret template is invalid: ${cause}`;
