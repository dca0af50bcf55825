import { parseTimestamp } from '../../../../framework/base/index.ts';

import { done, type ReconcileResult } from '../../../../framework/controller/index.ts';
import { isNotFound, keyString } from '../../../../framework/kube/index.ts';
import { instanceKeyOf } from '../../credentials/credential-users.ts';
import { isReady } from '../../status/conditions.ts';
import { bindingIDOf, type UnconnectedBindingRun } from '../binding-run.ts';
import { type ServiceBinding, serviceBindings } from '../resource.ts';
import { expiresAt, originOf, removePendingTermination, setPendingTermination } from './rotation-policy.ts';

/**
 * Replaced bindings of one binding that are kept, whatever their time to live is: each has credentials in Service Manager, and a Secret.
 */
export const MAX_REPLACED = 100;

/**
 * Deletes a replaced binding after its time to live, or with MAX_REPLACED younger ones, unless its origin exists and has no credentials
 * at present. Then a change of the origin requests the next reconcile.
 *
 * @returns undefined: it stays
 */
export async function expire(run: UnconnectedBindingRun): Promise<ReconcileResult | undefined> {
  const { object: binding, status, context } = run;
  const { clock, client, signal } = context;
  const expires = expiresAt(binding);
  if (expires === undefined || (client.now() < expires && !isBeyondCount(run))) {
    // Its time to live was extended while it waited.
    removePendingTermination(binding);
    return undefined;
  }
  // Without credentials of its own, e.g. gone in Service Manager, it replaces none.
  if (isReady(binding) && (await isNeeded(run))) {
    setPendingTermination(binding, clock.now());
    await status.store();
    return undefined;
  }
  const { uid = '' } = binding.metadata;
  await client.delete(serviceBindings, binding.metadata, { signal, preconditions: { uid } });
  return done;
}

/** Whether the origin, which has the same instance, has replaced MAX_REPLACED bindings since. */
function isBeyondCount({ object: binding, bindings }: UnconnectedBindingRun): boolean {
  const origin = originOf(binding);
  if (origin === undefined) return false;
  const { namespace } = binding.metadata;
  const ageOf = ({ metadata }: ServiceBinding) => parseTimestamp(metadata.creationTimestamp) ?? 0;
  const own = ageOf(binding);
  const younger = bindings
    .of(instanceKeyOf(binding))
    .filter(
      (other) => other.metadata.namespace === namespace && originOf(other) === origin && ageOf(other) > own,
    );
  return younger.length >= MAX_REPLACED;
}

/**
 * Whether the origin has no other credentials. With a rotation that did not end, it has these. The cache may not have the origin yet, so it
 * is read.
 */
async function isNeeded({ object: binding, context }: UnconnectedBindingRun): Promise<boolean> {
  const { client, signal } = context;
  const name = originOf(binding);
  if (name === undefined) return false;
  try {
    const key = { namespace: binding.metadata.namespace, name };
    const origin = await client.get(serviceBindings, key, { signal });
    return !isReady(origin) || bindingIDOf(origin) === bindingIDOf(binding);
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** `namespace/name` of the binding that replaced this one, whose changes matter to it. */
export function originKeysOf(binding: ServiceBinding): string[] {
  const name = originOf(binding);
  return name === undefined ? [] : [keyString({ namespace: binding.metadata.namespace, name })];
}
