// Generated from apis/hana.sap.crossplane.io/v1alpha1/providerconfig.yaml by hack/codegen. Do not edit; run `make generate`.

/** Where ProviderConfigs are served. */
export const providerConfigs: {
    readonly apiVersion: "hana.m.sap.crossplane.io/v1alpha1";
    readonly group: "hana.m.sap.crossplane.io";
    readonly version: "v1alpha1";
    readonly kind: "ProviderConfig";
    readonly plural: "providerconfigs";
    readonly namespaced: true;
    /** For the compiler only: it ties the type to its objects. Never set. */
    readonly objectType?: ProviderConfig;
} = {
    apiVersion: "hana.m.sap.crossplane.io/v1alpha1",
    group: "hana.m.sap.crossplane.io",
    version: "v1alpha1",
    kind: "ProviderConfig",
    plural: "providerconfigs",
    namespaced: true,
};

/**
 * How resources of this provider log on to HANA databases. It is for SQL credentials only: mappings take
 * their credentials from the objects they refer to, and need none from here.
 */
export interface ProviderConfig {
    apiVersion: typeof providerConfigs.apiVersion;
    kind: typeof providerConfigs.kind;
    metadata: ObjectMeta;
    spec: ProviderConfigSpec;
    status?: ProviderConfigStatus;
}

/** What is asked for. */
export type ProviderConfigSpec = {
    /** The SQL credentials, or where they are found. */
    credentials: {
        /**
         * Where the credentials come from. None is enough where only mappings are used; HanaConnectionSecret
         * reads the Secret that connectionSecretRef names.
         */
        source: "None" | "Secret" | "InjectedIdentity" | "Environment" | "Filesystem" | "HanaConnectionSecret";
        /**
         * The Secret in the namespace of this object with the keys endpoint, port, username and password of a
         * HANA database user.
         */
        connectionSecretRef?: {
            /** Name of the Secret. */
            name: string;
        };
    };
};

/** What the provider found. */
export type ProviderConfigStatus = {
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
export function isProviderConfig(object: unknown): object is ProviderConfig {
    if (typeof object !== "object" || object === null) return false;
    const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown };
    return apiVersion === providerConfigs.apiVersion && kind === providerConfigs.kind;
}

/** A ProviderConfig from what differs between two of them; what is not part of the body is metadata. */
export function providerConfig(
    parts: ObjectMeta & Omit<ProviderConfig, "apiVersion" | "kind" | "metadata">,
): ProviderConfig {
    const { spec, status, ...metadata } = parts;
    return {
        apiVersion: providerConfigs.apiVersion,
        kind: providerConfigs.kind,
        metadata,
        spec,
        ...(status === undefined ? {} : { status }),
    };
}
