// Generated from apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.yaml by hack/codegen. Do not edit; run `make generate`.
import type { ObjectMeta } from "../../object-meta.ts";

/** Where cluster-scoped InstanceMappings are served. */
export const instanceMappings: {
    readonly apiVersion: "inventory.hana.orchestrate.cloud.sap/v1alpha1";
    readonly group: "inventory.hana.orchestrate.cloud.sap";
    readonly version: "v1alpha1";
    readonly kind: "InstanceMapping";
    readonly plural: "instancemappings";
    readonly namespaced: false;
    /** For the compiler only: it ties the type to its objects. Never set. */
    readonly objectType?: InstanceMapping;
} = {
    apiVersion: "inventory.hana.orchestrate.cloud.sap/v1alpha1",
    group: "inventory.hana.orchestrate.cloud.sap",
    version: "v1alpha1",
    kind: "InstanceMapping",
    plural: "instancemappings",
    namespaced: false,
};

/** Where namespaced InstanceMappings are served. */
export const namespacedInstanceMappings: {
    readonly apiVersion: "inventory.hana.m.orchestrate.cloud.sap/v1alpha1";
    readonly group: "inventory.hana.m.orchestrate.cloud.sap";
    readonly version: "v1alpha1";
    readonly kind: "InstanceMapping";
    readonly plural: "instancemappings";
    readonly namespaced: true;
    /** For the compiler only: it ties the type to its objects. Never set. */
    readonly objectType?: InstanceMapping;
} = {
    apiVersion: "inventory.hana.m.orchestrate.cloud.sap/v1alpha1",
    group: "inventory.hana.m.orchestrate.cloud.sap",
    version: "v1alpha1",
    kind: "InstanceMapping",
    plural: "instancemappings",
    namespaced: true,
};

/** By scope. */
export const instanceMappingTypes: {
    readonly cluster: typeof instanceMappings;
    readonly namespaced: typeof namespacedInstanceMappings;
} = { cluster: instanceMappings, namespaced: namespacedInstanceMappings };

/**
 * Maps a HANA Cloud instance to a Kubernetes cluster and namespace, to a Cloud Foundry organization and
 * space, or to a subaccount, by their IDs in HANA Cloud. On Kyma, a KymaInstanceMapping reads these IDs from
 * other objects.
 */
export interface InstanceMapping {
    apiVersion: typeof instanceMappings.apiVersion | typeof namespacedInstanceMappings.apiVersion;
    kind: typeof instanceMappings.kind;
    metadata: ObjectMeta;
    spec: InstanceMappingSpec;
    status?: InstanceMappingStatus;
}

/** What is asked for. */
export type InstanceMappingSpec = {
    /** The instance, what it is mapped to, and the credentials. */
    forProvider: {
        /** ID of the HANA Cloud instance, from its service instance. It cannot be changed. */
        serviceInstanceID: string;
        /** The platform that the instance is mapped to. It cannot be changed. */
        platform: "kubernetes" | "cloudfoundry" | "subaccount-api-access";
        /**
         * For kubernetes the ID of the cluster, for cloudfoundry the GUID of the organization, for
         * subaccount-api-access the GUID of the subaccount. It cannot be changed.
         */
        primaryID: string;
        /**
         * For kubernetes the namespace, for cloudfoundry the GUID of the space. Without it, the mapping is
         * for all of primaryID. It cannot be changed, added or removed.
         */
        secondaryID?: string;
        /**
         * Whether this is the default mapping for primaryID. A change that is made directly in HANA Cloud is
         * reverted.
         * @default false
         */
        isDefault?: boolean;
        /**
         * The Secret with credentials of the HANA Cloud administration API. They are read in each reconcile
         * and never written.
         * Namespaced form: The Secret in the namespace of this object with credentials of the HANA Cloud
         * administration API. They are read in each reconcile and never written.
         */
        adminCredentialsSecretRef: {
            /** Name of the Secret. */
            name: string;
            /** Namespace of the Secret. Cluster-scoped form only. */
            namespace?: string;
            /**
             * The key of the Secret with the credentials, as a JSON object {"baseurl", "uaa": {"url",
             * "clientid", "clientsecret"}}.
             */
            key: string;
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
    /**
     * Ignored; accepted so that manifests for earlier Crossplane releases apply unchanged. External secret
     * stores no longer exist. Use writeConnectionSecretToRef. Cluster-scoped form only.
     */
    publishConnectionDetailsTo?: {
        /** Ignored: name of the connection secret. */
        name: string;
        /**
         * Ignored: the store configuration.
         * @default { "name": "default" }
         */
        configRef?: {
            /** Ignored: name of the store configuration. */
            name: string;
            /**
             * How the reference is resolved. Accepted for compatibility; references by name need no
             * resolution.
             */
            policy?: {
                /**
                 * Whether a reference that cannot be resolved is an error (Required) or is ignored
                 * (Optional).
                 * @default Required
                 */
                resolution?: "Required" | "Optional";
                /**
                 * When the reference is resolved: on every reconcile (Always), or only while the field it
                 * fills is empty (IfNotPresent).
                 */
                resolve?: "Always" | "IfNotPresent";
            };
        };
        /** Ignored: metadata of the connection secret. */
        metadata?: {
            /** Ignored: labels of the connection secret. */
            labels?: {
                [key: string]: string;
            };
            /** Ignored: annotations of the connection secret. */
            annotations?: {
                [key: string]: string;
            };
            /** Ignored: type of the connection secret. */
            type?: string;
        };
    };
};

/** What the provider found. */
export type InstanceMappingStatus = {
    /** The observed state in HANA Cloud. It contains no secrets. */
    atProvider?: {
        /** Whether HANA Cloud has the mapping. */
        mappingExists?: boolean;
        /**
         * Time of the last change of the observed state.
         * Format: date-time
         */
        lastSyncTime?: string;
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
export type InstanceMappingParameters = InstanceMappingSpec["forProvider"];

/** What `status.atProvider` holds. */
export type InstanceMappingObservation = NonNullable<InstanceMappingStatus["atProvider"]>;

/** Goes by apiVersion and kind; the API server has seen to the rest. */
export function isInstanceMapping(object: unknown): object is InstanceMapping {
    if (typeof object !== "object" || object === null) return false;
    const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown };
    return apiVersion === instanceMappings.apiVersion && kind === instanceMappings.kind
        || apiVersion === namespacedInstanceMappings.apiVersion && kind === namespacedInstanceMappings.kind;
}

/** A InstanceMapping from what differs between two of them; what is not part of the body is metadata. */
export function instanceMapping(
    parts: ObjectMeta & Omit<InstanceMapping, "apiVersion" | "kind" | "metadata">,
): InstanceMapping {
    const { spec, status, ...metadata } = parts;
    const { apiVersion, kind } = metadata.namespace === undefined ? instanceMappings : namespacedInstanceMappings;
    return {
        apiVersion,
        kind,
        metadata,
        spec,
        ...(status === undefined ? {} : { status }),
    };
}
