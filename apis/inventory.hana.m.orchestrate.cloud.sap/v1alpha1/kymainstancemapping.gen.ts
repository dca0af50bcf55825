// Generated from apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.yaml by hack/codegen. Do not edit; run `make generate`.

/** Where KymaInstanceMappings are served. */
export const kymaInstanceMappings: {
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

/**
 * Maps a HANA Cloud instance to a namespace of a Kyma cluster, so that workloads there find the database by
 * themselves. Everything the mapping needs is read, on every reconcile, from objects on that cluster: the
 * ServiceInstance, a ServiceBinding with credentials of the HANA Cloud administration API, and the ConfigMap
 * that holds the cluster ID.
 */
export interface KymaInstanceMapping {
    apiVersion: typeof kymaInstanceMappings.apiVersion;
    kind: typeof kymaInstanceMappings.kind;
    metadata: ObjectMeta;
    spec: KymaInstanceMappingSpec;
    status?: KymaInstanceMappingStatus;
}

/** What is asked for. */
export type KymaInstanceMappingSpec = {
    /** Which instance is mapped, to which cluster and namespace. */
    forProvider: {
        /**
         * How to reach the Kyma cluster that the objects below are read from. Without it they are read from
         * the namespace of this object, on the cluster that it lives on.
         */
        kymaConnectionRef?: {
            /**
             * The Secret in the namespace of this object that holds a kubeconfig of the Kyma cluster. A
             * kubeconfig that runs a program, reads files, or does not verify the server's certificate is
             * refused.
             */
            secretRef: {
                /** Name of the Secret. */
                name: string;
            };
            /**
             * The key of the Secret under which the kubeconfig stands.
             * @default kubeconfig
             */
            kubeconfigKey?: string;
        };
        /**
         * The ServiceInstance (services.cloud.sap.com/v1) of the HANA Cloud instance that is mapped. Its
         * status.instanceID is used; the mapping is made once it is ready.
         */
        serviceInstanceRef: {
            /** Name of the ServiceInstance. */
            name: string;
            /**
             * Namespace of the ServiceInstance. Without it, that of this object. Another one can be named
             * only with kymaConnectionRef.
             */
            namespace?: string;
        };
        /**
         * The ServiceBinding (services.cloud.sap.com/v1) whose Secret holds credentials of the HANA Cloud
         * administration API, usually of a service instance with plan admin-api-access. The credentials are
         * read on every reconcile and are written nowhere.
         */
        adminBindingRef: {
            /** Name of the ServiceBinding. */
            name: string;
            /**
             * Namespace of the ServiceBinding and of its Secret. Without it, that of this object. Another one
             * can be named only with kymaConnectionRef.
             */
            namespace?: string;
        };
        /**
         * The namespace of the Kyma cluster that the instance is mapped to. Without it, the namespace of the
         * ServiceInstance is used. It cannot be changed, nor be added or removed once the mapping exists.
         */
        targetNamespace?: string;
        /**
         * The ConfigMap that holds the ID of the Kyma cluster under the key CLUSTER_ID. Without it, the one
         * of the SAP BTP service operator is read: sap-btp-operator-config in the namespace kyma-system.
         */
        clusterIdConfigMapRef?: {
            /** Name of the ConfigMap. */
            name: string;
            /**
             * Namespace of the ConfigMap. Without it, that of this object. Another one can be named only with
             * kymaConnectionRef.
             */
            namespace?: string;
        };
        /**
         * Whether this is the default mapping of the Kyma cluster. A value that someone else changes in HANA
         * Cloud is put right.
         * @default false
         */
        isDefault?: boolean;
    };
    /**
     * What the provider may do with the external resource. "*", the default, means everything; [Observe] only
     * looks at it; an empty list pauses the resource. Without Delete, or "*", the external resource stays
     * when this object is deleted.
     * @default [ "*" ]
     */
    managementPolicies?: ("Observe" | "Create" | "Update" | "Delete" | "LateInitialize" | "*")[];
    /**
     * The provider configuration that is used.
     * @default { "kind": "ClusterProviderConfig", "name": "default" }
     */
    providerConfigRef?: {
        /** ClusterProviderConfig, or ProviderConfig for one in the namespace of the resource. */
        kind: string;
        /** Name of the provider configuration. */
        name: string;
    };
    /**
     * The Secret that connection details are written to. Without it none are written. It lies in the
     * namespace of the resource.
     */
    writeConnectionSecretToRef?: {
        /** Name of the Secret. */
        name: string;
    };
};

/** What the provider found. */
export type KymaInstanceMappingStatus = {
    /** What was found on the Kyma cluster and in HANA Cloud. It holds nothing secret. */
    atProvider?: {
        /** What was read from the Kyma cluster. */
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
        /** What HANA Cloud says about the mapping. */
        hana?: {
            /**
             * What the mapping is known by. It is recorded here because the objects it was read from may be
             * gone when the mapping has to be deleted.
             */
            mappingId?: {
                /** ID of the HANA Cloud instance. */
                serviceInstanceID: string;
                /** ID of the Kyma cluster. */
                primaryID: string;
                /** The namespace. */
                secondaryID?: string;
            };
            /** Whether the mapping was there when it was last looked for. */
            ready?: boolean;
        };
    };
    /**
     * What the provider last found, one entry for each condition type. Ready says whether the external
     * resource can be used, Synced whether the last reconcile did all that was asked.
     */
    conditions?: {
        /** What the condition is about, such as Ready or Synced. */
        type: string;
        /** True, False or Unknown. */
        status: "True" | "False" | "Unknown";
        /** Why the condition has its status, in one word for programs. */
        reason: string;
        /** Why the condition has its status, in a sentence for people. Never holds a credential. */
        message?: string;
        /**
         * When the condition last became what it is.
         * Format: date-time
         */
        lastTransitionTime: string;
        /**
         * The metadata.generation that the condition was found for. If it is lower than the current one, the
         * condition does not yet tell about the latest change of the spec.
         * Format: int64
         */
        observedGeneration?: number;
    }[];
    /**
     * The metadata.generation that the provider last dealt with.
     * Format: int64
     */
    observedGeneration?: number;
    /**
     * The value of the annotation crossplane.io/reconcile-requested-at that was last obeyed. Set the
     * annotation to a new value to have the resource reconciled at once.
     */
    lastHandledReconcileAt?: string;
};

/** What `spec.forProvider` holds. */
export type KymaInstanceMappingParameters = KymaInstanceMappingSpec["forProvider"];

/** What `status.atProvider` holds. */
export type KymaInstanceMappingObservation = NonNullable<KymaInstanceMappingStatus["atProvider"]>;

interface ObjectMeta {
    name: string;
    namespace: string;
    generateName?: string;
    uid?: string;
    resourceVersion?: string;
    generation?: number;
    /** Format: date-time */
    creationTimestamp?: string;
    /** Format: date-time */
    deletionTimestamp?: string;
    deletionGracePeriodSeconds?: number;
    labels?: {
        [key: string]: string;
    };
    annotations?: {
        [key: string]: string;
    };
    finalizers?: string[];
    ownerReferences?: {
        apiVersion: string;
        kind: string;
        name: string;
        uid: string;
        controller?: boolean;
        blockOwnerDeletion?: boolean;
    }[];
    managedFields?: unknown[];
}

/** Goes by apiVersion and kind; the API server has seen to the rest. */
export function isKymaInstanceMapping(object: unknown): object is KymaInstanceMapping {
    if (typeof object !== "object" || object === null) return false;
    const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown };
    return apiVersion === kymaInstanceMappings.apiVersion && kind === kymaInstanceMappings.kind;
}

/** A KymaInstanceMapping from what differs between two of them; what is not part of the body is metadata. */
export function kymaInstanceMapping(
    parts: ObjectMeta & Omit<KymaInstanceMapping, "apiVersion" | "kind" | "metadata">,
): KymaInstanceMapping {
    const { spec, status, ...metadata } = parts;
    return {
        apiVersion: kymaInstanceMappings.apiVersion,
        kind: kymaInstanceMappings.kind,
        metadata,
        spec,
        ...(status === undefined ? {} : { status }),
    };
}
