// Generated from apis/hana.sap.crossplane.io/v1alpha1/providerconfig.yaml by hack/codegen. Do not edit; run `make generate`.

/** Where ClusterProviderConfigs are served. */
export const clusterProviderConfigs: {
    readonly apiVersion: "hana.m.sap.crossplane.io/v1alpha1";
    readonly group: "hana.m.sap.crossplane.io";
    readonly version: "v1alpha1";
    readonly kind: "ClusterProviderConfig";
    readonly plural: "clusterproviderconfigs";
    readonly namespaced: false;
    /** For the compiler only: it ties the type to its objects. Never set. */
    readonly objectType?: ClusterProviderConfig;
} = {
    apiVersion: "hana.m.sap.crossplane.io/v1alpha1",
    group: "hana.m.sap.crossplane.io",
    version: "v1alpha1",
    kind: "ClusterProviderConfig",
    plural: "clusterproviderconfigs",
    namespaced: false,
};

/**
 * SQL credentials with which resources of this provider connect to HANA databases. Mappings do not need them:
 * they use the credentials of the objects that they refer to.
 */
export interface ClusterProviderConfig {
    apiVersion: typeof clusterProviderConfigs.apiVersion;
    kind: typeof clusterProviderConfigs.kind;
    metadata: ObjectMeta;
    spec: ClusterProviderConfigSpec;
    status?: ClusterProviderConfigStatus;
}

/** The desired state. */
export type ClusterProviderConfigSpec = {
    /** The source of the SQL credentials. */
    credentials: {
        /**
         * Source of the credentials. None is enough if only mappings are used; HanaConnectionSecret reads the
         * Secret that connectionSecretRef names.
         */
        source: "None" | "Secret" | "InjectedIdentity" | "Environment" | "Filesystem" | "HanaConnectionSecret";
        /** The Secret with the keys endpoint, port, username and password of a HANA database user. */
        connectionSecretRef?: {
            /** Name of the Secret. */
            name: string;
            /** Namespace of the Secret. */
            namespace: string;
        };
    };
};

/** The observed state. */
export type ClusterProviderConfigStatus = {
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
     * Number of resources that use this provider configuration. Its deletion waits until there are none.
     * Format: int64
     */
    users?: number;
};

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
export function isClusterProviderConfig(object: unknown): object is ClusterProviderConfig {
    if (typeof object !== "object" || object === null) return false;
    const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown };
    return apiVersion === clusterProviderConfigs.apiVersion && kind === clusterProviderConfigs.kind;
}

/** A ClusterProviderConfig from what differs between two of them; what is not part of the body is metadata. */
export function clusterProviderConfig(
    parts: ObjectMeta & Omit<ClusterProviderConfig, "apiVersion" | "kind" | "metadata">,
): ClusterProviderConfig {
    const { spec, status, ...metadata } = parts;
    return {
        apiVersion: clusterProviderConfigs.apiVersion,
        kind: clusterProviderConfigs.kind,
        metadata,
        spec,
        ...(status === undefined ? {} : { status }),
    };
}
