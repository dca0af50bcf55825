import { ProviderError } from '../../framework/base/errors/errors.ts';

/** Helm refuses the chart or its values. The message is the one of Helm, with file and line where it has them. */
export class HelmError extends ProviderError {
  constructor(message: string, options?: ErrorOptions) {
    super('terminal', message, options);
  }
}
