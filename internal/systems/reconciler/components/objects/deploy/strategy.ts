import type { ResourceType } from '../../../../../framework/kube/object/resource-type.ts';
import { isBuiltIn } from '../known-types.ts';

/**
 * How an object that exists is changed. `merge`: fields of the chart are set, those of others stay. `exact`: fields of others go.
 * `keep`: not at all.
 */
export type Strategy = 'merge' | 'exact' | 'keep';

export function strategyOf({ group, kind }: Pick<ResourceType, 'group' | 'kind'>): Strategy {
  if (group === 'batch' && kind === 'Job') return 'keep';
  return isBuiltIn({ group }) ? 'merge' : 'exact';
}
