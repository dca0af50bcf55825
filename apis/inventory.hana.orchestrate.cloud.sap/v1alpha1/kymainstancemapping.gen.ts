// Generated from apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.yaml by hack/codegen. Do not edit; run `make generate`.
import type { ObjectMeta } from "../../object-meta.ts";

/** Where cluster-scoped KymaInstanceMappings are served. */
export const kymaInstanceMappings: {
    readonly apiVersion: "inventory.hana.orchestrate.cloud.sap/v1alpha1";
    readonly group: "inventory.hana.orchestrate.cloud.sap";
    readonly version: "v1alpha1";
    readonly kind: "KymaInstanceMapping";
    readonly plural: "kymainstancemappings";
    readonly namespaced: false;
    /** For the compiler only: it ties the type to its objects. Never set. */
    readonly objectType?: KymaInstanceMapping;
} = {
    apiVersion: "inventory.hana.orchestrate.cloud.sap/v1alpha1",
    group: "inventory.hana.orchestrate.cloud.sap",
    version: "v1alpha1",
    kind: "KymaInstanceMapping",
    plural: "kymainstancemappings",
    namespaced: false,
};

/** Where namespaced KymaInstanceMappings are served. */
export const namespacedKymaInstanceMappings: {
    readonly apiVersion: "inventory.hana.m.orchestrate.cloud.sap/v1alpha1";
    readonly group: "inventory.hana.m.orchestrate.cloud.sap";
    readonly version: "v1alpha1";
    readonly kind: "KymaInstanceMapping";
    readonly plural: "kymainstancemappings";
    readonly namespaced: true;
    /** For the compiler only: it ties the type to its objects. Never set. */
    readonly objectType?: KymaInstanceMapping;
} = {
    apiVersion: "inventory.hana.m.orchestrate.cloud.sap/v1alpha1",
    group: "inventory.hana.m.orchestrate.cloud.sap",
    version: "v1alpha1",
    kind: "KymaInstanceMapping",
    plural: "kymainstancemappings",
    namespaced: true,
};

/** By scope. */
export const kymaInstanceMappingTypes: {
    readonly cluster: typeof kymaInstanceMappings;
    readonly namespaced: typeof namespacedKymaInstanceMappings;
} = { cluster: kymaInstanceMappings, namespaced: namespacedKymaInstanceMappings };

/**
 * Maps a HANA Cloud instance to a namespace of a Kyma cluster, so that workloads there find the database
 * automatically. In each reconcile the provider reads the input objects of the mapping on that cluster: the
 * ServiceInstance, a ServiceBinding with credentials of the HANA Cloud administration API, and the ConfigMap
 * with the cluster ID.
 */
export interface KymaInstanceMapping {
    apiVersion: typeof kymaInstanceMappings.apiVersion | typeof namespacedKymaInstanceMappings.apiVersion;
    kind: typeof kymaInstanceMappings.kind;
    metadata: ObjectMeta;
    spec: KymaInstanceMappingSpec;
    status?: KymaInstanceMappingStatus;
}

/** What is asked for. */
export type KymaInstanceMappingSpec = {
    /** The instance, and the cluster and namespace that it is mapped to. */
    forProvider: {
        /**
         * The connection to the Kyma cluster with the objects below. Without it they are read from the
         * cluster of this object.
         * Namespaced form: The connection to the Kyma cluster with the objects below. Without it they are
         * read from the namespace of this object.
         */
        kymaConnectionRef?: {
            /**
             * The Secret, on the cluster of this object, with a kubeconfig of the Kyma cluster. A kubeconfig
             * that runs a program, reads files, or does not verify the server's certificate is refused.
             * Namespaced form: The Secret in the namespace of this object with a kubeconfig of the Kyma
             * cluster. A kubeconfig that runs a program, reads files, or does not verify the server's
             * certificate is refused.
             */
            secretRef: {
                /** Name of the Secret. */
                name: string;
                /** Namespace of the Secret. Cluster-scoped form only. */
                namespace?: string;
            };
            /**
             * The key of the Secret with the kubeconfig.
             * @default kubeconfig
             */
            kubeconfigKey?: string;
        };
        /**
         * The ServiceInstance (services.cloud.sap.com/v1) of the HANA Cloud instance that is mapped. Its
         * status.instanceID is used; the mapping is created when it is ready.
         */
        serviceInstanceRef: {
            /** Name of the ServiceInstance. */
            name: string;
            /**
             * Namespace of the ServiceInstance.
             * Namespaced form: The default is the namespace of this object. Another one is allowed only with
             * kymaConnectionRef.
             */
            namespace?: string;
        };
        /**
         * The ServiceBinding (services.cloud.sap.com/v1) whose Secret has credentials of the HANA Cloud
         * administration API, usually of a service instance with plan admin-api-access. The credentials are
         * read in each reconcile and never written.
         */
        adminBindingRef: {
            /** Name of the ServiceBinding. */
            name: string;
            /**
             * Namespace of the ServiceBinding and of its Secret.
             * Namespaced form: The default is the namespace of this object. Another one is allowed only with
             * kymaConnectionRef.
             */
            namespace?: string;
        };
        /**
         * The namespace of the Kyma cluster that the instance is mapped to. The default is the namespace of
         * the ServiceInstance. It cannot be changed, and cannot be added or removed after the mapping exists.
         */
        targetNamespace?: string;
        /**
         * The ConfigMap with the ID of the Kyma cluster under the key CLUSTER_ID. The default is the
         * ConfigMap of the SAP BTP service operator, sap-btp-operator-config in the namespace kyma-system;
         * without kymaConnectionRef the one that the flag --cluster-id-config-map of the provider names.
         */
        clusterIdConfigMapRef?: {
            /** Name of the ConfigMap. */
            name: string;
            /**
             * Namespace of the ConfigMap.
             * Namespaced form: The default is the namespace of this object. Another one is allowed only with
             * kymaConnectionRef.
             */
            namespace?: string;
        };
        /**
         * Whether this is the default mapping of the Kyma cluster. A change that is made directly in HANA
         * Cloud is reverted.
         * @default false
         */
        isDefault?: boolean;
        /**
         * Ignored; accepted so that existing manifests apply unchanged. Credentials are never copied to
         * another Secret. Cluster-scoped form only.
         */
        credentialsSecretNamespace?: string;
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
export type KymaInstanceMappingStatus = {
    /** The observed state on the Kyma cluster and in HANA Cloud. It contains no secrets. */
    atProvider?: {
        /** Values from the Kyma cluster. */
        kyma?: {
            /** ID of the HANA Cloud instance, from the status of the ServiceInstance. */
            serviceInstanceID?: string;
            /** Name of the ServiceInstance that was read. */
            serviceInstanceName?: string;
            /** Whether the ServiceInstance was ready. */
            serviceInstanceReady?: boolean;
            /** ID of the Kyma cluster, from the ConfigMap. */
            clusterID?: string;
        };
        /** The observed mapping in HANA Cloud. */
        hana?: {
            /**
             * Identity of the mapping. It is stored here because the input objects may be missing when the
             * mapping has to be deleted.
             */
            mappingId?: {
                /** ID of the HANA Cloud instance. */
                serviceInstanceID: string;
                /** ID of the Kyma cluster. */
                primaryID: string;
                /** The namespace. */
                secondaryID?: string;
            };
            /** Whether the mapping existed at the last observation. */
            ready?: boolean;
        };
        /**
         * Accepted and never written: another provider records here the InstanceMapping and the Secret that
         * it created for this object. Cluster-scoped form only.
         */
        childResources?: {
            /** Name of the InstanceMapping that was created. */
            instanceMappingName?: string;
            /** Name of the Secret that was created. */
            credentialsSecretName?: string;
            /** Namespace of the Secret that was created. */
            credentialsSecretNamespace?: string;
            /** Whether the InstanceMapping was ready. */
            instanceMappingReady?: boolean;
            /** Whether the InstanceMapping was synced. */
            instanceMappingSynced?: boolean;
        };
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
export type KymaInstanceMappingParameters = KymaInstanceMappingSpec["forProvider"];

/** What `status.atProvider` holds. */
export type KymaInstanceMappingObservation = NonNullable<KymaInstanceMappingStatus["atProvider"]>;

/** Goes by apiVersion and kind; the API server has seen to the rest. */
export function isKymaInstanceMapping(object: unknown): object is KymaInstanceMapping {
    if (typeof object !== "object" || object === null) return false;
    const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown };
    return apiVersion === kymaInstanceMappings.apiVersion && kind === kymaInstanceMappings.kind
        || apiVersion === namespacedKymaInstanceMappings.apiVersion && kind === namespacedKymaInstanceMappings.kind;
}

/** A KymaInstanceMapping from what differs between two of them; what is not part of the body is metadata. */
export function kymaInstanceMapping(
    parts: ObjectMeta & Omit<KymaInstanceMapping, "apiVersion" | "kind" | "metadata">,
): KymaInstanceMapping {
    const { spec, status, ...metadata } = parts;
    const { apiVersion, kind } = metadata.namespace === undefined ? kymaInstanceMappings : namespacedKymaInstanceMappings;
    return {
        apiVersion,
        kind,
        metadata,
        spec,
        ...(status === undefined ? {} : { status }),
    };
}
