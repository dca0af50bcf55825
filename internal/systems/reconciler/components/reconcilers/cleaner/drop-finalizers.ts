import { inParallel, messageOf, ProviderError } from '../../../../../framework/base/index.ts';

import {
  customResourceDefinitions,
  isConflict,
  isNotFound,
  type KubeObject,
  keyOf,
  keyString,
  type PartialObject,
  type ResourceType,
  secrets,
} from '../../../../../framework/kube/index.ts';
import type { Action, ActionContext } from '../../model/actions.ts';
import { textAt } from '../common/fields.ts';
import { allMetadata, findObject } from '../common/objects.ts';

const CREDENTIALS = 'serverless.kyma-project.io/config=credentials';
/** Kinds, and objects of a kind, at a time. */
const WIDTH = 4;
/** Failures that the error names. */
const MAX_NAMED = 3;

/** Secrets with credentials for functions have a finalizer whose controller is gone. */
export const dropSecretFinalizers: Action = async (context) => {
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
export async function dropCustomResourceFinalizers(
  context: ActionContext,
  kinds: readonly ResourceType[],
): Promise<void> {
  const failures: string[] = [];
  await inParallel(kinds, WIDTH, async (type) => {
    const name = `${type.plural}.${type.group}`;
    try {
      await removeConversion(context, name);
      for await (const object of allMetadata(context, type)) await dropFinalizers(context, type, object);
    } catch (error) {
      context.signal.throwIfAborted();
      failures.push(`${name}: ${messageOf(error)}`);
    }
  });
  if (failures.length === 0) return;
  const more = failures.length > MAX_NAMED ? `; and ${failures.length - MAX_NAMED} more` : '';
  throw new ProviderError(
    'transient',
    `cannot remove finalizers: ${failures.slice(0, MAX_NAMED).join('; ')}${more}`,
  );
}

async function removeConversion(context: ActionContext, name: string): Promise<void> {
  const crd: KubeObject | undefined = await findObject(context, customResourceDefinitions, { name });
  const strategy = textAt(crd, 'spec', 'conversion', 'strategy');
  if (strategy === undefined || strategy === 'None') return;
  const { uid } = crd?.metadata ?? {};
  const metadata = uid === undefined ? {} : { uid };
  const patch = { metadata, spec: { conversion: { strategy: 'None', webhook: null } } };
  await unlessGone(
    context.cluster.client.mergePatch(customResourceDefinitions, { name }, patch, { signal: context.signal }),
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
  await unlessGone(cluster.client.mergePatch(type, keyOf(object), { metadata }, { signal }));
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
