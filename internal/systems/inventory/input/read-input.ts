import { messageOf, type WatchedObject } from '../../../framework/base/index.ts';
import { stringAt } from '../../../framework/base/json/json-field.ts';
import { isUntrusted } from '../../../framework/kube/errors/errors.ts';
import {
  type Cluster,
  isForbidden,
  isNotFound,
  isUnauthorized,
  isUnknownKind,
  isUnreachable,
  type KubeObject,
  keyString,
  notFoundText,
  type ObjectKey,
  type ResourceType,
} from '../../../framework/kube/index.ts';
import type { Finding, Problem } from './finding.ts';

/** A Cluster with input objects. Reads are shared, since many resources refer to the same objects. */
export interface InputCluster extends Pick<Cluster, 'client' | 'reads' | 'polledReads' | 'objectWatcher'> {
  /** The ConfigMap with the ID of the cluster, for mappings that name none. Default: that of a Kyma cluster. */
  readonly clusterIdConfigMap?: { readonly namespace: string; readonly name: string };
}

/** The cluster as polls read it. */
export const polled = (cluster: InputCluster): InputCluster => ({ ...cluster, reads: cluster.polledReads });

/** The object, or the problem with it. */
export type InputRead<T> =
  | { readonly object: T; readonly target: WatchedObject }
  | { readonly problem: Problem; readonly target: WatchedObject };

/** Reads one input object. A failed read is a problem rather than an error, so that all problems are reported. */
export async function readInput<T extends KubeObject>(
  cluster: InputCluster,
  type: ResourceType<T>,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<InputRead<T>> {
  try {
    const object = await cluster.reads.get(type, key, signal);
    const version = stringAt(object, ['metadata', 'resourceVersion']);
    const resourceVersion = version.state === 'ok' ? version.value : 'absent';
    return { object, target: cluster.objectWatcher.target(type, key, resourceVersion) };
  } catch (error) {
    if (signal.aborted) throw error;
    return {
      problem: problemOf(error, type, key, cluster.client.clusterName),
      target: cluster.objectWatcher.target(type, key, 'absent'),
    };
  }
}

function problemOf(cause: unknown, type: ResourceType, key: ObjectKey, clusterName: string): Problem {
  if (isNotFound(cause)) {
    const text = isUnknownKind(cause)
      ? `not found: the cluster does not know ${type.kind} (${type.group}/${type.version}); is the SAP BTP service operator installed?`
      : notFoundText(keyString(key));
    return { kind: 'missing', text, cause };
  }
  if (isUnreachable(cause)) {
    return { kind: 'unreachable', text: `${clusterName} is unreachable: ${messageOf(cause)}`, cause };
  }
  if (isUnauthorized(cause) || isUntrusted(cause)) {
    const what = isUntrusted(cause) ? 'is not trusted' : 'does not accept the credentials';
    return { kind: 'refused', text: `${clusterName} ${what}: ${messageOf(cause)}`, cause };
  }
  const kind = isForbidden(cause) ? 'forbidden' : 'failed';
  return { kind, text: `cannot be read: ${messageOf(cause)}`, cause };
}

export function findingOf(
  type: ResourceType,
  key: ObjectKey,
  cluster: InputCluster,
  problems: readonly Problem[],
  read: Pick<Finding, 'target'>,
): Finding {
  const target = read.target === undefined ? {} : { target: read.target };
  const { clusterName } = cluster.client;
  return { type, object: objectName(type, key), key, clusterName, problems, ...target };
}

/** `Secret shop/hana-admin` */
function objectName(type: ResourceType, key: ObjectKey): string {
  return `${type.kind} ${keyString(key)}`;
}
