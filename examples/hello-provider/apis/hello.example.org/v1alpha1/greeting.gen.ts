// Generated from apis/hello.example.org/v1alpha1/greeting.yaml by provider-kyma-generate. Do not edit; run `npx provider-kyma-generate`.
import type { ObjectMeta } from "provider-kyma/kube";

/** Where Greetings are served. */
export const greetings: {
    readonly apiVersion: "hello.example.org/v1alpha1";
    readonly group: "hello.example.org";
    readonly version: "v1alpha1";
    readonly kind: "Greeting";
    readonly plural: "greetings";
    readonly namespaced: true;
    /** For the compiler only: it ties the type to its objects. Never set. */
    readonly objectType?: Greeting;
} = {
    apiVersion: "hello.example.org/v1alpha1",
    group: "hello.example.org",
    version: "v1alpha1",
    kind: "Greeting",
    plural: "greetings",
    namespaced: true,
};

/** A Greeting stores a text in the greeter. */
export interface Greeting {
    apiVersion: typeof greetings.apiVersion;
    kind: typeof greetings.kind;
    metadata: ObjectMeta & { namespace: string };
    spec: GreetingSpec;
    status?: GreetingStatus;
}

/** What is asked for. */
export type GreetingSpec = {
    /** The desired greeting. */
    forProvider: {
        /** The text. */
        text: string;
        /** The key of a Secret in the same namespace with the token of the greeter's API. */
        tokenSecretRef: {
            /** Name of the Secret. */
            name: string;
            /** Key within the Secret. */
            key: string;
        };
    };
    /**
     * What the provider may do with the external resource. "*", the default, allows everything; [Observe]
     * only observes it; an empty list pauses the resource. Without Delete, or "*", the external resource
     * stays when this object is deleted.
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
     * The Secret that connection details are written to. Without it none are written. It is in the namespace
     * of the resource.
     */
    writeConnectionSecretToRef?: {
        /** Name of the Secret. */
        name: string;
    };
};

/** What the provider found. */
export type GreetingStatus = {
    /** The observed greeting. */
    atProvider?: {
        /** The text. */
        text?: string;
    };
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
     * The metadata.generation that was reconciled last.
     * Format: int64
     */
    observedGeneration?: number;
    /**
     * The value of the annotation crossplane.io/reconcile-requested-at that was handled last. Set the
     * annotation to a new value to reconcile the resource at once.
     */
    lastHandledReconcileAt?: string;
};

/** What `spec.forProvider` holds. */
export type GreetingParameters = GreetingSpec["forProvider"];

/** What `status.atProvider` holds. */
export type GreetingObservation = NonNullable<GreetingStatus["atProvider"]>;

/** Goes by apiVersion and kind; the API server has seen to the rest. */
export function isGreeting(object: unknown): object is Greeting {
    if (typeof object !== "object" || object === null) return false;
    const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown };
    return apiVersion === greetings.apiVersion && kind === greetings.kind;
}

/** A Greeting from what differs between two of them; what is not part of the body is metadata. */
export function greeting(
    parts: ObjectMeta & { namespace: string } & Omit<Greeting, "apiVersion" | "kind" | "metadata">,
): Greeting {
    const { spec, status, ...metadata } = parts;
    const { apiVersion, kind } = greetings;
    return {
        apiVersion,
        kind,
        metadata,
        spec,
        ...(status === undefined ? {} : { status }),
    };
}
