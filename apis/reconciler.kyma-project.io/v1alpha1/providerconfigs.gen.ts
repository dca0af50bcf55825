// Generated from apis/reconciler.kyma-project.io/group.yaml by hack/codegen. Do not edit; run `make generate`.
import type { ObjectMeta } from "../../object-meta.ts";

/** Where cluster-scoped ProviderConfigs are served. */
export const providerConfigs: {
    readonly apiVersion: "reconciler.kyma-project.io/v1alpha1";
    readonly group: "reconciler.kyma-project.io";
    readonly version: "v1alpha1";
    readonly kind: "ProviderConfig";
    readonly plural: "providerconfigs";
    readonly namespaced: false;
    /** For the compiler only: it ties the type to its objects. Never set. */
    readonly objectType?: ProviderConfig;
} = {
    apiVersion: "reconciler.kyma-project.io/v1alpha1",
    group: "reconciler.kyma-project.io",
    version: "v1alpha1",
    kind: "ProviderConfig",
    plural: "providerconfigs",
    namespaced: false,
};

/** Where namespaced ProviderConfigs are served. */
export const namespacedProviderConfigs: {
    readonly apiVersion: "reconciler.m.kyma-project.io/v1alpha1";
    readonly group: "reconciler.m.kyma-project.io";
    readonly version: "v1alpha1";
    readonly kind: "ProviderConfig";
    readonly plural: "providerconfigs";
    readonly namespaced: true;
    /** For the compiler only: it ties the type to its objects. Never set. */
    readonly objectType?: ProviderConfig;
} = {
    apiVersion: "reconciler.m.kyma-project.io/v1alpha1",
    group: "reconciler.m.kyma-project.io",
    version: "v1alpha1",
    kind: "ProviderConfig",
    plural: "providerconfigs",
    namespaced: true,
};

/** Where ClusterProviderConfigs are served. */
export const clusterProviderConfigs: {
    readonly apiVersion: "reconciler.m.kyma-project.io/v1alpha1";
    readonly group: "reconciler.m.kyma-project.io";
    readonly version: "v1alpha1";
    readonly kind: "ClusterProviderConfig";
    readonly plural: "clusterproviderconfigs";
    readonly namespaced: false;
    /** For the compiler only: it ties the type to its objects. Never set. */
    readonly objectType?: ProviderConfig;
} = {
    apiVersion: "reconciler.m.kyma-project.io/v1alpha1",
    group: "reconciler.m.kyma-project.io",
    version: "v1alpha1",
    kind: "ClusterProviderConfig",
    plural: "clusterproviderconfigs",
    namespaced: false,
};

/** A mothership of the Kyma reconciler, and the credentials for its API. */
export interface ProviderConfig {
    apiVersion: typeof providerConfigs.apiVersion | typeof namespacedProviderConfigs.apiVersion;
    kind: typeof providerConfigs.kind | typeof clusterProviderConfigs.kind;
    metadata: ObjectMeta;
    spec: ProviderConfigSpec;
    status?: ProviderConfigStatus;
}

/** The desired state. */
export type ProviderConfigSpec = {
    /** How requests to the mothership are authorized. */
    credentials: {
        /**
         * Source of the credentials. None: requests have no token. OAuthClient: a token is requested for the
         * client of oauthClient. All others have a bearer token.
         */
        source: "None" | "Secret" | "InjectedIdentity" | "Environment" | "Filesystem" | "OAuthClient";
        /**
         * For OAuthClient: a client of the issuer that the mothership trusts. Its tokens are kept in memory
         * only.
         */
        oauthClient?: {
            /**
             * URL of the token endpoint, which grants client credentials. That of a ProviderConfig in a
             * namespace must have https and a public address, unless the provider runs with
             * --allow-private-endpoints.
             */
            tokenURL: string;
            /**
             * The Secret with the id and the secret of the client.
             * Namespaced form: The Secret in the namespace of this object with the id and the secret of the
             * client.
             */
            secretRef: {
                /** Name of the Secret. */
                name: string;
                /** Namespace of the Secret. Cluster-scoped form only. */
                namespace?: string;
                /**
                 * Key of the id.
                 * @default clientid
                 */
                clientIDKey?: string;
                /**
                 * Key of the secret.
                 * @default clientsecret
                 */
                clientSecretKey?: string;
            };
            /** Scopes to request, with blanks between them. Default: those of the client. */
            scope?: string;
            /**
             * Audience to request, if the issuer does not choose it by the client: the client id of the
             * mothership (--oidc-client-id).
             */
            audience?: string;
        };
        /** For Secret: the key of a Secret with a bearer token. */
        secretRef?: {
            /** Name of the Secret. */
            name: string;
            /**
             * Namespace of the Secret.
             * Namespaced form: Ignored: the Secret is in the namespace of this object.
             */
            namespace?: string;
            /** The key of the Secret with the bearer token. */
            key: string;
        };
        /** For Environment: the variable of the provider with a bearer token. Cluster-scoped form only. */
        env?: {
            /** Name of the variable. */
            name: string;
        };
        /** For Filesystem: the file of the provider with a bearer token. Cluster-scoped form only. */
        fs?: {
            /** Path of the file. */
            path: string;
        };
    };
    /**
     * URL of the mothership, scheme://host:port. That of a ProviderConfig in a namespace must have https and
     * a public address, unless the provider runs with --allow-private-endpoints.
     */
    url: string;
    /** Certificates (PEM) that the mothership is trusted by, besides those of Node.js. */
    caBundle?: string;
};

/** The observed state. */
export type ProviderConfigStatus = {
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

/** Goes by apiVersion and kind; the API server has seen to the rest. */
export function isProviderConfig(object: unknown): object is ProviderConfig {
    if (typeof object !== "object" || object === null) return false;
    const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown };
    return apiVersion === providerConfigs.apiVersion && kind === providerConfigs.kind
        || apiVersion === namespacedProviderConfigs.apiVersion && kind === namespacedProviderConfigs.kind
        || apiVersion === clusterProviderConfigs.apiVersion && kind === clusterProviderConfigs.kind;
}

/** A ProviderConfig from what differs between two of them; what is not part of the body is metadata. */
export function providerConfig(
    parts: ObjectMeta & Omit<ProviderConfig, "apiVersion" | "kind" | "metadata">,
): ProviderConfig {
    const { spec, status, ...metadata } = parts;
    const { apiVersion, kind } = metadata.namespace === undefined ? providerConfigs : namespacedProviderConfigs;
    return {
        apiVersion,
        kind,
        metadata,
        spec,
        ...(status === undefined ? {} : { status }),
    };
}

/** A ClusterProviderConfig from what differs between two of them; what is not part of the body is metadata. */
export function clusterProviderConfig(
    parts: ObjectMeta & { namespace?: never } & Omit<ProviderConfig, "apiVersion" | "kind" | "metadata">,
): ProviderConfig {
    const { spec, status, ...metadata } = parts;
    const { apiVersion, kind } = clusterProviderConfigs;
    return {
        apiVersion,
        kind,
        metadata,
        spec,
        ...(status === undefined ? {} : { status }),
    };
}

/** Where cluster-scoped ProviderConfigUsages are served. */
export const providerConfigUsages: {
    readonly apiVersion: "reconciler.kyma-project.io/v1alpha1";
    readonly group: "reconciler.kyma-project.io";
    readonly version: "v1alpha1";
    readonly kind: "ProviderConfigUsage";
    readonly plural: "providerconfigusages";
    readonly namespaced: false;
    /** For the compiler only: it ties the type to its objects. Never set. */
    readonly objectType?: ProviderConfigUsage;
} = {
    apiVersion: "reconciler.kyma-project.io/v1alpha1",
    group: "reconciler.kyma-project.io",
    version: "v1alpha1",
    kind: "ProviderConfigUsage",
    plural: "providerconfigusages",
    namespaced: false,
};

/** Where namespaced ProviderConfigUsages are served. */
export const namespacedProviderConfigUsages: {
    readonly apiVersion: "reconciler.m.kyma-project.io/v1alpha1";
    readonly group: "reconciler.m.kyma-project.io";
    readonly version: "v1alpha1";
    readonly kind: "ProviderConfigUsage";
    readonly plural: "providerconfigusages";
    readonly namespaced: true;
    /** For the compiler only: it ties the type to its objects. Never set. */
    readonly objectType?: ProviderConfigUsage;
} = {
    apiVersion: "reconciler.m.kyma-project.io/v1alpha1",
    group: "reconciler.m.kyma-project.io",
    version: "v1alpha1",
    kind: "ProviderConfigUsage",
    plural: "providerconfigusages",
    namespaced: true,
};

/**
 * Records that a resource uses a ProviderConfig. The deletion of the ProviderConfig waits until it has no
 * usages. The provider writes the usage; it is owned by the resource and deleted with it.
 */
export interface ProviderConfigUsage {
    apiVersion: typeof providerConfigUsages.apiVersion | typeof namespacedProviderConfigUsages.apiVersion;
    kind: typeof providerConfigUsages.kind;
    metadata: ObjectMeta;
    providerConfigRef: ProviderConfigUsageProviderConfigRef;
    resourceRef: ProviderConfigUsageResourceRef;
}

/** The ProviderConfig that is used. Namespaced form: The provider configuration that is used. */
export type ProviderConfigUsageProviderConfigRef = {
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
         * When the reference is resolved: on every reconcile (Always), or only while the field it fills is
         * empty (IfNotPresent).
         */
        resolve?: "Always" | "IfNotPresent";
    };
    /**
     * ClusterProviderConfig, or ProviderConfig for one in the namespace of the resource. Namespaced form
     * only.
     */
    kind?: string;
};

/** The resource that uses the ProviderConfig. */
export type ProviderConfigUsageResourceRef = {
    /** API group and version of the resource. */
    apiVersion: string;
    /** Kind of the resource. */
    kind: string;
    /** Name of the resource. */
    name: string;
    /** UID of the resource. */
    uid?: string;
};

/** Goes by apiVersion and kind; the API server has seen to the rest. */
export function isProviderConfigUsage(object: unknown): object is ProviderConfigUsage {
    if (typeof object !== "object" || object === null) return false;
    const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown };
    return apiVersion === providerConfigUsages.apiVersion && kind === providerConfigUsages.kind
        || apiVersion === namespacedProviderConfigUsages.apiVersion && kind === namespacedProviderConfigUsages.kind;
}

/** A ProviderConfigUsage from what differs between two of them; what is not part of the body is metadata. */
export function providerConfigUsage(
    parts: ObjectMeta & Omit<ProviderConfigUsage, "apiVersion" | "kind" | "metadata">,
): ProviderConfigUsage {
    const { providerConfigRef, resourceRef, ...metadata } = parts;
    const { apiVersion, kind } = metadata.namespace === undefined ? providerConfigUsages : namespacedProviderConfigUsages;
    return {
        apiVersion,
        kind,
        metadata,
        providerConfigRef,
        resourceRef,
    };
}

/** The provider configurations of cluster-scoped and of namespaced resources, as `addConfigs` takes them. */
export const configKinds: {
    readonly cluster: {
        readonly scope: "Cluster";
        readonly config: typeof providerConfigs;
        readonly usage: typeof providerConfigUsages;
    };
    readonly namespaced: {
        readonly scope: "Namespaced";
        readonly config: typeof namespacedProviderConfigs;
        readonly clusterConfig: typeof clusterProviderConfigs;
        readonly usage: typeof namespacedProviderConfigUsages;
    };
} = {
    cluster: { scope: "Cluster", config: providerConfigs, usage: providerConfigUsages },
    namespaced: {
        scope: "Namespaced",
        config: namespacedProviderConfigs,
        clusterConfig: clusterProviderConfigs,
        usage: namespacedProviderConfigUsages,
    },
};
