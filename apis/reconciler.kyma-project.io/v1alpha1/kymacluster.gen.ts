// Generated from apis/reconciler.kyma-project.io/v1alpha1/kymacluster.yaml by hack/codegen. Do not edit; run `make generate`.
import type { ObjectMeta } from "../../object-meta.ts";

/** Where cluster-scoped KymaClusters are served. */
export const kymaClusters: {
    readonly apiVersion: "reconciler.kyma-project.io/v1alpha1";
    readonly group: "reconciler.kyma-project.io";
    readonly version: "v1alpha1";
    readonly kind: "KymaCluster";
    readonly plural: "kymaclusters";
    readonly namespaced: false;
    /** For the compiler only: it ties the type to its objects. Never set. */
    readonly objectType?: KymaCluster;
} = {
    apiVersion: "reconciler.kyma-project.io/v1alpha1",
    group: "reconciler.kyma-project.io",
    version: "v1alpha1",
    kind: "KymaCluster",
    plural: "kymaclusters",
    namespaced: false,
};

/** Where namespaced KymaClusters are served. */
export const namespacedKymaClusters: {
    readonly apiVersion: "reconciler.m.kyma-project.io/v1alpha1";
    readonly group: "reconciler.m.kyma-project.io";
    readonly version: "v1alpha1";
    readonly kind: "KymaCluster";
    readonly plural: "kymaclusters";
    readonly namespaced: true;
    /** For the compiler only: it ties the type to its objects. Never set. */
    readonly objectType?: KymaCluster;
} = {
    apiVersion: "reconciler.m.kyma-project.io/v1alpha1",
    group: "reconciler.m.kyma-project.io",
    version: "v1alpha1",
    kind: "KymaCluster",
    plural: "kymaclusters",
    namespaced: true,
};

/** By scope. */
export const kymaClusterTypes: {
    readonly cluster: typeof kymaClusters;
    readonly namespaced: typeof namespacedKymaClusters;
} = { cluster: kymaClusters, namespaced: namespacedKymaClusters };

/**
 * A cluster whose Kyma components a mothership installs, keeps and removes. Its configuration names the
 * mothership.
 */
export interface KymaCluster {
    apiVersion: typeof kymaClusters.apiVersion | typeof namespacedKymaClusters.apiVersion;
    kind: typeof kymaClusters.kind;
    metadata: ObjectMeta;
    spec: KymaClusterSpec;
    status?: KymaClusterStatus;
}

/** What is asked for. */
export type KymaClusterSpec = {
    /** The cluster, and what is to be installed on it. */
    forProvider: {
        /**
         * Id of the cluster in the inventory of the mothership. It cannot be changed. Default: the UID of
         * this object.
         */
        runtimeID?: string;
        /** Name of the cluster, for people. Default: the name of this object. */
        name?: string;
        /**
         * The Secret with the kubeconfig of the cluster, e.g. that of a Runtime. Without it the mothership
         * reads the Secret kubeconfig-<runtimeID> of its own control plane.
         * Namespaced form: The Secret in the namespace of this object with the kubeconfig of the cluster. It
         * is required: only administrators may name the kubeconfigs of others by a runtimeID.
         */
        kubeconfigSecretRef?: {
            /** Name of the Secret. */
            name: string;
            /** Namespace of the Secret. Cluster-scoped form only. */
            namespace?: string;
            /**
             * Key of the Secret.
             * @default config
             */
            key?: string;
        };
        /** Version of Kyma. */
        version: string;
        /** Profile of Kyma, e.g. production or evaluation. */
        profile?: string;
        /** Users that are administrators of the cluster. */
        administrators?: string[];
        /** The components to install. One that is removed from the list stays on the cluster. */
        components?: {
            /** Name of the component. */
            component: string;
            /**
             * Namespace that it is installed in.
             * @default kyma-system
             */
            namespace?: string;
            /** Version of the component. Default: that of Kyma. */
            version?: string;
            /** URL of its charts: a Git repository or an archive. Default: a component of Kyma. */
            url?: string;
            /** Values that differ from those of its chart. */
            configuration?: {
                /** Path of the value, with dots; at most 64 segments. */
                key: string;
                /** The value, as text or as JSON. */
                value: string;
                /**
                 * Whether the value is a text, or JSON such as true or 5.
                 * @default Text
                 */
                format?: "Text" | "JSON";
            }[];
        }[];
        /** What the cluster belongs to. */
        metadata?: {
            /** Id of the global account. */
            globalAccountID?: string;
            /** Id of the subaccount. */
            subAccountID?: string;
            /** Id of the service. */
            serviceID?: string;
            /** Id of the service plan. */
            servicePlanID?: string;
            /** Name of the service plan. */
            servicePlanName?: string;
            /** Name of the Shoot in Gardener. */
            shootName?: string;
            /** Id of the service instance. */
            instanceID?: string;
            /** Region of the cluster. */
            region?: string;
        };
    };
    /**
     * What the provider may do with the external resource. "*", the default, allows everything; [Observe]
     * only observes it; an empty list pauses the resource. Without Delete, or "*", the external resource
     * stays when this object is deleted.
     * @default [ "*" ]
     */
    managementPolicies?: ("Observe" | "Create" | "Update" | "Delete" | "LateInitialize" | "*")[];
    /**
     * What happens to the external resource when this object is deleted: Delete, the default, deletes it;
     * Orphan keeps it. managementPolicies other than "*" take precedence. Cluster-scoped form only.
     * @default Delete
     */
    deletionPolicy?: "Orphan" | "Delete";
    /**
     * The ProviderConfig that is used.
     * Namespaced form: The provider configuration that is used.
     */
    providerConfigRef?: {
        /**
         * Name of the ProviderConfig.
         * Namespaced form: Name of the provider configuration.
         */
        name: string;
        /**
         * How the reference is resolved. Accepted for compatibility; references by name need no resolution.
         * Cluster-scoped form only.
         */
        policy?: {
            /**
             * Whether a reference that cannot be resolved is an error (Required) or is ignored (Optional).
             * @default Required
             */
            resolution?: "Required" | "Optional";
            /**
             * When the reference is resolved: on every reconcile (Always), or only while the field it fills
             * is empty (IfNotPresent).
             */
            resolve?: "Always" | "IfNotPresent";
        };
        /**
         * ClusterProviderConfig, or ProviderConfig for one in the namespace of the resource. Namespaced form
         * only.
         */
        kind?: string;
    };
    /**
     * The Secret that connection details are written to. Without it none are written.
     * Namespaced form: It is in the namespace of the resource.
     */
    writeConnectionSecretToRef?: {
        /** Name of the Secret. */
        name: string;
        /** Namespace of the Secret. Cluster-scoped form only. */
        namespace?: string;
    };
};

/** What the provider found. */
export type KymaClusterStatus = {
    /** The cluster as the mothership has it. It contains no secrets. */
    atProvider?: {
        /** Its status, e.g. ready, reconciling or error. */
        status?: string;
        /** Where its status is served. */
        statusURL?: string;
        /**
         * The newest version of its configuration with which it was ready.
         * Format: int64
         */
        readyConfigurationVersion?: number;
        /**
         * Version of its entry in the inventory.
         * Format: int64
         */
        clusterVersion?: number;
        /**
         * Version of its configuration.
         * Format: int64
         */
        configurationVersion?: number;
        /** Version of Kyma in its configuration. */
        kymaVersion?: string;
        /** A digest of the kubeconfig that was registered, which shows when it has changed. */
        kubeconfigDigest?: string;
        /** Components that failed in its run. */
        failures?: {
            /** Name of the component. */
            component: string;
            /** Why it failed. */
            reason: string;
        }[];
    };
    /**
     * The observed state, with one entry for each condition type. Ready: whether the external resource can be
     * used. Synced: whether the last reconcile succeeded.
     */
    conditions?: {
        /** Type of the condition, such as Ready or Synced. */
        type: string;
        /** True, False or Unknown. */
        status: "True" | "False" | "Unknown";
        /** Reason of the status, as one word for programs. */
        reason: string;
        /** Reason of the status, as text for people. It never contains credentials. */
        message?: string;
        /**
         * Time of the last change of the status of the condition.
         * Format: date-time
         */
        lastTransitionTime: string;
        /**
         * The metadata.generation that the condition belongs to. If it is lower than the current one, the
         * condition does not include the latest change of the spec.
         * Format: int64
         */
        observedGeneration?: number;
    }[];
    /**
     * The metadata.generation that was reconciled last.
     * Format: int64
     */
    observedGeneration?: number;
    /**
     * The value of the annotation crossplane.io/reconcile-requested-at that was handled last. Set the
     * annotation to a new value to reconcile the resource at once.
     */
    lastHandledReconcileAt?: string;
};

/** What `spec.forProvider` holds. */
export type KymaClusterParameters = KymaClusterSpec["forProvider"];

/** What `status.atProvider` holds. */
export type KymaClusterObservation = NonNullable<KymaClusterStatus["atProvider"]>;

/** Goes by apiVersion and kind; the API server has seen to the rest. */
export function isKymaCluster(object: unknown): object is KymaCluster {
    if (typeof object !== "object" || object === null) return false;
    const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown };
    return apiVersion === kymaClusters.apiVersion && kind === kymaClusters.kind
        || apiVersion === namespacedKymaClusters.apiVersion && kind === namespacedKymaClusters.kind;
}

/** A KymaCluster from what differs between two of them; what is not part of the body is metadata. */
export function kymaCluster(
    parts: ObjectMeta & Omit<KymaCluster, "apiVersion" | "kind" | "metadata">,
): KymaCluster {
    const { spec, status, ...metadata } = parts;
    const { apiVersion, kind } = metadata.namespace === undefined ? kymaClusters : namespacedKymaClusters;
    return {
        apiVersion,
        kind,
        metadata,
        spec,
        ...(status === undefined ? {} : { status }),
    };
}
