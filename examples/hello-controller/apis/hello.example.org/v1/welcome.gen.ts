// Generated from apis/hello.example.org/v1/welcome.yaml by provider-kyma-generate. Do not edit; run `npx provider-kyma-generate`.
import type { ObjectMeta } from "provider-kyma/kube";

/** Where Welcomes are served. */
export const welcomes: {
    readonly apiVersion: "hello.example.org/v1";
    readonly group: "hello.example.org";
    readonly version: "v1";
    readonly kind: "Welcome";
    readonly plural: "welcomes";
    readonly namespaced: true;
    /** For the compiler only: it ties the type to its objects. Never set. */
    readonly objectType?: Welcome;
} = {
    apiVersion: "hello.example.org/v1",
    group: "hello.example.org",
    version: "v1",
    kind: "Welcome",
    plural: "welcomes",
    namespaced: true,
};

/** A Welcome creates a Secret with a text for a guest. */
export interface Welcome {
    apiVersion: typeof welcomes.apiVersion;
    kind: typeof welcomes.kind;
    metadata: ObjectMeta & { namespace: string };
    spec: WelcomeSpec;
    status?: WelcomeStatus;
}

/** The desired state. */
export type WelcomeSpec = {
    /** Name of the guest. */
    guest: string;
};

/** The observed state. */
export type WelcomeStatus = {
    /** The text in the Secret. */
    text?: string;
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
};

/** Goes by apiVersion and kind; the API server has seen to the rest. */
export function isWelcome(object: unknown): object is Welcome {
    if (typeof object !== "object" || object === null) return false;
    const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown };
    return apiVersion === welcomes.apiVersion && kind === welcomes.kind;
}

/** A Welcome from what differs between two of them; what is not part of the body is metadata. */
export function welcome(
    parts: ObjectMeta & { namespace: string } & Omit<Welcome, "apiVersion" | "kind" | "metadata">,
): Welcome {
    const { spec, status, ...metadata } = parts;
    const { apiVersion, kind } = welcomes;
    return {
        apiVersion,
        kind,
        metadata,
        spec,
        ...(status === undefined ? {} : { status }),
    };
}
