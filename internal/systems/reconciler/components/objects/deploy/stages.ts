import { isBuiltIn, isCrd, isNamespace } from '../known-types.ts';
import type { PreparedObject } from '../prepared-object.ts';

/** Objects that are applied at the same time, after those of all earlier stages. */
export interface Stage {
  readonly name: StageName;
  readonly objects: readonly PreparedObject[];
}

/** In the order in which they are applied. Objects are deleted in the reverse order. */
const STAGES = [
  'namespaces',
  'CRDs',
  'prerequisites',
  'basics',
  'workloads',
  'webhooks',
  'custom resources',
] as const;
export type StageName = (typeof STAGES)[number];

const WORKLOADS: ReadonlySet<string> = new Set([
  'apps/DaemonSet',
  'apps/Deployment',
  'apps/ReplicaSet',
  'apps/StatefulSet',
  'autoscaling/HorizontalPodAutoscaler',
  'batch/CronJob',
  'batch/Job',
  '/Pod',
  '/ReplicationController',
  'networking.k8s.io/Ingress',
  'apiregistration.k8s.io/APIService',
]);
/** What is looked at when other objects are created; and accounts, without which their tokens would be deleted. */
const PREREQUISITES: ReadonlySet<string> = new Set([
  '/LimitRange',
  '/ResourceQuota',
  '/ServiceAccount',
  'networking.k8s.io/NetworkPolicy',
  'networking.k8s.io/IngressClass',
  'scheduling.k8s.io/PriorityClass',
  'storage.k8s.io/StorageClass',
]);
const WEBHOOKS = 'admissionregistration.k8s.io';

/**
 * The objects by what they need: pods need the Secrets, ConfigMaps and accounts beside them. The stages keep the order of Helm's
 * kinds as far as an API server or a controller depends on it.
 */
export function stagesOf(objects: readonly PreparedObject[]): readonly Stage[] {
  const byStage = Map.groupBy(objects, stageOf);
  return STAGES.flatMap((name) => {
    const found = byStage.get(name);
    return found === undefined ? [] : [{ name, objects: found }];
  });
}

function stageOf({ type }: PreparedObject): StageName {
  const name = `${type.group}/${type.kind}`;
  if (isNamespace(type)) return 'namespaces';
  if (isCrd(type)) return 'CRDs';
  if (type.group === WEBHOOKS) return 'webhooks';
  if (WORKLOADS.has(name)) return 'workloads';
  if (PREREQUISITES.has(name)) return 'prerequisites';
  return isBuiltIn(type) ? 'basics' : 'custom resources';
}
