import { ProviderError } from '../../../../framework/base/errors/errors.ts';
import { cutText } from '../../../../framework/base/text/text.ts';
import { visible } from '../../../../framework/base/text/visible.ts';

/** A field from which no Shoot can be made. It does not pass until the field changes. */
export class RenderingError extends ProviderError {
  /** @param field its path, such as `spec.shoot.networking.nodes`, and of which object unless of the Runtime */
  constructor(field: string, problem: string) {
    super('terminal', `${field}: ${problem}`);
  }
}

const MAX_QUOTED = 64;

/** A value of a tenant as part of a message. */
export const quoted = (value: string): string => `"${visible(cutText(value, MAX_QUOTED))}"`;
