import { ProviderError } from '../../../../../framework/base/index.ts';

/** A request that ends with this status. The message is shown to the client, and has no credential. */
export class ApiError extends ProviderError {
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super('terminal', message, options);
    this.status = status;
  }
}

export const badRequest = (message: string): ApiError => new ApiError(400, message);
