import type { ActionContext } from '../../model/actions.ts';
import type { DeployTarget } from '../../model/deployer.ts';
import type { Manifest } from '../../model/manifest.ts';
import { tenantOf } from '../../model/task.ts';
import { randomValuesOf } from '../../objects/inventory/random-values.ts';

/** The objects of the chart of a component, with the configuration that actions have changed. */
export async function renderChart(context: ActionContext): Promise<Manifest> {
  const { charts, task, configuration, signal, cluster, log } = context;
  const capabilities = await cluster.capabilities({ signal });
  const random = randomValuesOf({ cluster, component: task.component, log, signal });
  return charts.render({ ...task, configuration }, { signal, tenant: tenantOf(task), capabilities, random });
}

/** Where the objects of the component go. */
export const targetOf = ({ cluster, task }: ActionContext): DeployTarget => ({
  cluster,
  component: task.component,
  namespace: task.namespace,
  version: task.version,
});
