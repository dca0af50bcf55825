import type { KubeObject } from '../../../../../framework/kube/object/object.ts';
import type { ResourceType } from '../../../../../framework/kube/object/resource-type.ts';
import { checkCrd } from './custom-resource-definition.ts';
import { checkDaemonSet } from './daemon-set.ts';
import { checkDeployment } from './deployment.ts';
import { checkJob } from './job.ts';
import { checkPod } from './pod.ts';
import { type CheckReadiness, ready } from './readiness.ts';
import { checkStatefulSet } from './stateful-set.ts';

/** An object whose pods may have any state; for workloads without a node to run on. */
export const ANNOTATION_IGNORE_PODS = 'reconciler.kyma-project.io/ignore-pod-state';

/** Unless the object has the annotation. */
const unlessIgnored =
  (check: CheckReadiness): CheckReadiness =>
  (object, reads) =>
    isIgnored(object) ? ready : check(object, reads);

const isIgnored = ({ metadata }: KubeObject) => metadata.annotations?.[ANNOTATION_IGNORE_PODS] === 'true';

const CHECKS: ReadonlyMap<string, CheckReadiness> = new Map([
  ['apps/Deployment', unlessIgnored(checkDeployment)],
  ['apps/StatefulSet', unlessIgnored(checkStatefulSet)],
  ['apps/DaemonSet', unlessIgnored(checkDaemonSet)],
  ['/Pod', unlessIgnored(checkPod)],
  ['batch/Job', checkJob],
  ['apiextensions.k8s.io/CustomResourceDefinition', checkCrd],
]);

/** The check of a kind; undefined: its objects are ready as soon as they exist. */
export const checkOf = ({ group, kind }: Pick<ResourceType, 'group' | 'kind'>): CheckReadiness | undefined =>
  CHECKS.get(`${group}/${kind}`);
