import { inParallel, messageOf, ProviderError, sleep, textAt } from '../../../../framework/base/index.ts';
import {
  customResourceDefinitions,
  isConflict,
  isNotFound,
  type KubeObject,
  keyOf,
  keyString,
  namespaces,
  type PartialObject,
  type ResourceType,
  secrets,
} from '../../../../framework/kube/index.ts';
import type { Action, ActionContext, ComponentActions } from '../model/component.ts';
import { tenantOf } from '../model/task.ts';
import { allMetadata, collectValues } from '../objects/listed-objects.ts';
import { deleteObject, findObject, itemsAt, KYMA_SYSTEM, volumeClaims } from './objects.ts';

/**
 * Cleans up when a cluster leaves Kyma, after all other components are gone or not: nothing that hangs may keep the namespace.
 * It does nothing for a reconcile task.
 */
export const cleaner: ComponentActions = {
  reconcile: async () => undefined,
  delete: (context) => clean(context),
};

const clean: Action = async (context) => {
  await deleteVolumeClaims(context);
  const kinds = await customResourceKinds(context);
  const dropFinalizers = async () => {
    await dropSecretFinalizers(context);
    await dropCustomResourceFinalizers(context, kinds);
  };
  await dropFinalizers();
  await deleteNamespace(context, dropFinalizers);
};

/** The value of the cluster's configuration with the strategy of deletions. */
const STRATEGY = 'delete_strategy';
/** CRDs of earlier versions, which the current one no longer has. */
const OF_RECONCILER = 'reconciler.kyma-project.io/managed-by=reconciler';
/** CRDs of Istio are not among those of Kyma. */
const OF_ISTIO = 'install.operator.istio.io/owning-resource-namespace=istio-system';

/**
 * The kinds whose custom resources lose their finalizers: with the strategy `all` those of all CRDs of the cluster, else those
 * of Kyma and Istio, by the storage version if it is served.
 */
async function customResourceKinds(context: ActionContext): Promise<readonly ResourceType[]> {
  const kinds: ResourceType[] = [];
  for (const name of await namesOfDefinitions(context)) {
    // One by one: a page of whole CRDs is too large. Kyma's own may be absent.
    using part = await context.cluster.part(context);
    const crd = await findObject<KubeObject>({ ...context, cluster: part }, customResourceDefinitions, {
      name,
    });
    const type = crd === undefined ? undefined : servedType(crd);
    if (type === undefined) continue;
    context.cluster.keep(type);
    kinds.push(type);
  }
  return kinds;
}

const nameOf = ({ metadata }: PartialObject) => [metadata.name];

async function namesOfDefinitions(context: ActionContext): Promise<ReadonlySet<string>> {
  const isAll = context.configuration[STRATEGY] === 'all';
  const selections = isAll ? [{}] : [OF_RECONCILER, OF_ISTIO].map((labelSelector) => ({ labelSelector }));
  const names = new Set<string>();
  for (const selection of selections) {
    const found = allMetadata(context, customResourceDefinitions, selection);
    for (const name of await collectValues(found, nameOf, context.cluster)) names.add(name);
  }
  if (isAll) return names;
  const { charts, task, signal } = context;
  for (const { object } of await charts.crds(task, { signal, tenant: tenantOf(task) })) {
    if (object.kind === customResourceDefinitions.kind) names.add(object.metadata.name);
  }
  return names;
}

/** Undefined for what is no CRD, or has no version that is served. */
function servedType(crd: KubeObject): ResourceType | undefined {
  const [group, kind, plural, scope] = [
    textAt(crd, 'spec', 'group'),
    textAt(crd, 'spec', 'names', 'kind'),
    textAt(crd, 'spec', 'names', 'plural'),
    textAt(crd, 'spec', 'scope'),
  ];
  // One that is not served any more may still be the one that is stored; nothing can be read in it.
  const served = itemsAt(crd, 'spec', 'versions').filter((version) => version.served === true);
  const used = served.find(({ storage }) => storage === true) ?? served[0];
  const version = textAt(used, 'name') ?? textAt(crd, 'spec', 'version');
  if (group === undefined || kind === undefined || plural === undefined || version === undefined)
    return undefined;
  return { group, version, kind, plural, namespaced: scope === 'Namespaced' };
}

const TIMEOUT_MS = 6 * 60_000;
const POLL_MS = 6000;

/**
 * Deletes the namespace of Kyma and waits until it is gone.
 *
 * @param unblock called at each check, since controllers that still run may add finalizers again
 * @throws ProviderError of kind `transient` after six minutes
 */
async function deleteNamespace(context: ActionContext, unblock: () => Promise<void>): Promise<void> {
  const { clock, signal, progress } = context;
  const key = { name: KYMA_SYSTEM };
  const isThere = async () => (await findObject(context, namespaces, key)) !== undefined;
  if (!(await deleteObject(context, namespaces, key, 'anyone'))) return;
  const startedAt = clock.monotonic();
  while (await isThere()) {
    if (clock.monotonic() - startedAt >= TIMEOUT_MS) {
      throw new ProviderError('transient', `namespace ${KYMA_SYSTEM} is still there after 6 minutes`);
    }
    progress(`waiting for the deletion of namespace ${KYMA_SYSTEM}`);
    await sleep(clock, POLL_MS, signal);
    await unblock();
  }
}

const CREDENTIALS = 'serverless.kyma-project.io/config=credentials';
/** Kinds, and objects of a kind, at a time. */
const WIDTH = 4;
/** Failures that the error names. */
const MAX_NAMED = 3;

/** Secrets with credentials for functions have a finalizer whose controller is gone. */
const dropSecretFinalizers: Action = async (context) => {
  for await (const secret of allMetadata(context, secrets, { labelSelector: CREDENTIALS })) {
    await dropFinalizers(context, secrets, secret);
  }
};

/**
 * Removes the finalizers of all custom resources of the kinds, and their conversion by webhooks, which are gone too. One kind
 * that fails does not keep the others.
 *
 * @throws ProviderError of kind `transient` after all kinds were tried
 */
async function dropCustomResourceFinalizers(
  context: ActionContext,
  kinds: readonly ResourceType[],
): Promise<void> {
  const named: string[] = [];
  let failed = 0;
  await inParallel(kinds, WIDTH, async (type) => {
    const name = `${type.plural}.${type.group}`;
    try {
      await removeConversion(context, name);
      for await (const object of allMetadata(context, type)) await dropFinalizers(context, type, object);
    } catch (error) {
      context.signal.throwIfAborted();
      failed++;
      // Messages quote the server of a tenant, which may serve thousands of kinds.
      if (named.length < MAX_NAMED) named.push(`${name}: ${messageOf(error)}`);
    }
  });
  if (failed === 0) return;
  const more = failed > named.length ? `; and ${failed - named.length} more` : '';
  throw new ProviderError('transient', `cannot remove finalizers: ${named.join('; ')}${more}`);
}

async function removeConversion(context: ActionContext, name: string): Promise<void> {
  using part = await context.cluster.part(context);
  const crd: KubeObject | undefined = await findObject(
    { ...context, cluster: part },
    customResourceDefinitions,
    { name },
  );
  const strategy = textAt(crd, 'spec', 'conversion', 'strategy');
  if (strategy === undefined || strategy === 'None') return;
  const { uid } = crd?.metadata ?? {};
  const metadata = uid === undefined ? {} : { uid };
  const patch = { metadata, spec: { conversion: { strategy: 'None', webhook: null } } };
  await unlessGone(
    part.client.mergePatch(customResourceDefinitions, { name }, patch, { signal: context.signal }),
  );
}

async function dropFinalizers(
  context: ActionContext,
  type: ResourceType,
  object: PartialObject,
): Promise<void> {
  const { finalizers = [], uid } = object.metadata;
  if (finalizers.length === 0) return;
  const { cluster, signal, log } = context;
  const metadata = { finalizers: null, ...(uid === undefined ? {} : { uid }) };
  using part = await cluster.part({ signal });
  await unlessGone(part.client.mergePatch(type, keyOf(object), { metadata }, { signal }));
  log.info('finalizers of an object were removed', {
    cluster: cluster.name,
    kind: type.kind,
    object: keyString(keyOf(object)),
    finalizers: finalizers.join(','),
  });
}

/** Without the object there is nothing to change; with another UID it is another one. */
async function unlessGone(change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

const CLAIMS_TRIES = 3;
/** Of one try, in ms. */
const CLAIMS_WAIT_MS = 6000;
const CLAIMS_POLL_MS = 2000;

/**
 * Deletes the volume claims of the namespace and waits until they are gone. One that stays is still used by a pod.
 *
 * @throws ProviderError of kind `transient` after three tries
 */
const deleteVolumeClaims: Action = async (context) => {
  const { clock, signal, progress } = context;
  for (let attempt = 0; attempt < CLAIMS_TRIES; attempt++) {
    for (const name of await namesOfClaims(context)) {
      await deleteObject(context, volumeClaims, { name, namespace: KYMA_SYSTEM }, 'anyone');
    }
    for (let waitedMs = 0; ; waitedMs += CLAIMS_POLL_MS) {
      const left = await namesOfClaims(context);
      if (left.length === 0) return;
      progress(`waiting for the deletion of ${left.length} volume claims of namespace ${KYMA_SYSTEM}`);
      if (waitedMs >= CLAIMS_WAIT_MS) break;
      await sleep(clock, CLAIMS_POLL_MS, signal);
    }
  }
  const left = (await namesOfClaims(context)).slice(0, 5).join(', ');
  throw new ProviderError('transient', `volume claims of namespace ${KYMA_SYSTEM} are not deleted: ${left}`);
};

async function namesOfClaims(context: ActionContext): Promise<readonly string[]> {
  const claims = allMetadata(context, volumeClaims, { namespace: KYMA_SYSTEM });
  return await collectValues(claims, nameOf, context.cluster);
}
