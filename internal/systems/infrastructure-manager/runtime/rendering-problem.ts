import { ProviderError } from '../../../framework/base/errors/errors.ts';
import type { Reason } from './status/reasons.ts';

/** Why no Shoot can be rendered. The Runtime is Failed until it, or the configuration, changes. */
export class RenderingProblem extends ProviderError {
  readonly reason: Reason;

  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super('terminal', message, options);
    this.reason = reason;
  }
}
