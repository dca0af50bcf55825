import { InvalidConfigurationError } from '../../../../framework/base/errors/errors.ts';
import { isObject } from '../../../../framework/base/json/json-field.ts';
import { mergedValues, nestedValues, type Values } from '../../components/charts/rendering/values.ts';
import type { ClusterComponent } from '../../components/index.ts';

/** Values for all components. */
const GLOBAL = 'global';

/**
 * Components with values over those they have: `global` for each, else by component.
 *
 * @throws InvalidConfigurationError for the values of a component that is not there
 */
export function withValues(
  components: readonly ClusterComponent[],
  values: Values,
): readonly ClusterComponent[] {
  for (const [name, value] of Object.entries(values)) {
    const isKnown = name === GLOBAL || components.some(({ component }) => component === name);
    if (!isKnown) throw new InvalidConfigurationError(`cannot use --value: there is no component ${name}`);
    if (!isObject(value))
      throw new InvalidConfigurationError(`cannot use --value: want ${name}.<name>=<value>`);
  }
  const { global } = values;
  return components.map((component) => {
    const own = values[component.component];
    const before = nestedValues(component.configuration ?? {});
    const shared = global === undefined ? before : mergedValues(before, { global });
    return { ...component, configuration: isObject(own) ? mergedValues(shared, own) : shared };
  });
}
