import { InvalidConfigurationError, messageOf } from '../../base/errors/errors.ts';
import type { Values } from '../../components/charts/rendering/values.ts';
import { parseSetValues } from '../../helm/index.ts';

/** The values of `--value`, as `helm --set` reads them; later ones win. @throws InvalidConfigurationError */
export function setValues(assignments: readonly string[]): Values {
  try {
    return parseSetValues(assignments);
  } catch (cause) {
    throw new InvalidConfigurationError(`cannot use --value: ${messageOf(cause)}`, { cause });
  }
}
