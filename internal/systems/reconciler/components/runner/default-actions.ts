import { cutText } from '../../../../framework/base/index.ts';

import { isNotFound, type ResourceType } from '../../../../framework/kube/index.ts';
import type {
  Action,
  ActionContext,
  Awaited,
  DeployOptions,
  Manifest,
  ManifestObject,
} from '../model/component.ts';
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
    const rendered = await renderedFor(context, skippedComponents);
    if (rendered === undefined) return;
    const { manifest, released } = rendered;
    await context.deployer.deploy(targetOf(context), manifest, { ...optionsOf(context), released });
  };
  const remove: Action = async (context) => {
    const rendered = await renderedFor(context, skippedComponents);
    if (rendered === undefined) return;
    const { manifest, released } = rendered;
    await context.deployer.remove(targetOf(context), manifest, { ...optionsOf(context), released });
  };
  return { reconcile: deploy, delete: remove } as const;
}

interface Rendered {
  readonly manifest: Manifest;
  /** Objects that something else manages. */
  readonly released: Manifest;
}

/** The objects of a component; undefined if it never has any. */
async function renderedFor(
  context: ActionContext,
  skippedComponents: readonly string[],
): Promise<Rendered | undefined> {
  const { task, charts, signal } = context;
  if (task.component === CLEANER) return undefined;
  if (task.component !== CRDS) return { manifest: await renderChart(context), released: [] };
  const released = [...skippedComponents, ...((await hasOwnIstio(context)) ? ['istio'] : [])];
  // Files and folders whose path begins so, or goes on so after a slash.
  const isReleased = ({ source }: ManifestObject) =>
    released.some((name) => `/${source}`.includes(`/${name}`));
  const all = await charts.crds(task, { signal, tenant: tenantOf(task) });
  return { manifest: all.filter((each) => !isReleased(each)), released: all.filter(isReleased) };
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
