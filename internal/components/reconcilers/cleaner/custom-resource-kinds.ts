import type { KubeObject, ResourceType } from '../../../kube/index.ts';
import { customResourceDefinitions } from '../../../kube/object/resource-type.ts';
import type { ActionContext } from '../../model/actions.ts';
import { itemsAt, textAt } from '../common/fields.ts';
import { allObjects } from '../common/objects.ts';

/** The value of the cluster's configuration with the strategy of deletions. */
const STRATEGY = 'delete_strategy';
/** CRDs of earlier versions, which the current one no longer has. */
const OF_RECONCILER = 'reconciler.kyma-project.io/managed-by=reconciler';
/** CRDs of Istio are not among those of Kyma. */
const OF_ISTIO = 'install.operator.istio.io/owning-resource-namespace=istio-system';

/**
 * The kinds whose custom resources lose their finalizers: with the strategy `all` those of all CRDs of the cluster, else those
 * of Kyma and Istio, by the storage version.
 */
export async function customResourceKinds(context: ActionContext): Promise<readonly ResourceType[]> {
  const found = new Map<string, ResourceType>();
  const add = (crd: KubeObject) => {
    const type = storedType(crd);
    if (type !== undefined) found.set(`${type.plural}.${type.group}`, type);
  };
  if (context.configuration[STRATEGY] === 'all') {
    for await (const crd of allObjects(context, customResourceDefinitions)) add(crd);
    return [...found.values()];
  }
  const { charts, task, signal, cluster } = context;
  for (const { object } of await charts.crds(task, { signal, group: cluster.name })) add(object);
  for (const labelSelector of [OF_RECONCILER, OF_ISTIO]) {
    for await (const crd of allObjects(context, customResourceDefinitions, { labelSelector })) add(crd);
  }
  return [...found.values()];
}

/** Undefined for what is no CRD. */
function storedType(crd: KubeObject): ResourceType | undefined {
  const [group, kind, plural, scope] = [
    textAt(crd, 'spec', 'group'),
    textAt(crd, 'spec', 'names', 'kind'),
    textAt(crd, 'spec', 'names', 'plural'),
    textAt(crd, 'spec', 'scope'),
  ];
  const stored = itemsAt(crd, 'spec', 'versions').find(({ storage }) => storage === true);
  const version = textAt(stored, 'name') ?? textAt(crd, 'spec', 'version');
  if (group === undefined || kind === undefined || plural === undefined || version === undefined)
    return undefined;
  return { group, version, kind, plural, namespaced: scope === 'Namespaced' };
}
