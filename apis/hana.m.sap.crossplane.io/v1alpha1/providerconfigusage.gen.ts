// Generated from apis/hana.sap.crossplane.io/v1alpha1/providerconfigusage.yaml by hack/codegen. Do not edit; run `make generate`.

/** Where ProviderConfigUsages are served. */
export const providerConfigUsages: {
    readonly apiVersion: "hana.m.sap.crossplane.io/v1alpha1";
    readonly group: "hana.m.sap.crossplane.io";
    readonly version: "v1alpha1";
    readonly kind: "ProviderConfigUsage";
    readonly plural: "providerconfigusages";
    readonly namespaced: true;
    /** For the compiler only: it ties the type to its objects. Never set. */
    readonly objectType?: ProviderConfigUsage;
} = {
    apiVersion: "hana.m.sap.crossplane.io/v1alpha1",
    group: "hana.m.sap.crossplane.io",
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
    apiVersion: typeof providerConfigUsages.apiVersion;
    kind: typeof providerConfigUsages.kind;
    metadata: ObjectMeta;
    providerConfigRef: ProviderConfigUsageProviderConfigRef;
    resourceRef: ProviderConfigUsageResourceRef;
}

/** The provider configuration that is used. */
export type ProviderConfigUsageProviderConfigRef = {
    /** ClusterProviderConfig, or ProviderConfig for one in the namespace of the resource. */
    kind: string;
    /** Name of the provider configuration. */
    name: string;
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
export function isProviderConfigUsage(object: unknown): object is ProviderConfigUsage {
    if (typeof object !== "object" || object === null) return false;
    const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown };
    return apiVersion === providerConfigUsages.apiVersion && kind === providerConfigUsages.kind;
}

/** A ProviderConfigUsage from what differs between two of them; what is not part of the body is metadata. */
export function providerConfigUsage(
    parts: ObjectMeta & Omit<ProviderConfigUsage, "apiVersion" | "kind" | "metadata">,
): ProviderConfigUsage {
    const { providerConfigRef, resourceRef, ...metadata } = parts;
    return {
        apiVersion: providerConfigUsages.apiVersion,
        kind: providerConfigUsages.kind,
        metadata,
        providerConfigRef,
        resourceRef,
    };
}
