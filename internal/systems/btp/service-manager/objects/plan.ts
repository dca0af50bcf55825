export interface ServiceOffering {
  readonly id: string;
  readonly catalogName: string;
  readonly dataCenter?: string;
  readonly tags: readonly string[];
}

export interface ServicePlan {
  readonly id: string;
  readonly catalogName: string;
  readonly serviceOfferingID: string;
}

/** What a ServiceInstance says about its plan. */
export interface PlanSelection {
  /** The external name of the instance, for messages. */
  readonly instanceName: string;
  readonly offeringName: string;
  readonly planName: string;
  /** Needed if several plans match. */
  readonly planID?: string;
  /** Default: empty. */
  readonly dataCenter?: string;
}

/** A plan with its offering. */
export interface SelectedPlan {
  readonly plan: ServicePlan;
  readonly offering: ServiceOffering;
}
