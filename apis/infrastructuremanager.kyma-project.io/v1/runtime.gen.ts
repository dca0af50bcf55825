// Generated from apis/infrastructuremanager.kyma-project.io/v1/runtime.yaml by hack/codegen. Do not edit; run `make generate`.
import type { ObjectMeta } from "../../object-meta.ts";

/** Where Runtimes are served. */
export const runtimes: {
    readonly apiVersion: "infrastructuremanager.kyma-project.io/v1";
    readonly group: "infrastructuremanager.kyma-project.io";
    readonly version: "v1";
    readonly kind: "Runtime";
    readonly plural: "runtimes";
    readonly namespaced: true;
    /** For the compiler only: it ties the type to its objects. Never set. */
    readonly objectType?: Runtime;
} = {
    apiVersion: "infrastructuremanager.kyma-project.io/v1",
    group: "infrastructuremanager.kyma-project.io",
    version: "v1",
    kind: "Runtime",
    plural: "runtimes",
    namespaced: true,
};

/** A Kyma runtime: a Kubernetes cluster that Gardener makes and runs. */
export interface Runtime {
    apiVersion: typeof runtimes.apiVersion;
    kind: typeof runtimes.kind;
    metadata: ObjectMeta & { namespace: string };
    spec?: RuntimeSpec;
    status?: RuntimeStatus;
}

/** The desired runtime. */
export type RuntimeSpec = {
    /** The Shoot of Gardener. */
    shoot: {
        /** Name of the Shoot. Together with the name of the project it has at most 21 characters. */
        name: string;
        /** Purpose of the Shoot: evaluation, testing, development, production or infrastructure. */
        purpose: string;
        /** The region of the platform, such as cf-eu11. Some regions restrict who has access. */
        platformRegion: string;
        /** The region of the provider, such as eu-central-1. */
        region: string;
        /** Kind of licence, for an annotation of the Shoot. */
        licenceType?: string;
        /**
         * The binding of the project with the credentials of the provider. Whether it is a SecretBinding or a
         * CredentialsBinding of this name, the configuration says.
         */
        secretBindingName: string;
        /** Whether the Shoot has the extension shoot-nvidia-openshell. */
        enableNvidiaOpenshell?: boolean;
        /** Whether the control plane of the Shoot must be in the same region. */
        enforceSeedLocation?: boolean;
        /** The Kubernetes of the runtime. */
        kubernetes?: {
            /**
             * The version. Default is that of the configuration. Gardener may have upgraded to a later one.
             */
            version?: string;
            /** The API server. */
            kubeAPIServer?: {
                /**
                 * Who may connect to the API server; on aws and azure, if access control lists are enabled.
                 */
                acl?: {
                    /**
                     * Ranges of addresses that may connect, beside those of operators and of the control
                     * plane.
                     */
                    allowedCIDRs?: string[];
                };
                /** Who issues tokens of users. Default is that of the configuration. */
                oidcConfig?: {
                    /**
                     * PEM of the authorities that may have signed the certificate of the issuer. Default is
                     * the operating system's.
                     */
                    caBundle?: string;
                    /** Client configuration for kubeconfigs. Accepted for compatibility; it is not used. */
                    clientAuthentication?: {
                        /** The client secret. */
                        secret?: string;
                        /** Further keys of the auth provider of a kubeconfig. */
                        extraConfig?: {
                            [key: string]: string;
                        };
                    };
                    /** The audience that a token must have. */
                    clientID?: string;
                    /** The claim with the groups of the user. */
                    groupsClaim?: string;
                    /** Is put before each group. */
                    groupsPrefix?: string;
                    /** The issuer of tokens; an https URL. */
                    issuerURL?: string;
                    /** Claims that a token must have, with their values. */
                    requiredClaims?: {
                        [key: string]: string;
                    };
                    /** Algorithms with which a token may be signed, such as RS256. */
                    signingAlgs?: string[];
                    /** The claim with the name of the user. */
                    usernameClaim?: string;
                    /** Is put before the name of the user; `-` for nothing. */
                    usernamePrefix?: string;
                };
                /**
                 * Further issuers of tokens, which become OpenIDConnect objects in the runtime. An empty list
                 * means none; without the field, or with nothing but incomplete entries, the issuer of the
                 * configuration is used.
                 */
                additionalOidcConfig?: {
                    /**
                     * PEM of the authorities that may have signed the certificate of the issuer. Default is
                     * the operating system's.
                     */
                    caBundle?: string;
                    /** Client configuration for kubeconfigs. Accepted for compatibility; it is not used. */
                    clientAuthentication?: {
                        /** The client secret. */
                        secret?: string;
                        /** Further keys of the auth provider of a kubeconfig. */
                        extraConfig?: {
                            [key: string]: string;
                        };
                    };
                    /** The audience that a token must have. */
                    clientID?: string;
                    /** The claim with the groups of the user. */
                    groupsClaim?: string;
                    /** Is put before each group. */
                    groupsPrefix?: string;
                    /** The issuer of tokens; an https URL. */
                    issuerURL?: string;
                    /** Claims that a token must have, with their values. */
                    requiredClaims?: {
                        [key: string]: string;
                    };
                    /** Algorithms with which a token may be signed, such as RS256. */
                    signingAlgs?: string[];
                    /** The claim with the name of the user. */
                    usernameClaim?: string;
                    /** Is put before the name of the user; `-` for nothing. */
                    usernamePrefix?: string;
                    /**
                     * Keys of the issuer as base64 of a JSON Web Key Set, for issuers that cannot be reached.
                     * Format: byte
                     */
                    jwks?: string;
                }[];
            };
        };
        /** Where nodes run. */
        provider: {
            /** The provider of the infrastructure. */
            type: "aws" | "azure" | "gcp" | "openstack" | "alicloud" | "gdch";
            /** The main worker pool; exactly one. */
            workers: {
                /**
                 * Annotations is a map of key/value pairs for annotations for all the `Node` objects in this
                 * worker pool.
                 */
                annotations?: {
                    [key: string]: string;
                };
                /**
                 * CABundle is a certificate bundle which will be installed onto every machine of this worker
                 * pool.
                 */
                caBundle?: string;
                /** ClusterAutoscaler contains the cluster autoscaler configurations for the worker pool. */
                clusterAutoscaler?: {
                    /** MaxNodeProvisionTime defines how long CA waits for node to be provisioned. */
                    maxNodeProvisionTime?: string;
                    /**
                     * ScaleDownGpuUtilizationThreshold defines the threshold in fraction (0.0 - 1.0) of gpu
                     * resources under which a node is being removed.
                     * Format: double
                     */
                    scaleDownGpuUtilizationThreshold?: number;
                    /**
                     * ScaleDownUnneededTime defines how long a node should be unneeded before it is eligible
                     * for scale down.
                     */
                    scaleDownUnneededTime?: string;
                    /**
                     * ScaleDownUnreadyTime defines how long an unready node should be unneeded before it is
                     * eligible for scale down.
                     */
                    scaleDownUnreadyTime?: string;
                    /**
                     * ScaleDownUtilizationThreshold defines the threshold in fraction (0.0 - 1.0) under which
                     * a node is being removed.
                     * Format: double
                     */
                    scaleDownUtilizationThreshold?: number;
                };
                /**
                 * ControlPlane specifies that the shoot cluster control plane components should be running in
                 * this worker pool.
                 */
                controlPlane?: {
                    /**
                     * Backup holds the object store configuration for the backups of shoot (currently only
                     * etcd).
                     */
                    backup?: {
                        /**
                         * CredentialsRef is reference to a resource holding the credentials used for
                         * authentication with the object store service where the backups are stored.
                         */
                        credentialsRef?: {
                            /** API version of the referent. */
                            apiVersion?: string;
                            /**
                             * If referring to a piece of an object instead of an entire object, this string
                             * should contain a valid JSON/Go field access statement, such as
                             * desiredState.manifest.containers[2].
                             */
                            fieldPath?: string;
                            /** Kind of the referent. */
                            kind?: string;
                            /** Name of the referent. */
                            name?: string;
                            /** Namespace of the referent. */
                            namespace?: string;
                            /** Specific resourceVersion to which this reference is made, if any. */
                            resourceVersion?: string;
                            /** UID of the referent. */
                            uid?: string;
                        };
                        /** Provider is a provider name. */
                        provider: string;
                        /** ProviderConfig is the configuration passed to BackupBucket resource. */
                        providerConfig?: {
                            [key: string]: unknown;
                        };
                        /** Region is a region name. */
                        region?: string;
                    };
                    /**
                     * Exposure holds the exposure configuration for the shoot (either `extension` or `dns` or
                     * omitted/empty).
                     */
                    exposure?: {
                        /** DNS specifies that this shoot will be exposed by DNS. */
                        dns?: Record<string, never>;
                        /** Extension holds the type and provider config of the exposure extension. */
                        extension?: {
                            /** ProviderConfig holds the extension specific configuration. */
                            providerConfig?: {
                                [key: string]: unknown;
                            };
                            /** Type defines the type of the extension exposure. */
                            type?: string;
                        };
                    };
                };
                /** CRI contains configurations of CRI support of every machine in the worker pool. */
                cri?: {
                    /**
                     * ContainerRuntimes is the list of the required container runtimes supported for a worker
                     * pool.
                     */
                    containerRuntimes?: {
                        /** ProviderConfig is the configuration passed to container runtime resource. */
                        providerConfig?: {
                            [key: string]: unknown;
                        };
                        /** Type is the type of the Container Runtime. */
                        type: string;
                    }[];
                    /** The name of the CRI library. */
                    name: string;
                };
                /** DataVolumes contains a list of additional worker volumes. */
                dataVolumes?: {
                    /** Encrypted determines if the volume should be encrypted. */
                    encrypted?: boolean;
                    /** Name of the volume to make it referenceable. */
                    name: string;
                    /** VolumeSize is the size of the volume. */
                    size: string;
                    /** Type is the type of the volume. */
                    type?: string;
                }[];
                /**
                 * KubeletDataVolumeName contains the name of a dataVolume that should be used for storing
                 * kubelet state.
                 */
                kubeletDataVolumeName?: string;
                /**
                 * Kubernetes contains configuration for Kubernetes components related to this worker pool.
                 */
                kubernetes?: {
                    /** Kubelet contains configuration settings for all kubelets of this worker pool. */
                    kubelet?: {
                        /**
                         * Maximum number of container log files that can be present for a container.
                         * Format: int32
                         */
                        containerLogMaxFiles?: number;
                        /**
                         * A quantity defines the maximum size of the container log file before it is rotated.
                         */
                        containerLogMaxSize?: number | string;
                        /** CPUCFSQuota allows you to disable/enable CPU throttling for Pods. */
                        cpuCFSQuota?: boolean;
                        /**
                         * CPUManagerPolicy allows to set alternative CPU management policies (default: none).
                         */
                        cpuManagerPolicy?: string;
                        /**
                         * EvictionHard describes a set of eviction thresholds (e.g. memory.available<1Gi)
                         * that if met would trigger a Pod eviction.
                         */
                        evictionHard?: {
                            /**
                             * ImageFSAvailable is the threshold for the free disk space in the imagefs
                             * filesystem (docker images and container writable layers).
                             */
                            imageFSAvailable?: string;
                            /**
                             * ImageFSInodesFree is the threshold for the available inodes in the imagefs
                             * filesystem.
                             */
                            imageFSInodesFree?: string;
                            /** MemoryAvailable is the threshold for the free memory on the host server. */
                            memoryAvailable?: string;
                            /**
                             * NodeFSAvailable is the threshold for the free disk space in the nodefs
                             * filesystem (docker volumes, logs, etc).
                             */
                            nodeFSAvailable?: string;
                            /**
                             * NodeFSInodesFree is the threshold for the available inodes in the nodefs
                             * filesystem.
                             */
                            nodeFSInodesFree?: string;
                        };
                        /**
                         * EvictionMaxPodGracePeriod describes the maximum allowed grace period (in seconds)
                         * to use when terminating pods in response to a soft eviction threshold being met.
                         * Format: int32
                         */
                        evictionMaxPodGracePeriod?: number;
                        /**
                         * EvictionMinimumReclaim configures the amount of resources below the configured
                         * eviction threshold that the kubelet attempts to reclaim whenever the kubelet
                         * observes resource pressure.
                         */
                        evictionMinimumReclaim?: {
                            /**
                             * ImageFSAvailable is the threshold for the disk space reclaim in the imagefs
                             * filesystem (docker images and container writable layers).
                             */
                            imageFSAvailable?: number | string;
                            /**
                             * ImageFSInodesFree is the threshold for the inodes reclaim in the imagefs
                             * filesystem.
                             */
                            imageFSInodesFree?: number | string;
                            /** MemoryAvailable is the threshold for the memory reclaim on the host server. */
                            memoryAvailable?: number | string;
                            /**
                             * NodeFSAvailable is the threshold for the disk space reclaim in the nodefs
                             * filesystem (docker volumes, logs, etc).
                             */
                            nodeFSAvailable?: number | string;
                            /**
                             * NodeFSInodesFree is the threshold for the inodes reclaim in the nodefs
                             * filesystem.
                             */
                            nodeFSInodesFree?: number | string;
                        };
                        /**
                         * EvictionPressureTransitionPeriod is the duration for which the kubelet has to wait
                         * before transitioning out of an eviction pressure condition.
                         */
                        evictionPressureTransitionPeriod?: string;
                        /**
                         * EvictionSoft describes a set of eviction thresholds (e.g. memory.available<1.5Gi)
                         * that if met over a corresponding grace period would trigger a Pod eviction.
                         */
                        evictionSoft?: {
                            /**
                             * ImageFSAvailable is the threshold for the free disk space in the imagefs
                             * filesystem (docker images and container writable layers).
                             */
                            imageFSAvailable?: string;
                            /**
                             * ImageFSInodesFree is the threshold for the available inodes in the imagefs
                             * filesystem.
                             */
                            imageFSInodesFree?: string;
                            /** MemoryAvailable is the threshold for the free memory on the host server. */
                            memoryAvailable?: string;
                            /**
                             * NodeFSAvailable is the threshold for the free disk space in the nodefs
                             * filesystem (docker volumes, logs, etc).
                             */
                            nodeFSAvailable?: string;
                            /**
                             * NodeFSInodesFree is the threshold for the available inodes in the nodefs
                             * filesystem.
                             */
                            nodeFSInodesFree?: string;
                        };
                        /**
                         * EvictionSoftGracePeriod describes a set of eviction grace periods (e.g.
                         * memory.available=1m30s) that correspond to how long a soft eviction threshold must
                         * hold before triggering a Pod eviction.
                         */
                        evictionSoftGracePeriod?: {
                            /**
                             * ImageFSAvailable is the grace period for the ImageFSAvailable eviction
                             * threshold.
                             */
                            imageFSAvailable?: string;
                            /**
                             * ImageFSInodesFree is the grace period for the ImageFSInodesFree eviction
                             * threshold.
                             */
                            imageFSInodesFree?: string;
                            /**
                             * MemoryAvailable is the grace period for the MemoryAvailable eviction threshold.
                             */
                            memoryAvailable?: string;
                            /**
                             * NodeFSAvailable is the grace period for the NodeFSAvailable eviction threshold.
                             */
                            nodeFSAvailable?: string;
                            /**
                             * NodeFSInodesFree is the grace period for the NodeFSInodesFree eviction
                             * threshold.
                             */
                            nodeFSInodesFree?: string;
                        };
                        /**
                         * FailSwapOn makes the Kubelet fail to start if swap is enabled on the node. (default
                         * true).
                         */
                        failSwapOn?: boolean;
                        /** FeatureGates contains information about enabled feature gates. */
                        featureGates?: {
                            [key: string]: boolean;
                        };
                        /**
                         * ImageGCHighThresholdPercent describes the percent of the disk usage which triggers
                         * image garbage collection.
                         * Format: int32
                         */
                        imageGCHighThresholdPercent?: number;
                        /**
                         * ImageGCLowThresholdPercent describes the percent of the disk to which garbage
                         * collection attempts to free.
                         * Format: int32
                         */
                        imageGCLowThresholdPercent?: number;
                        /**
                         * ImageMaximumGCAge is the maximum age of an unused image before it can be garbage
                         * collected.
                         */
                        imageMaximumGCAge?: string;
                        /**
                         * ImageMinimumGCAge is the minimum age of an unused image before it can be garbage
                         * collected.
                         */
                        imageMinimumGCAge?: string;
                        /**
                         * KubeReserved is the configuration for resources reserved for kubernetes node
                         * components (mainly kubelet and container runtime).
                         */
                        kubeReserved?: {
                            /** CPU is the reserved cpu. */
                            cpu?: number | string;
                            /** EphemeralStorage is the reserved ephemeral-storage. */
                            ephemeralStorage?: number | string;
                            /** Memory is the reserved memory. */
                            memory?: number | string;
                            /** PID is the reserved process-ids. */
                            pid?: number | string;
                        };
                        /**
                         * MaxParallelImagePulls describes the maximum number of image pulls in parallel.
                         * Format: int32
                         */
                        maxParallelImagePulls?: number;
                        /**
                         * MaxPods is the maximum number of Pods that are allowed by the Kubelet.
                         * Format: int32
                         */
                        maxPods?: number;
                        /** MemorySwap configures swap memory available to container workloads. */
                        memorySwap?: {
                            /** SwapBehavior configures swap memory available to container workloads. */
                            swapBehavior?: string;
                        };
                        /**
                         * PodPIDsLimit is the maximum number of process IDs per pod allowed by the kubelet.
                         * Format: int64
                         */
                        podPidsLimit?: number;
                        /**
                         * ProtectKernelDefaults ensures that the kernel tunables are equal to the kubelet
                         * defaults.
                         */
                        protectKernelDefaults?: boolean;
                        /**
                         * RegistryBurst is the maximum size of bursty pulls, temporarily allows pulls to
                         * burst to this number, while still not exceeding registryPullQPS.
                         * Format: int32
                         */
                        registryBurst?: number;
                        /**
                         * RegistryPullQPS is the limit of registry pulls per second.
                         * Format: int32
                         */
                        registryPullQPS?: number;
                        /**
                         * SeccompDefault enables the use of `RuntimeDefault` as the default seccomp profile
                         * for all workloads.
                         */
                        seccompDefault?: boolean;
                        /** SerializeImagePulls describes whether the images are pulled one at a time. */
                        serializeImagePulls?: boolean;
                        /**
                         * StreamingConnectionIdleTimeout is the maximum time a streaming connection can be
                         * idle before the connection is automatically closed.
                         */
                        streamingConnectionIdleTimeout?: string;
                        /**
                         * SystemReserved is the configuration for resources reserved for system processes not
                         * managed by kubernetes (e.g. journald).
                         */
                        systemReserved?: {
                            /** CPU is the reserved cpu. */
                            cpu?: number | string;
                            /** EphemeralStorage is the reserved ephemeral-storage. */
                            ephemeralStorage?: number | string;
                            /** Memory is the reserved memory. */
                            memory?: number | string;
                            /** PID is the reserved process-ids. */
                            pid?: number | string;
                        };
                    };
                    /**
                     * Version is the semantic Kubernetes version to use for the Kubelet in this Worker Group.
                     */
                    version?: string;
                };
                /**
                 * Labels is a map of key/value pairs for labels for all the `Node` objects in this worker
                 * pool.
                 */
                labels?: {
                    [key: string]: string;
                };
                /** Machine contains information about the machine type and image. */
                machine: {
                    /** Architecture is CPU architecture of machines in this worker pool. */
                    architecture?: string;
                    /** Image holds information about the machine image to use for all nodes of this pool. */
                    image?: {
                        /** Name is the name of the image. */
                        name: string;
                        /**
                         * ProviderConfig is the shoot's individual configuration passed to an extension
                         * resource.
                         */
                        providerConfig?: {
                            [key: string]: unknown;
                        };
                        /** Version is the version of the shoot's image. */
                        version?: string;
                    };
                    /** Type is the machine type of the worker group. */
                    type: string;
                };
                /** MachineControllerManagerSettings contains configurations for different worker-pools. */
                machineControllerManager?: {
                    /** DisableHealthTimeout if set to true, health timeout will be ignored. */
                    disableHealthTimeout?: boolean;
                    /**
                     * MachineInPlaceUpdateTimeout is the timeout after which in-place update is declared
                     * failed.
                     */
                    inPlaceUpdateTimeout?: string;
                    /**
                     * MachineCreationTimeout is the period after which creation of the machine is declared
                     * failed.
                     */
                    machineCreationTimeout?: string;
                    /** MachineDrainTimeout is the period after which machine is forcefully deleted. */
                    machineDrainTimeout?: string;
                    /** MachineHealthTimeout is the period after which machine is declared failed. */
                    machineHealthTimeout?: string;
                    /**
                     * MaxEvictRetries are the number of eviction retries on a pod after which drain is
                     * declared failed, and forceful deletion is triggered.
                     * Format: int32
                     */
                    maxEvictRetries?: number;
                    /**
                     * NodeConditions are the set of conditions if set to true for the period of
                     * MachineHealthTimeout, machine will be declared failed.
                     */
                    nodeConditions?: string[];
                };
                /** MaxSurge is maximum number of machines that are created during an update. */
                maxSurge?: number | string;
                /**
                 * MaxUnavailable is the maximum number of machines that can be unavailable during an update.
                 */
                maxUnavailable?: number | string;
                /**
                 * Maximum is the maximum number of machines to create.
                 * Format: int32
                 */
                maximum: number;
                /**
                 * Minimum is the minimum number of machines to create.
                 * Format: int32
                 */
                minimum: number;
                /** Name is the name of the worker group. */
                name: string;
                /**
                 * Priority (or weight) is the importance by which this worker group will be scaled by cluster
                 * autoscaling.
                 * Format: int32
                 */
                priority?: number;
                /** ProviderConfig is the provider-specific configuration for this worker pool. */
                providerConfig?: {
                    [key: string]: unknown;
                };
                /** Sysctls is a map of kernel settings to apply on all machines in this worker pool. */
                sysctls?: {
                    [key: string]: string;
                };
                /**
                 * SystemComponents contains configuration for system components related to this worker pool.
                 */
                systemComponents?: {
                    /**
                     * Allow determines whether the pool should be allowed to host system components or not
                     * (defaults to true).
                     */
                    allow: boolean;
                };
                /** Taints is a list of taints for all the `Node` objects in this worker pool. */
                taints?: {
                    /** Required. */
                    effect: string;
                    /** Required. */
                    key: string;
                    /**
                     * TimeAdded represents the time at which the taint was added.
                     * Format: date-time
                     */
                    timeAdded?: string;
                    /** The taint value corresponding to the taint key. */
                    value?: string;
                }[];
                /** UpdateStrategy specifies the machine update strategy for the worker pool. */
                updateStrategy?: string;
                /** Volume contains information about the volume type and size. */
                volume?: {
                    /** Encrypted determines if the volume should be encrypted. */
                    encrypted?: boolean;
                    /** Name of the volume to make it referenceable. */
                    name?: string;
                    /** VolumeSize is the size of the volume. */
                    size: string;
                    /** Type is the type of the volume. */
                    type?: string;
                };
                /**
                 * Zones is a list of availability zones that are used to evenly distribute this worker pool.
                 */
                zones?: string[];
            }[];
            /** Further worker pools. */
            additionalWorkers?: {
                /**
                 * Annotations is a map of key/value pairs for annotations for all the `Node` objects in this
                 * worker pool.
                 */
                annotations?: {
                    [key: string]: string;
                };
                /**
                 * CABundle is a certificate bundle which will be installed onto every machine of this worker
                 * pool.
                 */
                caBundle?: string;
                /** ClusterAutoscaler contains the cluster autoscaler configurations for the worker pool. */
                clusterAutoscaler?: {
                    /** MaxNodeProvisionTime defines how long CA waits for node to be provisioned. */
                    maxNodeProvisionTime?: string;
                    /**
                     * ScaleDownGpuUtilizationThreshold defines the threshold in fraction (0.0 - 1.0) of gpu
                     * resources under which a node is being removed.
                     * Format: double
                     */
                    scaleDownGpuUtilizationThreshold?: number;
                    /**
                     * ScaleDownUnneededTime defines how long a node should be unneeded before it is eligible
                     * for scale down.
                     */
                    scaleDownUnneededTime?: string;
                    /**
                     * ScaleDownUnreadyTime defines how long an unready node should be unneeded before it is
                     * eligible for scale down.
                     */
                    scaleDownUnreadyTime?: string;
                    /**
                     * ScaleDownUtilizationThreshold defines the threshold in fraction (0.0 - 1.0) under which
                     * a node is being removed.
                     * Format: double
                     */
                    scaleDownUtilizationThreshold?: number;
                };
                /**
                 * ControlPlane specifies that the shoot cluster control plane components should be running in
                 * this worker pool.
                 */
                controlPlane?: {
                    /**
                     * Backup holds the object store configuration for the backups of shoot (currently only
                     * etcd).
                     */
                    backup?: {
                        /**
                         * CredentialsRef is reference to a resource holding the credentials used for
                         * authentication with the object store service where the backups are stored.
                         */
                        credentialsRef?: {
                            /** API version of the referent. */
                            apiVersion?: string;
                            /**
                             * If referring to a piece of an object instead of an entire object, this string
                             * should contain a valid JSON/Go field access statement, such as
                             * desiredState.manifest.containers[2].
                             */
                            fieldPath?: string;
                            /** Kind of the referent. */
                            kind?: string;
                            /** Name of the referent. */
                            name?: string;
                            /** Namespace of the referent. */
                            namespace?: string;
                            /** Specific resourceVersion to which this reference is made, if any. */
                            resourceVersion?: string;
                            /** UID of the referent. */
                            uid?: string;
                        };
                        /** Provider is a provider name. */
                        provider: string;
                        /** ProviderConfig is the configuration passed to BackupBucket resource. */
                        providerConfig?: {
                            [key: string]: unknown;
                        };
                        /** Region is a region name. */
                        region?: string;
                    };
                    /**
                     * Exposure holds the exposure configuration for the shoot (either `extension` or `dns` or
                     * omitted/empty).
                     */
                    exposure?: {
                        /** DNS specifies that this shoot will be exposed by DNS. */
                        dns?: Record<string, never>;
                        /** Extension holds the type and provider config of the exposure extension. */
                        extension?: {
                            /** ProviderConfig holds the extension specific configuration. */
                            providerConfig?: {
                                [key: string]: unknown;
                            };
                            /** Type defines the type of the extension exposure. */
                            type?: string;
                        };
                    };
                };
                /** CRI contains configurations of CRI support of every machine in the worker pool. */
                cri?: {
                    /**
                     * ContainerRuntimes is the list of the required container runtimes supported for a worker
                     * pool.
                     */
                    containerRuntimes?: {
                        /** ProviderConfig is the configuration passed to container runtime resource. */
                        providerConfig?: {
                            [key: string]: unknown;
                        };
                        /** Type is the type of the Container Runtime. */
                        type: string;
                    }[];
                    /** The name of the CRI library. */
                    name: string;
                };
                /** DataVolumes contains a list of additional worker volumes. */
                dataVolumes?: {
                    /** Encrypted determines if the volume should be encrypted. */
                    encrypted?: boolean;
                    /** Name of the volume to make it referenceable. */
                    name: string;
                    /** VolumeSize is the size of the volume. */
                    size: string;
                    /** Type is the type of the volume. */
                    type?: string;
                }[];
                /**
                 * KubeletDataVolumeName contains the name of a dataVolume that should be used for storing
                 * kubelet state.
                 */
                kubeletDataVolumeName?: string;
                /**
                 * Kubernetes contains configuration for Kubernetes components related to this worker pool.
                 */
                kubernetes?: {
                    /** Kubelet contains configuration settings for all kubelets of this worker pool. */
                    kubelet?: {
                        /**
                         * Maximum number of container log files that can be present for a container.
                         * Format: int32
                         */
                        containerLogMaxFiles?: number;
                        /**
                         * A quantity defines the maximum size of the container log file before it is rotated.
                         */
                        containerLogMaxSize?: number | string;
                        /** CPUCFSQuota allows you to disable/enable CPU throttling for Pods. */
                        cpuCFSQuota?: boolean;
                        /**
                         * CPUManagerPolicy allows to set alternative CPU management policies (default: none).
                         */
                        cpuManagerPolicy?: string;
                        /**
                         * EvictionHard describes a set of eviction thresholds (e.g. memory.available<1Gi)
                         * that if met would trigger a Pod eviction.
                         */
                        evictionHard?: {
                            /**
                             * ImageFSAvailable is the threshold for the free disk space in the imagefs
                             * filesystem (docker images and container writable layers).
                             */
                            imageFSAvailable?: string;
                            /**
                             * ImageFSInodesFree is the threshold for the available inodes in the imagefs
                             * filesystem.
                             */
                            imageFSInodesFree?: string;
                            /** MemoryAvailable is the threshold for the free memory on the host server. */
                            memoryAvailable?: string;
                            /**
                             * NodeFSAvailable is the threshold for the free disk space in the nodefs
                             * filesystem (docker volumes, logs, etc).
                             */
                            nodeFSAvailable?: string;
                            /**
                             * NodeFSInodesFree is the threshold for the available inodes in the nodefs
                             * filesystem.
                             */
                            nodeFSInodesFree?: string;
                        };
                        /**
                         * EvictionMaxPodGracePeriod describes the maximum allowed grace period (in seconds)
                         * to use when terminating pods in response to a soft eviction threshold being met.
                         * Format: int32
                         */
                        evictionMaxPodGracePeriod?: number;
                        /**
                         * EvictionMinimumReclaim configures the amount of resources below the configured
                         * eviction threshold that the kubelet attempts to reclaim whenever the kubelet
                         * observes resource pressure.
                         */
                        evictionMinimumReclaim?: {
                            /**
                             * ImageFSAvailable is the threshold for the disk space reclaim in the imagefs
                             * filesystem (docker images and container writable layers).
                             */
                            imageFSAvailable?: number | string;
                            /**
                             * ImageFSInodesFree is the threshold for the inodes reclaim in the imagefs
                             * filesystem.
                             */
                            imageFSInodesFree?: number | string;
                            /** MemoryAvailable is the threshold for the memory reclaim on the host server. */
                            memoryAvailable?: number | string;
                            /**
                             * NodeFSAvailable is the threshold for the disk space reclaim in the nodefs
                             * filesystem (docker volumes, logs, etc).
                             */
                            nodeFSAvailable?: number | string;
                            /**
                             * NodeFSInodesFree is the threshold for the inodes reclaim in the nodefs
                             * filesystem.
                             */
                            nodeFSInodesFree?: number | string;
                        };
                        /**
                         * EvictionPressureTransitionPeriod is the duration for which the kubelet has to wait
                         * before transitioning out of an eviction pressure condition.
                         */
                        evictionPressureTransitionPeriod?: string;
                        /**
                         * EvictionSoft describes a set of eviction thresholds (e.g. memory.available<1.5Gi)
                         * that if met over a corresponding grace period would trigger a Pod eviction.
                         */
                        evictionSoft?: {
                            /**
                             * ImageFSAvailable is the threshold for the free disk space in the imagefs
                             * filesystem (docker images and container writable layers).
                             */
                            imageFSAvailable?: string;
                            /**
                             * ImageFSInodesFree is the threshold for the available inodes in the imagefs
                             * filesystem.
                             */
                            imageFSInodesFree?: string;
                            /** MemoryAvailable is the threshold for the free memory on the host server. */
                            memoryAvailable?: string;
                            /**
                             * NodeFSAvailable is the threshold for the free disk space in the nodefs
                             * filesystem (docker volumes, logs, etc).
                             */
                            nodeFSAvailable?: string;
                            /**
                             * NodeFSInodesFree is the threshold for the available inodes in the nodefs
                             * filesystem.
                             */
                            nodeFSInodesFree?: string;
                        };
                        /**
                         * EvictionSoftGracePeriod describes a set of eviction grace periods (e.g.
                         * memory.available=1m30s) that correspond to how long a soft eviction threshold must
                         * hold before triggering a Pod eviction.
                         */
                        evictionSoftGracePeriod?: {
                            /**
                             * ImageFSAvailable is the grace period for the ImageFSAvailable eviction
                             * threshold.
                             */
                            imageFSAvailable?: string;
                            /**
                             * ImageFSInodesFree is the grace period for the ImageFSInodesFree eviction
                             * threshold.
                             */
                            imageFSInodesFree?: string;
                            /**
                             * MemoryAvailable is the grace period for the MemoryAvailable eviction threshold.
                             */
                            memoryAvailable?: string;
                            /**
                             * NodeFSAvailable is the grace period for the NodeFSAvailable eviction threshold.
                             */
                            nodeFSAvailable?: string;
                            /**
                             * NodeFSInodesFree is the grace period for the NodeFSInodesFree eviction
                             * threshold.
                             */
                            nodeFSInodesFree?: string;
                        };
                        /**
                         * FailSwapOn makes the Kubelet fail to start if swap is enabled on the node. (default
                         * true).
                         */
                        failSwapOn?: boolean;
                        /** FeatureGates contains information about enabled feature gates. */
                        featureGates?: {
                            [key: string]: boolean;
                        };
                        /**
                         * ImageGCHighThresholdPercent describes the percent of the disk usage which triggers
                         * image garbage collection.
                         * Format: int32
                         */
                        imageGCHighThresholdPercent?: number;
                        /**
                         * ImageGCLowThresholdPercent describes the percent of the disk to which garbage
                         * collection attempts to free.
                         * Format: int32
                         */
                        imageGCLowThresholdPercent?: number;
                        /**
                         * ImageMaximumGCAge is the maximum age of an unused image before it can be garbage
                         * collected.
                         */
                        imageMaximumGCAge?: string;
                        /**
                         * ImageMinimumGCAge is the minimum age of an unused image before it can be garbage
                         * collected.
                         */
                        imageMinimumGCAge?: string;
                        /**
                         * KubeReserved is the configuration for resources reserved for kubernetes node
                         * components (mainly kubelet and container runtime).
                         */
                        kubeReserved?: {
                            /** CPU is the reserved cpu. */
                            cpu?: number | string;
                            /** EphemeralStorage is the reserved ephemeral-storage. */
                            ephemeralStorage?: number | string;
                            /** Memory is the reserved memory. */
                            memory?: number | string;
                            /** PID is the reserved process-ids. */
                            pid?: number | string;
                        };
                        /**
                         * MaxParallelImagePulls describes the maximum number of image pulls in parallel.
                         * Format: int32
                         */
                        maxParallelImagePulls?: number;
                        /**
                         * MaxPods is the maximum number of Pods that are allowed by the Kubelet.
                         * Format: int32
                         */
                        maxPods?: number;
                        /** MemorySwap configures swap memory available to container workloads. */
                        memorySwap?: {
                            /** SwapBehavior configures swap memory available to container workloads. */
                            swapBehavior?: string;
                        };
                        /**
                         * PodPIDsLimit is the maximum number of process IDs per pod allowed by the kubelet.
                         * Format: int64
                         */
                        podPidsLimit?: number;
                        /**
                         * ProtectKernelDefaults ensures that the kernel tunables are equal to the kubelet
                         * defaults.
                         */
                        protectKernelDefaults?: boolean;
                        /**
                         * RegistryBurst is the maximum size of bursty pulls, temporarily allows pulls to
                         * burst to this number, while still not exceeding registryPullQPS.
                         * Format: int32
                         */
                        registryBurst?: number;
                        /**
                         * RegistryPullQPS is the limit of registry pulls per second.
                         * Format: int32
                         */
                        registryPullQPS?: number;
                        /**
                         * SeccompDefault enables the use of `RuntimeDefault` as the default seccomp profile
                         * for all workloads.
                         */
                        seccompDefault?: boolean;
                        /** SerializeImagePulls describes whether the images are pulled one at a time. */
                        serializeImagePulls?: boolean;
                        /**
                         * StreamingConnectionIdleTimeout is the maximum time a streaming connection can be
                         * idle before the connection is automatically closed.
                         */
                        streamingConnectionIdleTimeout?: string;
                        /**
                         * SystemReserved is the configuration for resources reserved for system processes not
                         * managed by kubernetes (e.g. journald).
                         */
                        systemReserved?: {
                            /** CPU is the reserved cpu. */
                            cpu?: number | string;
                            /** EphemeralStorage is the reserved ephemeral-storage. */
                            ephemeralStorage?: number | string;
                            /** Memory is the reserved memory. */
                            memory?: number | string;
                            /** PID is the reserved process-ids. */
                            pid?: number | string;
                        };
                    };
                    /**
                     * Version is the semantic Kubernetes version to use for the Kubelet in this Worker Group.
                     */
                    version?: string;
                };
                /**
                 * Labels is a map of key/value pairs for labels for all the `Node` objects in this worker
                 * pool.
                 */
                labels?: {
                    [key: string]: string;
                };
                /** Machine contains information about the machine type and image. */
                machine: {
                    /** Architecture is CPU architecture of machines in this worker pool. */
                    architecture?: string;
                    /** Image holds information about the machine image to use for all nodes of this pool. */
                    image?: {
                        /** Name is the name of the image. */
                        name: string;
                        /**
                         * ProviderConfig is the shoot's individual configuration passed to an extension
                         * resource.
                         */
                        providerConfig?: {
                            [key: string]: unknown;
                        };
                        /** Version is the version of the shoot's image. */
                        version?: string;
                    };
                    /** Type is the machine type of the worker group. */
                    type: string;
                };
                /** MachineControllerManagerSettings contains configurations for different worker-pools. */
                machineControllerManager?: {
                    /** DisableHealthTimeout if set to true, health timeout will be ignored. */
                    disableHealthTimeout?: boolean;
                    /**
                     * MachineInPlaceUpdateTimeout is the timeout after which in-place update is declared
                     * failed.
                     */
                    inPlaceUpdateTimeout?: string;
                    /**
                     * MachineCreationTimeout is the period after which creation of the machine is declared
                     * failed.
                     */
                    machineCreationTimeout?: string;
                    /** MachineDrainTimeout is the period after which machine is forcefully deleted. */
                    machineDrainTimeout?: string;
                    /** MachineHealthTimeout is the period after which machine is declared failed. */
                    machineHealthTimeout?: string;
                    /**
                     * MaxEvictRetries are the number of eviction retries on a pod after which drain is
                     * declared failed, and forceful deletion is triggered.
                     * Format: int32
                     */
                    maxEvictRetries?: number;
                    /**
                     * NodeConditions are the set of conditions if set to true for the period of
                     * MachineHealthTimeout, machine will be declared failed.
                     */
                    nodeConditions?: string[];
                };
                /** MaxSurge is maximum number of machines that are created during an update. */
                maxSurge?: number | string;
                /**
                 * MaxUnavailable is the maximum number of machines that can be unavailable during an update.
                 */
                maxUnavailable?: number | string;
                /**
                 * Maximum is the maximum number of machines to create.
                 * Format: int32
                 */
                maximum: number;
                /**
                 * Minimum is the minimum number of machines to create.
                 * Format: int32
                 */
                minimum: number;
                /** Name is the name of the worker group. */
                name: string;
                /**
                 * Priority (or weight) is the importance by which this worker group will be scaled by cluster
                 * autoscaling.
                 * Format: int32
                 */
                priority?: number;
                /** ProviderConfig is the provider-specific configuration for this worker pool. */
                providerConfig?: {
                    [key: string]: unknown;
                };
                /** Sysctls is a map of kernel settings to apply on all machines in this worker pool. */
                sysctls?: {
                    [key: string]: string;
                };
                /**
                 * SystemComponents contains configuration for system components related to this worker pool.
                 */
                systemComponents?: {
                    /**
                     * Allow determines whether the pool should be allowed to host system components or not
                     * (defaults to true).
                     */
                    allow: boolean;
                };
                /** Taints is a list of taints for all the `Node` objects in this worker pool. */
                taints?: {
                    /** Required. */
                    effect: string;
                    /** Required. */
                    key: string;
                    /**
                     * TimeAdded represents the time at which the taint was added.
                     * Format: date-time
                     */
                    timeAdded?: string;
                    /** The taint value corresponding to the taint key. */
                    value?: string;
                }[];
                /** UpdateStrategy specifies the machine update strategy for the worker pool. */
                updateStrategy?: string;
                /** Volume contains information about the volume type and size. */
                volume?: {
                    /** Encrypted determines if the volume should be encrypted. */
                    encrypted?: boolean;
                    /** Name of the volume to make it referenceable. */
                    name?: string;
                    /** VolumeSize is the size of the volume. */
                    size: string;
                    /** Type is the type of the volume. */
                    type?: string;
                };
                /**
                 * Zones is a list of availability zones that are used to evenly distribute this worker pool.
                 */
                zones?: string[];
            }[];
            /** Accepted for compatibility and ignored; it is always made from the other fields. */
            infrastructureConfig?: {
                [key: string]: unknown;
            };
            /** Accepted for compatibility and ignored; it is always made from the other fields. */
            controlPlaneConfig?: {
                [key: string]: unknown;
            };
        };
        /** Networks of the Shoot. */
        networking: {
            /** The network plugin, such as calico. */
            type?: string;
            /**
             * Whether a new Shoot has addresses of IPv4 and IPv6; on aws and gcp, if the configuration allows
             * it. A Shoot that exists does not change.
             */
            dualStack?: boolean;
            /** Accepted for compatibility; it is not used. */
            vpcNetwork?: string;
            /** IPv4 range of the nodes. Zones get their subnets from it. */
            nodes: string;
            /** IPv4 range of the pods. */
            pods: string;
            /** IPv4 range of the services. */
            services: string;
        };
        /** ControlPlane holds information about the general settings for the control plane of a shoot. */
        controlPlane?: {
            /**
             * HighAvailability holds the configuration settings for high availability of the control plane of
             * a shoot.
             */
            highAvailability?: {
                /**
                 * FailureTolerance holds information about failure tolerance level of a highly available
                 * resource.
                 */
                failureTolerance: {
                    /** Type specifies the type of failure that the highly available resource can tolerate. */
                    type: string;
                };
            };
        };
    };
    /** Who has access, and to what. */
    security: {
        /** Users that become cluster-admin of the runtime. */
        administrators: string[];
        /** Filters of traffic. */
        networking: {
            /** The filters. */
            filter: {
                /** Filter of outgoing traffic, by the extension shoot-networking-filter. */
                egress: {
                    /** Whether the filter is on. */
                    enabled: boolean;
                };
                /**
                 * Filter of incoming traffic, by routes that lead nowhere. It needs the filter of outgoing
                 * traffic.
                 */
                ingress?: {
                    /** Whether the filter is on. */
                    enabled: boolean;
                };
            };
        };
    };
    /**
     * Whether the runtime gets an audit log of its own and read credentials for it, if these are enabled. It
     * cannot be taken back.
     */
    auditLogAccessEnabled?: boolean;
    /** Caches of image registries in the runtime, each from a RegistryCacheConfig object of it. */
    imageRegistryCache?: {
        /** Name of the RegistryCacheConfig. */
        name: string;
        /** Its namespace. */
        namespace: string;
        /** Its uid. */
        uid: string;
        /** Its spec. */
        config: {
            /** Host of the registry, such as docker.io. */
            upstream: string;
            /** URL of the registry. Default is https and the host. */
            remoteURL?: string;
            /** Where images are stored. */
            volume?: {
                /**
                 * Size of the volume.
                 * @default 10Gi
                 */
                size?: number | string;
                /** Class of the volume. Default is that of the runtime. */
                storageClassName?: string;
            };
            /** When images are deleted. */
            garbageCollection?: {
                /**
                 * How long an image is kept after its last use; `0s` for ever.
                 * @default 168h
                 */
                ttl?: string;
            };
            /** Secret in the namespace of the RegistryCacheConfig with the credentials of the registry. */
            secretReferenceName?: string;
            /** Proxies between the cache and the registry. */
            proxy?: {
                /** For requests with http. */
                httpProxy?: string;
                /** For requests with https. */
                httpsProxy?: string;
            };
            /** How nodes talk to the cache. Accepted for compatibility; it is not used. */
            http?: {
                /** Whether by TLS. */
                tls?: boolean;
            };
        };
    }[];
};

/** The observed runtime. */
export type RuntimeStatus = {
    /** The state of the runtime as one word. */
    state: "Pending" | "Ready" | "Terminating" | "Failed";
    /**
     * The steps of the runtime, one entry for each type. A plain list, in the order in which the steps were
     * first taken.
     */
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
    /** Whether the runtime has been Ready. It stays true. */
    provisioningCompleted?: boolean;
    /** The last operation of Gardener on the Shoot. */
    shootLastOperation?: {
        /** What it does. */
        description: string;
        /**
         * When it was reported last.
         * Format: date-time
         */
        lastUpdateTime: string;
        /**
         * In percent.
         * Format: int32
         */
        progress: number;
        /** Such as Processing, Succeeded, Error or Failed. */
        state: string;
        /** Create, Reconcile, Delete, Migrate or Restore. */
        type: string;
    };
    /** The errors of that operation. */
    shootLastErrors?: {
        /** The error as text. */
        description: string;
        /** Task of Gardener that failed. */
        taskID?: string;
        /** Kinds of the error. */
        codes?: string[];
        /**
         * When it was reported last.
         * Format: date-time
         */
        lastUpdateTime?: string;
    }[];
    /** Name of the AuditLog of the runtime, if it has one of its own. */
    auditLogCR?: string;
};

/** Goes by apiVersion and kind; the API server has seen to the rest. */
export function isRuntime(object: unknown): object is Runtime {
    if (typeof object !== "object" || object === null) return false;
    const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown };
    return apiVersion === runtimes.apiVersion && kind === runtimes.kind;
}

/** A Runtime from what differs between two of them; what is not part of the body is metadata. */
export function runtime(
    parts: ObjectMeta & { namespace: string } & Omit<Runtime, "apiVersion" | "kind" | "metadata">,
): Runtime {
    const { spec, status, ...metadata } = parts;
    const { apiVersion, kind } = runtimes;
    return {
        apiVersion,
        kind,
        metadata,
        ...(spec === undefined ? {} : { spec }),
        ...(status === undefined ? {} : { status }),
    };
}
