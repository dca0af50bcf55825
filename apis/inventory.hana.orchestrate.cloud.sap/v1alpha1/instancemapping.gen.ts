// Generated from apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.yaml by hack/codegen. Do not edit; run `make generate`.

/** Where InstanceMappings are served. */
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

/**
 * Maps a HANA Cloud instance to a Kubernetes cluster and namespace, to a Cloud Foundry organization and
 * space, or to a subaccount, by the IDs that HANA Cloud knows them by. On Kyma a KymaInstanceMapping finds
 * these IDs by itself.
 */
export interface InstanceMapping {
    apiVersion: typeof instanceMappings.apiVersion;
    kind: typeof instanceMappings.kind;
    metadata: ObjectMeta;
    spec: InstanceMappingSpec;
    status?: InstanceMappingStatus;
}

/** What is asked for. */
export type InstanceMappingSpec = {
    /** Which instance is mapped to what, and with which credentials. */
    forProvider: {
        /** ID of the HANA Cloud instance, as its service instance shows it. It cannot be changed. */
        serviceInstanceID: string;
        /** What the instance is mapped to. It cannot be changed. */
        platform: "kubernetes" | "cloudfoundry" | "subaccount-api-access";
        /**
         * For kubernetes the ID of the cluster, for cloudfoundry the GUID of the organization, for
         * subaccount-api-access the GUID of the subaccount. It cannot be changed.
         */
        primaryID: string;
        /**
         * For kubernetes the namespace, for cloudfoundry the GUID of the space. Without it, the mapping holds
         * for all of primaryID. It can be neither changed nor added or removed.
         */
        secondaryID?: string;
        /**
         * Whether this is the default mapping for primaryID. A value that someone else changes in HANA Cloud
         * is put right.
         * @default false
         */
        isDefault?: boolean;
        /**
         * The Secret with credentials of the HANA Cloud administration API. They are read on every reconcile
         * and are written nowhere.
         */
        adminCredentialsSecretRef: {
            /** Name of the Secret. */
            name: string;
            /** Namespace of the Secret. */
            namespace: string;
            /**
             * The key of the Secret under which the credentials stand, as a JSON object {"baseurl", "uaa":
             * {"url", "clientid", "clientsecret"}}.
             */
            key: string;
        };
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
export type InstanceMappingStatus = {
    /** What was found in HANA Cloud. It holds nothing secret. */
    atProvider?: {
        /** Whether HANA Cloud has the mapping. */
        mappingExists?: boolean;
        /**
         * When what is found last changed.
         * Format: date-time
         */
        lastSyncTime?: string;
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
export type InstanceMappingParameters = InstanceMappingSpec["forProvider"];

/** What `status.atProvider` holds. */
export type InstanceMappingObservation = NonNullable<InstanceMappingStatus["atProvider"]>;

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
export function isInstanceMapping(object: unknown): object is InstanceMapping {
    if (typeof object !== "object" || object === null) return false;
    const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown };
    return apiVersion === instanceMappings.apiVersion && kind === instanceMappings.kind;
}

/** A InstanceMapping from what differs between two of them; what is not part of the body is metadata. */
export function instanceMapping(
    parts: ObjectMeta & Omit<InstanceMapping, "apiVersion" | "kind" | "metadata">,
): InstanceMapping {
    const { spec, status, ...metadata } = parts;
    return {
        apiVersion: instanceMappings.apiVersion,
        kind: instanceMappings.kind,
        metadata,
        spec,
        ...(status === undefined ? {} : { status }),
    };
}
