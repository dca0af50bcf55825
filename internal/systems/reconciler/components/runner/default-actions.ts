import { cutText } from '../../../../framework/base/index.ts';

import { isNotFound, type ResourceType } from '../../../../framework/kube/index.ts';
import type { Action, ActionContext, Awaited, DeployOptions, Manifest } from '../model/component.ts';
import { tenantOf } from '../model/task.ts';
import { renderChart, targetOf } from '../reconcilers/common/objects.ts';

/** The component with the CRDs of a Kyma version. */
export const CRDS = 'CRDs';
/** Cleans up after the components of a cluster that is deleted; its own actions do so. */
export const CLEANER = 'cleaner';

export interface DefaultActionsOptions {
  /** Components that are never reconciled: their CRDs are left out. */
  readonly skippedComponents: readonly string[];
}

/** The main actions of components that have none of their own: deploy the rendered objects, or remove them. */
export function defaultActions({ skippedComponents }: DefaultActionsOptions) {
  const deploy: Action = async (context) => {
    const manifest = await renderedFor(context, skippedComponents);
    if (manifest === undefined) return;
    await context.deployer.deploy(targetOf(context), manifest, optionsOf(context));
  };
  const remove: Action = async (context) => {
    const manifest = await renderedFor(context, skippedComponents);
    if (manifest === undefined) return;
    await context.deployer.remove(targetOf(context), manifest, optionsOf(context));
  };
  return { reconcile: deploy, delete: remove } as const;
}

/** The objects of a component; undefined if it never has any. */
async function renderedFor(
  context: ActionContext,
  skippedComponents: readonly string[],
): Promise<Manifest | undefined> {
  const { task, charts, signal } = context;
  if (task.component === CLEANER) return undefined;
  if (task.component !== CRDS) return renderChart(context);
  const excluded = [...skippedComponents, ...((await hasOwnIstio(context)) ? ['istio'] : [])];
  return charts.crds(task, { signal, tenant: tenantOf(task), excluded });
}

const istios: ResourceType = {
  group: 'operator.kyma-project.io',
  version: 'v1alpha2',
  kind: 'Istio',
  plural: 'istios',
  namespaced: true,
};

/** Whether a module of the cluster manages Istio, or it is not known that none does. */
async function hasOwnIstio({ cluster, signal }: ActionContext): Promise<boolean> {
  try {
    await cluster.client.list(istios, { limit: 1, signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    return !isNotFound(error);
  }
}

const optionsOf = ({ signal, progress }: ActionContext): DeployOptions => ({
  signal,
  onProgress: (awaited) => progress(describe(awaited)),
});

/** Objects that a message names. */
const MAX_NAMED = 5;

function describe(awaited: readonly Awaited[]): string {
  if (awaited.length === 0) return '';
  const named = awaited.slice(0, MAX_NAMED).map(({ object: { kind, metadata }, reason }) => {
    const name = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
    return `${kind} ${name}: ${cutText(reason, 150)}`;
  });
  const more = awaited.length > MAX_NAMED ? `; and ${awaited.length - MAX_NAMED} more` : '';
  return `waiting for ${named.join('; ')}${more}`;
}
