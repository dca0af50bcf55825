import type { Condition, KubeObject } from '../../../framework/kube/index.ts';
import type { UserInfo } from '../service-manager/index.ts';

/** What ServiceInstance and ServiceBinding have in common. */
export interface ServiceResource extends KubeObject {
  kind: 'ServiceInstance' | 'ServiceBinding';
  metadata: KubeObject['metadata'] & { namespace: string };
  spec: ServiceSpec;
  status?: ServiceStatus;
}

export interface ServiceSpec {
  /** The name in Service Manager. The webhook defaults it to that of the object; it may be off. */
  externalName?: string;
  parameters?: Record<string, unknown>;
  parametersFrom?: { secretKeyRef: { name: string; key: string } }[];
  userInfo?: UserInfo;
}

export interface ServiceStatus {
  conditions: Condition[];
  ready?: 'True' | 'False';
  subaccountID?: string;
  /** The viewer (`ServiceManagerClient.viewer`) that created it or saw it last. */
  viewer?: string;
  /** The operation to poll. */
  operationURL?: string;
  operationType?: string;
  observedGeneration?: number;
}

/** The name in Service Manager. */
export const externalNameOf = ({ spec, metadata }: ServiceResource): string =>
  spec.externalName || metadata.name;
