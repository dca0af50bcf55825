import type { KubeObject } from '../../../../../framework/kube/index.ts';

import type { DeployTarget } from '../../model/component.ts';
import type { PreparedObject } from '../prepared-object.ts';

export interface InterceptorContext {
  readonly target: Pick<DeployTarget, 'component' | 'namespace' | 'version'>;
  /** All objects that are going to be applied. */
  readonly objects: readonly PreparedObject[];
  /** The object as the cluster has it; undefined if it does not exist. Read once. */
  live(object: PreparedObject): Promise<KubeObject | undefined>;
  /** The HorizontalPodAutoscalers of the namespace that the cluster has. Read once. */
  autoscalers(namespace: string): Promise<readonly KubeObject[]>;
}

/** Changes an object in place before it is applied. If one throws, nothing is applied. */
export type Interceptor = (object: PreparedObject, context: InterceptorContext) => void | Promise<void>;
