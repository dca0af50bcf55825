import { InvalidConfigurationError, messageOf } from '../../../../framework/base/errors/errors.ts';
import { parseSetValues } from '../../../../templates/helm/index.ts';
import type { Values } from '../../components/charts/rendering/values.ts';

/** The values of `--value`, as `helm --set` reads them; later ones win. @throws InvalidConfigurationError */
export function setValues(assignments: readonly string[]): Values {
  try {
    return parseSetValues(assignments);
  } catch (cause) {
    throw new InvalidConfigurationError(`cannot use --value: ${messageOf(cause)}`, { cause });
  }
}
