// Generated from apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.yaml by hack/codegen. Do not edit; run `make generate`.
import type { ObjectMeta } from "../../object-meta.ts";

/** Where GardenerClusters are served. */
export const gardenerClusters: {
    readonly apiVersion: "infrastructuremanager.kyma-project.io/v1";
    readonly group: "infrastructuremanager.kyma-project.io";
    readonly version: "v1";
    readonly kind: "GardenerCluster";
    readonly plural: "gardenerclusters";
    readonly namespaced: true;
    /** For the compiler only: it ties the type to its objects. Never set. */
    readonly objectType?: GardenerCluster;
} = {
    apiVersion: "infrastructuremanager.kyma-project.io/v1",
    group: "infrastructuremanager.kyma-project.io",
    version: "v1",
    kind: "GardenerCluster",
    plural: "gardenerclusters",
    namespaced: true,
};

/** Where the kubeconfig of a runtime is kept, and whether it is current. */
export interface GardenerCluster {
    apiVersion: typeof gardenerClusters.apiVersion;
    kind: typeof gardenerClusters.kind;
    metadata: ObjectMeta & { namespace: string };
    spec: GardenerClusterSpec;
    status?: GardenerClusterStatus;
}

/** The desired kubeconfig. */
export type GardenerClusterSpec = {
    /** The Shoot that the kubeconfig is for. */
    shoot: {
        /** Name of the Shoot. */
        name: string;
    };
    /** Where the kubeconfig is kept. */
    kubeconfig: {
        /** A key of a Secret. */
        secret: {
            /** Name of the Secret. */
            name: string;
            /** Namespace of the Secret. */
            namespace: string;
            /** Key with the kubeconfig. */
            key: string;
        };
    };
};

/** The observed kubeconfig. */
export type GardenerClusterStatus = {
    /** Ready, Error, or Terminating while finalizers of other controllers hold the deleted object. */
    state?: string;
    /** Whether the kubeconfig is current: the condition KubeconfigManagement. */
    conditions?: {
        /** Type of the condition. */
        type: string;
        /** True, False or Unknown. */
        status: "True" | "False" | "Unknown";
        /** Reason of the status, as one word for programs. */
        reason: string;
        /** Reason of the status, as text for people. It never contains credentials. */
        message: string;
        /**
         * Time of the last change of the status of the condition.
         * Format: date-time
         */
        lastTransitionTime: string;
        /**
         * The metadata.generation that the condition belongs to.
         * Format: int64
         */
        observedGeneration?: number;
    }[];
};

/** Goes by apiVersion and kind; the API server has seen to the rest. */
export function isGardenerCluster(object: unknown): object is GardenerCluster {
    if (typeof object !== "object" || object === null) return false;
    const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown };
    return apiVersion === gardenerClusters.apiVersion && kind === gardenerClusters.kind;
}

/** A GardenerCluster from what differs between two of them; what is not part of the body is metadata. */
export function gardenerCluster(
    parts: ObjectMeta & { namespace: string } & Omit<GardenerCluster, "apiVersion" | "kind" | "metadata">,
): GardenerCluster {
    const { spec, status, ...metadata } = parts;
    const { apiVersion, kind } = gardenerClusters;
    return {
        apiVersion,
        kind,
        metadata,
        spec,
        ...(status === undefined ? {} : { status }),
    };
}
