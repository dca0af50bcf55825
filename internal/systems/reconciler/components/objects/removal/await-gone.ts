import { cutText, type Deps, inParallel, messageOf, valueAt } from '../../../../../framework/base/index.ts';
import {
  isNotFound,
  type KubeObject,
  type ObjectKey,
  type ResourceType,
  wasDeleted,
} from '../../../../../framework/kube/index.ts';
import type { Awaited, DeployOptions, ManagedCluster } from '../../model/component.ts';
import { isNamespace } from '../known-types.ts';
import { describeAwaited, MAX_REASON, NotReadyError, poll } from '../readiness/await-ready.ts';
import { conditionsOf } from '../readiness/check-object.ts';

export interface GoingObject {
  readonly type: ResourceType;
  readonly key: ObjectKey;
  readonly object: KubeObject;
}

export interface AwaitGoneOptions extends Pick<Deps, 'clock' | 'log'>, DeployOptions {
  readonly cluster: Pick<ManagedCluster, 'name' | 'part'>;
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

/** Objects that are read at a time. */
const WIDTH = 8;

/**
 * Waits until the objects are gone. After the time-out it logs what hangs and returns: finalizers of others may take longer.
 *
 * @returns whether all are gone
 * @throws NotReadyError when the signal is aborted
 */
export async function awaitGone(
  objects: readonly GoingObject[],
  options: AwaitGoneOptions,
): Promise<boolean> {
  const { cluster, log, signal } = options;
  let left = objects;
  const check = async () => {
    const reasons = new Map<GoingObject, string>();
    await inParallel(left, WIDTH, async (each) => {
      const reason = await whyThere(each, options);
      if (reason !== undefined) reasons.set(each, cutText(reason, MAX_REASON));
    });
    left = left.filter((each) => reasons.has(each));
    return left.map((each): Awaited => ({ object: each.object, reason: reasons.get(each) ?? '' }));
  };
  try {
    await poll(check, { ...options, what: 'objects are not gone' });
    return true;
  } catch (error) {
    if (signal.aborted || !(error instanceof NotReadyError)) throw error;
    log.info('objects of a removed component are still there', {
      cluster: cluster.name,
      objects: describeAwaited(error.awaited),
    });
    return false;
  }
}

/** Why the object still exists; undefined if it does not. */
async function whyThere(
  { type, key, object }: GoingObject,
  { cluster, signal, log }: AwaitGoneOptions,
): Promise<string | undefined> {
  try {
    using part = await cluster.part({ signal });
    const live = isNamespace(type)
      ? await part.client.get(type, key, { signal })
      : await part.client.getMetadata(type, key, { signal });
    const { uid } = object.metadata;
    // Another one was created under its name.
    if (uid !== undefined && live.metadata.uid !== uid) return undefined;
    return whyHanging(live);
  } catch (error) {
    signal.throwIfAborted();
    if (isNotFound(error)) return undefined;
    log.debug('cannot read an object that is being deleted', { error: messageOf(error) });
    return messageOf(error);
  }
}

function whyHanging(live: KubeObject): string {
  if (!wasDeleted(live)) return 'its deletion has not begun';
  const { finalizers = [] } = live.metadata;
  // A namespace says what is left in it.
  const left = conditionsOf(live).filter(
    ({ type, status }) => /Remaining$|Failure$/.test(type) && status === 'True',
  );
  const specFinalizers = valueAt(live, ['spec', 'finalizers']);
  const names = [
    ...finalizers,
    ...(Array.isArray(specFinalizers) && left.length === 0 ? specFinalizers : []),
  ];
  const reasons = left.map(({ message }) => message);
  if (names.length > 0) reasons.push(`finalizers: ${names.join(', ')}`);
  return reasons.length > 0 ? reasons.join('; ') : 'it is being deleted';
}
