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
 * How resources of this provider log on to HANA databases. It is for SQL credentials only: mappings take
 * their credentials from the objects they refer to, and need none from here.
 */
export interface ClusterProviderConfig {
    apiVersion: typeof clusterProviderConfigs.apiVersion;
    kind: typeof clusterProviderConfigs.kind;
    metadata: ObjectMeta;
    spec: ClusterProviderConfigSpec;
    status?: ClusterProviderConfigStatus;
}

/** What is asked for. */
export type ClusterProviderConfigSpec = {
    /** The SQL credentials, or where they are found. */
    credentials: {
        /**
         * Where the credentials come from. None is enough where only mappings are used; HanaConnectionSecret
         * reads the Secret that connectionSecretRef names.
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

/** What the provider found. */
export type ClusterProviderConfigStatus = {
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
     * How many resources use this provider configuration. It cannot be deleted while there are any.
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
