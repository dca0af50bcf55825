// Generated from apis/services.cloud.sap.com/v1/serviceinstance.yaml by hack/codegen. Do not edit; run `make generate`.
import type { ObjectMeta } from "../../object-meta.ts";

/** Where ServiceInstances are served. */
export const serviceInstances: {
    readonly apiVersion: "services.cloud.sap.com/v1";
    readonly group: "services.cloud.sap.com";
    readonly version: "v1";
    readonly kind: "ServiceInstance";
    readonly plural: "serviceinstances";
    readonly namespaced: true;
    /** For the compiler only: it ties the type to its objects. Never set. */
    readonly objectType?: ServiceInstance;
} = {
    apiVersion: "services.cloud.sap.com/v1",
    group: "services.cloud.sap.com",
    version: "v1",
    kind: "ServiceInstance",
    plural: "serviceinstances",
    namespaced: true,
};

/** An instance of a service of SAP BTP, created in SAP Service Manager. */
export interface ServiceInstance {
    apiVersion: typeof serviceInstances.apiVersion;
    kind: typeof serviceInstances.kind;
    metadata: ObjectMeta & { namespace: string };
    spec: ServiceInstanceSpec;
    status?: ServiceInstanceStatus;
}

/** The desired service instance. */
export type ServiceInstanceSpec = {
    /** Name of the service offering. */
    serviceOfferingName: string;
    /** Name of the service plan. */
    servicePlanName: string;
    /** ID of the service plan. Required if several plans have the names given. */
    servicePlanID?: string;
    /** Data center of the service offering, if it is offered in several. */
    dataCenter?: string;
    /** Name of the instance in SAP Service Manager. The admission webhook defaults it to metadata.name. */
    externalName?: string;
    /** Whether the instance is shared with other environments. Absent means false. */
    shared?: boolean;
    /** Parameters of the service. Put confidential values into a Secret and name it in parametersFrom. */
    parameters?: {
        [key: string]: unknown;
    };
    /**
     * Secrets with further parameters. The same parameter must not be given twice, in these Secrets and in
     * parameters together.
     */
    parametersFrom?: {
        /** An entry of a Secret in the namespace of this object. Its value is a JSON object. */
        secretKeyRef: {
            /** Name of the Secret. */
            name: string;
            /** Key of the entry. */
            key: string;
        };
    }[];
    /**
     * Whether the instance is updated when the data of a Secret in parametersFrom changes. Absent means
     * false.
     */
    watchParametersFromChanges?: boolean;
    /** Tags that are added to those of the service offering, in the entry tags of the Secrets of bindings. */
    customTags?: string[];
    /**
     * The user who changed the spec last. It is set by the admission webhook; other clients must not set it.
     */
    userInfo?: {
        /** Name of the user. */
        username?: string;
        /** Unique ID of the user. */
        uid?: string;
        /** Groups of the user. */
        groups?: string[];
        /** Other information of the authenticator. */
        extra?: {
            [key: string]: string[];
        };
    };
    /**
     * Name of a Secret in the management namespace with credentials for SAP Service Manager. Without it they
     * come from the namespace of this object or from the default of the cluster.
     */
    btpAccessCredentialsSecret?: string;
};

/** The observed service instance. */
export type ServiceInstanceStatus = {
    /** ID of the instance in SAP Service Manager. */
    instanceID?: string;
    /** ID of the subaccount of the instance. */
    subaccountID?: string;
    /** Path of the operation in progress in SAP Service Manager. */
    operationURL?: string;
    /**
     * Type of the operation in progress, one of create, update and delete. Without an operationURL, a create
     * was started and its result is not known.
     */
    operationType?: string;
    /** Hash of the spec without shared, as it was sent last. */
    hashedSpec?: string;
    /** Digest of the client of Service Manager that created the instance, or saw it last. */
    viewer?: string;
    /** Hash of the spec without shared and userInfo that Service Manager has, as far as its responses say. */
    acceptedSpec?: string;
    /**
     * Version of the watched Secrets with parameters that was sent last. Only with
     * watchParametersFromChanges.
     */
    parametersVersion?: string;
    /**
     * The observed state, with one entry for each condition type. Succeeded, the first, is the result of the
     * last operation. Ready is whether the instance can be used, Shared whether it is shared.
     */
    conditions: {
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
    /** Whether the instance can be used. */
    ready?: "True" | "False";
    /** Tags of the service offering. */
    tags?: string[];
    /** Whether the instance is updated even if its spec is unchanged. */
    forceReconcile?: boolean;
    /**
     * The metadata.generation that the condition Succeeded belongs to.
     * Format: int64
     */
    observedGeneration?: number;
};

/** Goes by apiVersion and kind; the API server has seen to the rest. */
export function isServiceInstance(object: unknown): object is ServiceInstance {
    if (typeof object !== "object" || object === null) return false;
    const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown };
    return apiVersion === serviceInstances.apiVersion && kind === serviceInstances.kind;
}

/** A ServiceInstance from what differs between two of them; what is not part of the body is metadata. */
export function serviceInstance(
    parts: ObjectMeta & { namespace: string } & Omit<ServiceInstance, "apiVersion" | "kind" | "metadata">,
): ServiceInstance {
    const { spec, status, ...metadata } = parts;
    const { apiVersion, kind } = serviceInstances;
    return {
        apiVersion,
        kind,
        metadata,
        spec,
        ...(status === undefined ? {} : { status }),
    };
}
