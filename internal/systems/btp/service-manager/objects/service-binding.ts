import type { Operation } from './operation.ts';
import type { KubernetesIdentity, Labels, Parameters } from './service-instance.ts';

/** A binding in Service Manager. Printing or serialising it shows no credentials. */
export interface ServiceBinding {
  readonly id: string;
  readonly name: string;
  readonly serviceInstanceID?: string;
  /** The JSON text exactly as received. Absent if there are none, or null. Secret. */
  readonly credentials?: string;
  readonly labels: Labels;
  /** The label `subaccount_id`. */
  readonly subaccountID?: string;
  readonly ready: boolean;
  /** With `findBindings`, if there was an operation. */
  readonly lastOperation?: Operation;
}

/** A binding to create. */
export interface NewServiceBinding {
  /** The external name. */
  readonly name: string;
  readonly serviceInstanceID: string;
  /** Absent: none are sent. */
  readonly parameters?: Parameters;
  readonly identity: KubernetesIdentity;
}

/** The new external name and the new name in Kubernetes. */
export interface BindingRename {
  readonly name: string;
  readonly kubernetesName: string;
}
