import type { Operation } from './operation.ts';

/** Labels of an object by key, each with its values. */
export type Labels = Readonly<Record<string, readonly string[]>>;

/** The identity of an object in Kubernetes: the labels `_namespace`, `_k8sname` and `_clusterid`. */
export interface KubernetesIdentity {
  readonly clusterID: string;
  readonly namespace: string;
  /** metadata.name */
  readonly name: string;
}

/** An instance in Service Manager. */
export interface ServiceInstance {
  readonly id: string;
  readonly name: string;
  readonly servicePlanID?: string;
  readonly platformID?: string;
  readonly labels: Labels;
  /** The label `subaccount_id`, else `context.subaccount_id`. */
  readonly subaccountID?: string;
  readonly ready: boolean;
  readonly usable: boolean;
  readonly shared: boolean;
  /** With `findInstances`, if there was an operation. */
  readonly lastOperation?: Operation;
}

/** JSON object. Values of `JSON.rawJSON` are sent verbatim. */
export type Parameters = Readonly<Record<string, unknown>>;

/** An instance to provision. */
export interface NewServiceInstance {
  /** The external name. */
  readonly name: string;
  readonly servicePlanID: string;
  /** Absent: none are sent. */
  readonly parameters?: Parameters;
  readonly identity: KubernetesIdentity;
}

/** The content of an update. */
export interface ServiceInstanceUpdate {
  readonly name: string;
  readonly servicePlanID: string;
  /** Absent: none are sent. */
  readonly parameters?: Parameters;
}

/** Finds the object of a resource whose ID was not recorded: name and identity must all match. */
export interface RecoveryQuery {
  /** The external name. */
  readonly name: string;
  readonly identity: KubernetesIdentity;
}
