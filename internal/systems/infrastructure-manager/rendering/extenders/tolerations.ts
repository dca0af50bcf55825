import type { Extender } from '../model/extender.ts';

/** Seeds of some regions take only Shoots that tolerate their taints. */
export const tolerations: Extender = ({ spec, configuration }) => {
  const found = configuration.converter.tolerations.get(spec.shoot.region) ?? [];
  return found.length === 0 ? {} : { spec: { tolerations: found.map((each) => ({ ...each })) } };
};
