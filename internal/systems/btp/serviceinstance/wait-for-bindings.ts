/** A deleted instance waits for its bindings, since Service Manager refuses to delete an instance that has bindings. */
import type { ServiceBinding } from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { type ReconcileResult, requeueInProgress } from '../../../framework/controller/index.ts';
import { keyOf, keyString, wasDeleted } from '../../../framework/kube/index.ts';
import { type BindingsOfInstances, mayBeBound } from '../operations/bindings-of-instances.ts';
import { LONG_MOMENT_MS, leftOfMoment } from '../operations/moment.ts';
import { succeededOf } from '../status/conditions.ts';
import { instanceIDOf, type UnconnectedInstanceRun } from './instance-run.ts';
import type { ServiceInstance } from './resource.ts';

/**
 * Both are mostly deleted together, and the bindings are gone after a moment, a long one if many are deleted at once: until then no
 * condition names them.
 *
 * Undefined: no binding of this cluster is left, or the deletion of one failed. When the last one is gone, the instance is requested. Bindings of other
 * clusters are known to Service Manager only.
 */
export async function waitForBindings(
  run: UnconnectedInstanceRun,
  bindings: Pick<BindingsOfInstances, 'of'>,
): Promise<ReconcileResult | undefined> {
  const { object: instance, conditions, status, settings, context } = run;
  const left = bindings.of(keyString(keyOf(instance))).filter((binding) => isBoundTo(instance, binding));
  // What keeps a binding may keep the instance as well, such as missing credentials. The instance says so too.
  if (left.length === 0 || left.some(isFailed)) return undefined;
  const { clock, memory } = context;
  const waitsSince = memory.get()?.waitsSince ?? clock.monotonic();
  memory.set({ ...memory.get(), waitsSince });
  const kept = left.filter((binding) => !wasDeleted(binding)).length;
  const shortMs = leftOfMoment(clock, waitsSince);
  const leftMs = kept > 0 ? shortMs : leftOfMoment(clock, waitsSince, LONG_MOMENT_MS);
  // Whether bindings are kept is looked at when the short moment is over.
  if (leftMs > 0) return requeueInProgress(shortMs > 0 ? shortMs : leftMs);
  if (kept > 0) conditions.requestFailed('delete', keptBindingsText(kept));
  else conditions.inProgress('delete', deletedBindingsText(left.length));
  await status.store();
  return requeueInProgress(settings.pollIntervalMs);
}

/** A binding of another instance, which had the name before, is none of this one. */
const isBoundTo = (instance: ServiceInstance, binding: ServiceBinding): boolean =>
  mayBeBound(binding) &&
  (!binding.status?.instanceID || binding.status.instanceID === instanceIDOf(instance));

const isFailed = (binding: ServiceBinding): boolean =>
  wasDeleted(binding) && (succeededOf(binding)?.reason.endsWith('Failed') ?? false);

const bindingsText = (count: number) => (count === 1 ? '1 ServiceBinding' : `${count} ServiceBindings`);

const keptBindingsText = (count: number): string =>
  `cannot delete the instance: it has ${bindingsText(count)} in this cluster. Delete ${count === 1 ? 'it' : 'them'} too`;

const deletedBindingsText = (count: number): string =>
  `the instance is deleted after its bindings: ${bindingsText(count)} left`;
