// Generated from apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.yaml by hack/codegen. Do not edit; run `make generate`.

/** Where KymaInstanceMappings are served. */
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
         * the cluster that this object lives on.
         */
        kymaConnectionRef?: {
            /**
             * The Secret, on the cluster that this object lives on, that holds a kubeconfig of the Kyma
             * cluster. A kubeconfig that runs a program, reads files, or does not verify the server's
             * certificate is refused.
             */
            secretRef: {
                /** Name of the Secret. */
                name: string;
                /** Namespace of the Secret. */
                namespace: string;
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
            /** Namespace of the ServiceInstance. */
            namespace: string;
        };
        /**
         * The ServiceBinding (services.cloud.sap.com/v1) whose Secret holds credentials of the HANA Cloud
         * administration API, usually of a service instance with plan admin-api-access. The credentials are
         * read on every reconcile and are written nowhere.
         */
        adminBindingRef: {
            /** Name of the ServiceBinding. */
            name: string;
            /** Namespace of the ServiceBinding and of its Secret. */
            namespace: string;
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
            /** Namespace of the ConfigMap. */
            namespace: string;
        };
        /**
         * Whether this is the default mapping of the Kyma cluster. A value that someone else changes in HANA
         * Cloud is put right.
         * @default false
         */
        isDefault?: boolean;
        /**
         * Accepted so that existing manifests apply unchanged, and otherwise ignored: credentials are never
         * copied to another Secret.
         */
        credentialsSecretNamespace?: string;
    };
    /**
     * What the provider may do with the external resource. "*", the default, means everything; [Observe] only
     * looks at it; an empty list pauses the resource. Without Delete, or "*", the external resource stays
     * when this object is deleted.
     * @default [ "*" ]
     */
    managementPolicies?: ("Observe" | "Create" | "Update" | "Delete" | "LateInitialize" | "*")[];
    /**
     * What happens to the external resource when this object is deleted: Delete, the default, deletes it;
     * Orphan leaves it. managementPolicies other than "*" have precedence.
     * @default Delete
     */
    deletionPolicy?: "Orphan" | "Delete";
    /**
     * The ProviderConfig that is used.
     * @default { "name": "default" }
     */
    providerConfigRef?: {
        /** Name of the ProviderConfig. */
        name: string;
        /**
         * How the reference is resolved. Accepted for compatibility; references by name need no resolution.
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
    };
    /** The Secret that connection details are written to. Without it none are written. */
    writeConnectionSecretToRef?: {
        /** Name of the Secret. */
        name: string;
        /** Namespace of the Secret. */
        namespace: string;
    };
    /**
     * Accepted so that manifests written for earlier Crossplane releases apply unchanged, and otherwise
     * ignored: external secret stores no longer exist. Use writeConnectionSecretToRef.
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
        /**
         * Accepted and never written: where another provider recorded the InstanceMapping and the Secret that
         * it made for this object.
         */
        childResources?: {
            /** Name of the InstanceMapping that was made. */
            instanceMappingName?: string;
            /** Name of the Secret that was made. */
            credentialsSecretName?: string;
            /** Namespace of the Secret that was made. */
            credentialsSecretNamespace?: string;
            /** Whether the InstanceMapping was ready. */
            instanceMappingReady?: boolean;
            /** Whether the InstanceMapping was synced. */
            instanceMappingSynced?: boolean;
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
