import { systemClock } from '../../../framework/base/time/clock.ts';
import type { KubeClient } from '../../../framework/kube/client/client.ts';
import { createSharedReads } from '../../../framework/kube/client/shared-reads.ts';
import { KubeApiError } from '../../../framework/kube/errors/errors.ts';
import { type KubeObject, keyOf, keyString } from '../../../framework/kube/object/object.ts';
import type { InputCluster } from './read-input.ts';

/** `Secret shop/hana-admin` */
export const objectKey = (object: KubeObject): string => `${object.kind} ${keyString(keyOf(object))}`;

/** A cluster in memory with these objects. Reads of the objects in `failures` fail. */
export function inputCluster(
  objects: readonly KubeObject[],
  failures: Readonly<Record<string, Error>> = {},
): InputCluster {
  const clusterName = 'test cluster';
  const get: KubeClient['get'] = async <T>(
    type: { kind: string; plural: string },
    key: { name: string; namespace?: string },
  ) => {
    const object = `${type.kind} ${keyString(key)}`;
    const failure = failures[object];
    if (failure) throw failure;
    const found = objects.find((candidate) => objectKey(candidate) === object);
    if (found) return found as T;
    throw new KubeApiError(
      { verb: 'get', object, clusterName },
      {
        httpStatus: 404,
        status: {
          code: 404,
          reason: 'NotFound',
          message: `${type.plural} "${key.name}" not found`,
          details: { name: key.name },
        },
      },
    );
  };
  const client = { clusterName, get } as KubeClient;
  const reads = createSharedReads({ client, clock: systemClock });
  return {
    client,
    reads,
    polledReads: { ...reads, versionOf: async () => undefined },
    objectWatcher: {
      target: (type, key) => ({
        description: `${type.kind} ${keyString(key)}`,
        watch: () => () => undefined,
      }),
      watch: () => ({ isCurrent: () => false, stop: () => undefined }),
      size: () => 0,
      notifyAll: () => undefined,
      close: () => undefined,
    },
  };
}
