// Generated from apis/services.cloud.sap.com/v1/servicebinding.yaml by hack/codegen. Do not edit; run `make generate`.
import type { ObjectMeta } from "../../object-meta.ts";

/** Where ServiceBindings are served. */
export const serviceBindings: {
    readonly apiVersion: "services.cloud.sap.com/v1";
    readonly group: "services.cloud.sap.com";
    readonly version: "v1";
    readonly kind: "ServiceBinding";
    readonly plural: "servicebindings";
    readonly namespaced: true;
    /** For the compiler only: it ties the type to its objects. Never set. */
    readonly objectType?: ServiceBinding;
} = {
    apiVersion: "services.cloud.sap.com/v1",
    group: "services.cloud.sap.com",
    version: "v1",
    kind: "ServiceBinding",
    plural: "servicebindings",
    namespaced: true,
};

/** Credentials for a service instance of SAP BTP, kept in a Secret. */
export interface ServiceBinding {
    apiVersion: typeof serviceBindings.apiVersion;
    kind: typeof serviceBindings.kind;
    metadata: ObjectMeta & { namespace: string };
    spec: ServiceBindingSpec;
    status?: ServiceBindingStatus;
}

/**
 * The desired service binding. Once status.bindingID is set, only credentialsRotationPolicy and
 * secretTemplate can be changed, and secretName, secretKey and secretRootKey until the Secret was written.
 */
export type ServiceBindingSpec = {
    /** Name of the ServiceInstance. */
    serviceInstanceName: string;
    /** Namespace of the ServiceInstance. Default is the namespace of this object. */
    serviceInstanceNamespace?: string;
    /** Name of the binding in SAP Service Manager. The admission webhook defaults it to metadata.name. */
    externalName?: string;
    /** Name of the Secret with the credentials. The admission webhook defaults it to metadata.name. */
    secretName?: string;
    /**
     * Entry of the Secret that holds all credentials as a JSON object. Without it each credential has an
     * entry.
     */
    secretKey?: string;
    /** The only entry of the Secret. It holds credentials and instance data as a JSON object. */
    secretRootKey?: string;
    /** A Go template that renders the Secret from credentials and instance data. */
    secretTemplate?: string;
    /** Parameters of the binding. Put confidential values into a Secret and name it in parametersFrom. */
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
     * The user who created the binding. It is set by the admission webhook; other clients must not set it.
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
    /** Replaces the credentials regularly. */
    credentialsRotationPolicy?: {
        /** Whether credentials are replaced. */
        enabled: boolean;
        /**
         * Time between two rotations, such as 72h or 30m.
         * @default 72h
         */
        rotationFrequency?: string;
        /**
         * How long the replaced binding is kept, such as 48h or 30m.
         * @default 48h
         */
        rotatedBindingTTL?: string;
    };
};

/** The observed service binding. */
export type ServiceBindingStatus = {
    /** ID of the bound instance in SAP Service Manager. */
    instanceID?: string;
    /** ID of the binding in SAP Service Manager. */
    bindingID?: string;
    /** ID of the subaccount of the binding. */
    subaccountID?: string;
    /** Path of the operation in progress in SAP Service Manager. */
    operationURL?: string;
    /** Type of the operation in progress, one of create, update and delete. */
    operationType?: string;
    /**
     * The observed state, with one entry for each condition type. Succeeded, the first, is the result of the
     * last operation. Ready is whether the binding can be used.
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
    /** Whether the binding can be used. */
    ready?: "True" | "False";
    /**
     * Time of the last rotation of the credentials.
     * Format: date-time
     */
    lastCredentialsRotationTime?: string;
    /**
     * The metadata.generation that the condition Succeeded belongs to.
     * Format: int64
     */
    observedGeneration?: number;
    /** Digest of the client of Service Manager that created the binding, or saw it last. */
    viewer?: string;
    /** Digest of the data of the instance in the Secret. */
    instanceData?: string;
    /** Version of the Secret that was written or checked last. */
    secretVersion?: string;
    /** Unused. Accepted for compatibility. */
    asyncBindFailed?: boolean;
};

/** Goes by apiVersion and kind; the API server has seen to the rest. */
export function isServiceBinding(object: unknown): object is ServiceBinding {
    if (typeof object !== "object" || object === null) return false;
    const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown };
    return apiVersion === serviceBindings.apiVersion && kind === serviceBindings.kind;
}

/** A ServiceBinding from what differs between two of them; what is not part of the body is metadata. */
export function serviceBinding(
    parts: ObjectMeta & { namespace: string } & Omit<ServiceBinding, "apiVersion" | "kind" | "metadata">,
): ServiceBinding {
    const { spec, status, ...metadata } = parts;
    const { apiVersion, kind } = serviceBindings;
    return {
        apiVersion,
        kind,
        metadata,
        spec,
        ...(status === undefined ? {} : { status }),
    };
}
