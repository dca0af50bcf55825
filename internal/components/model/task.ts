/** What a component reconciler is asked to do: the body of `POST /v1/run`, by the names of its JSON fields. */
export interface Task {
  /** Components of the cluster that are done in this run. */
  componentsReady: string[];
  component: string;
  namespace: string;
  /** Of Kyma, or of the component in its own repository. */
  version: string;
  /** Where the chart is; empty: the version of Kyma. */
  url: string;
  /** Empty, `evaluation` or `production`. */
  profile: string;
  /** Values of the chart by dotted key. */
  configuration: Record<string, unknown>;
  /** Of the cluster, as text. */
  kubeconfig: string;
  metadata: TaskMetadata;
  /** Where reports are sent, with the query as it is; empty: they are logged. */
  callbackURL: string;
  correlationID: string;
  repository: { url: string };
  type: 'reconcile' | 'delete';
  componentConfiguration: {
    /** Attempts; 0: none is left. */
    maxRetries: number;
    /** Whether details are logged. */
    debug: boolean;
  };
}

/** Where the cluster belongs to. */
export interface TaskMetadata {
  globalAccountID: string;
  subAccountID: string;
  serviceID: string;
  servicePlanID: string;
  servicePlanName: string;
  shootName: string;
  instanceID: string;
  region: string;
}
