import { InvalidConfigurationError } from '../../base/errors/errors.ts';
import { mergedValues, nestedValues, type Values } from '../../components/rendering/values.ts';

/** The values of `--value`, as `helm --set` reads them; later ones win. @throws InvalidConfigurationError */
export function setValues(assignments: readonly string[]): Values {
  return assignments.reduce<Values>((values, text) => {
    const [, key, value] = /^([^=]+)=(.*)$/.exec(text) ?? [];
    if (key === undefined) throw new InvalidConfigurationError(`cannot use --value ${text}: want name=value`);
    return mergedValues(values, nestedValues({ [key]: value }));
  }, {});
}
