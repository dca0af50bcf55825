// Generated from apis/gardener/core.openapi.yaml by hack/codegen. Do not edit; run `make generate`.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** APIServerLogging contains configuration for the logs level and http access logs */
        APIServerLogging: {
            /**
             * HTTPAccessVerbosity is the kube-apiserver access logs level
             * Format: int32
             */
            httpAccessVerbosity?: number;
            /**
             * Verbosity is the kube-apiserver log verbosity level Defaults to 2.
             * Format: int32
             */
            verbosity?: number;
        };
        /** APIServerRequests contains configuration for request-specific settings for the kube-apiserver. */
        APIServerRequests: {
            /**
             * MaxMutatingInflight is the maximum number of mutating requests in flight at a given time.
             * Format: int32
             */
            maxMutatingInflight?: number;
            /**
             * MaxNonMutatingInflight is the maximum number of non-mutating requests in flight at a given
             * time.
             * Format: int32
             */
            maxNonMutatingInflight?: number;
        };
        /**
         * AccessRestriction describes an access restriction for a Kubernetes cluster (e.g., EU access-only).
         */
        AccessRestriction: {
            /** Name is the name of the restriction. */
            name: string;
        };
        /**
         * AccessRestrictionWithOptions describes an access restriction for a Kubernetes cluster (e.g., EU
         * access-only) and allows to specify additional options.
         */
        AccessRestrictionWithOptions: {
            /** Name is the name of the restriction. */
            name: string;
            /** Options is a map of additional options for the access restriction. */
            options?: {
                [key: string]: string;
            };
        };
        /** Addons is a collection of configuration for specific addons which are managed by the Gardener. */
        Addons: {
            /** KubernetesDashboard holds configuration settings for the kubernetes dashboard addon. */
            kubernetesDashboard?: components["schemas"]["KubernetesDashboard"];
            /** NginxIngress holds configuration settings for the nginx-ingress addon. */
            nginxIngress?: components["schemas"]["NginxIngress"];
        };
        /**
         * AdminKubeconfigRequest can be used to request a kubeconfig with admin credentials for a Shoot
         * cluster.
         */
        AdminKubeconfigRequest: {
            /** APIVersion defines the versioned schema of this representation of an object. */
            apiVersion?: string;
            /** Kind is a string value representing the REST resource this object represents. */
            kind?: string;
            /** Spec is the specification of the AdminKubeconfigRequest. */
            spec: components["schemas"]["AdminKubeconfigRequestSpec"];
            /** Status is the status of the AdminKubeconfigRequest. */
            status: components["schemas"]["AdminKubeconfigRequestStatus"];
        };
        /** AdminKubeconfigRequestSpec contains the expiration time of the kubeconfig. */
        AdminKubeconfigRequestSpec: {
            /**
             * ExpirationSeconds is the requested validity duration of the credential.
             * Format: int64
             */
            expirationSeconds?: number;
        };
        /**
         * AdminKubeconfigRequestStatus is the status of the AdminKubeconfigRequest containing the kubeconfig
         * and expiration of the credential.
         */
        AdminKubeconfigRequestStatus: {
            /** ExpirationTimestamp is the expiration timestamp of the returned credential. */
            expirationTimestamp: components["schemas"]["Time"];
            /**
             * Kubeconfig contains the kubeconfig with cluster-admin privileges for the shoot cluster.
             * Format: byte
             */
            kubeconfig: string;
        };
        /**
         * AdmissionPlugin contains information about a specific admission plugin and its corresponding
         * configuration.
         */
        AdmissionPlugin: {
            /** Config is the configuration of the plugin. */
            config?: components["schemas"]["RawExtension"];
            /** Disabled specifies whether this plugin should be disabled. */
            disabled?: boolean;
            /**
             * KubeconfigSecretName specifies the name of a secret containing the kubeconfig for this
             * admission plugin.
             */
            kubeconfigSecretName?: string;
            /** Name is the name of the plugin. */
            name: string;
        };
        /**
         * Alerting contains information about how alerting will be done (i.e. who will receive alerts and
         * how).
         */
        Alerting: {
            /** MonitoringEmailReceivers is a list of recipients for alerts */
            emailReceivers?: string[];
        };
        /** AuditConfig contains settings for audit of the api server */
        AuditConfig: {
            /** AuditPolicy contains configuration settings for audit policy of the kube-apiserver. */
            auditPolicy?: components["schemas"]["AuditPolicy"];
        };
        /** AuditPolicy contains audit policy for kube-apiserver */
        AuditPolicy: {
            /**
             * ConfigMapRef is a reference to a ConfigMap object in the same namespace, which contains the
             * audit policy for the kube-apiserver.
             */
            configMapRef?: components["schemas"]["ObjectReference"];
        };
        /** AuthorizerKubeconfigReference is a reference for a kubeconfig for a authorization webhook. */
        AuthorizerKubeconfigReference: {
            /** AuthorizerName is the name of a webhook authorizer. */
            authorizerName: string;
            /** SecretName is the name of a secret containing the kubeconfig. */
            secretName: string;
        };
        /** CARotation contains information about the certificate authority credential rotation. */
        CARotation: {
            /**
             * LastCompletionTime is the most recent time when the certificate authority credential rotation
             * was successfully completed.
             */
            lastCompletionTime?: components["schemas"]["Time"];
            /**
             * LastCompletionTriggeredTime is the recent time when the certificate authority credential
             * rotation completion was triggered.
             */
            lastCompletionTriggeredTime?: components["schemas"]["Time"];
            /**
             * LastInitiationFinishedTime is the recent time when the certificate authority credential
             * rotation initiation was completed.
             */
            lastInitiationFinishedTime?: components["schemas"]["Time"];
            /**
             * LastInitiationTime is the most recent time when the certificate authority credential rotation
             * was initiated.
             */
            lastInitiationTime?: components["schemas"]["Time"];
            /**
             * PendingWorkersRollouts contains the name of a worker pool and the initiation time of their last
             * rollout due to credentials rotation.
             */
            pendingWorkersRollouts?: components["schemas"]["PendingWorkersRollout"][];
            /** Phase describes the phase of the certificate authority credential rotation. */
            phase: string;
        };
        /** CRI contains information about the Container Runtimes. */
        CRI: {
            /**
             * ContainerRuntimes is the list of the required container runtimes supported for a worker pool.
             */
            containerRuntimes?: components["schemas"]["ContainerRuntime"][];
            /** The name of the CRI library. */
            name: string;
        };
        /** CloudProfileReference holds the information about a CloudProfile or a NamespacedCloudProfile. */
        CloudProfileReference: {
            /** Kind contains a CloudProfile kind. */
            kind: string;
            /** Name contains the name of the referenced CloudProfile. */
            name: string;
        };
        /** ClusterAutoscaler contains the configuration flags for the Kubernetes cluster autoscaler. */
        ClusterAutoscaler: {
            /** Expander defines the algorithm to use during scale up (default: least-waste). */
            expander?: string;
            /**
             * IgnoreDaemonsetsUtilization allows CA to ignore DaemonSet pods when calculating resource
             * utilization for scaling down (default: false).
             */
            ignoreDaemonsetsUtilization?: boolean;
            /**
             * IgnoreTaints specifies a list of taint keys to ignore in node templates when considering to
             * scale a node group.
             */
            ignoreTaints?: string[];
            /**
             * MaxEmptyBulkDelete specifies the maximum number of empty nodes that can be deleted at the same
             * time (default: 10).
             * Format: int32
             */
            maxEmptyBulkDelete?: number;
            /**
             * MaxGracefulTerminationSeconds is the number of seconds CA waits for pod termination when trying
             * to scale down a node (default: 600).
             * Format: int32
             */
            maxGracefulTerminationSeconds?: number;
            /**
             * MaxNodeProvisionTime defines how long CA waits for node to be provisioned (default: 20 mins).
             */
            maxNodeProvisionTime?: components["schemas"]["Duration"];
            /**
             * NewPodScaleUpDelay specifies how long CA should ignore newly created pods before they have to
             * be considered for scale-up (default: 0s).
             */
            newPodScaleUpDelay?: components["schemas"]["Duration"];
            /**
             * ScaleDownDelayAfterAdd defines how long after scale up that scale down evaluation resumes
             * (default: 1 hour).
             */
            scaleDownDelayAfterAdd?: components["schemas"]["Duration"];
            /**
             * ScaleDownDelayAfterDelete how long after node deletion that scale down evaluation resumes,
             * defaults to scanInterval (default: 0 secs).
             */
            scaleDownDelayAfterDelete?: components["schemas"]["Duration"];
            /**
             * ScaleDownDelayAfterFailure how long after scale down failure that scale down evaluation resumes
             * (default: 3 mins).
             */
            scaleDownDelayAfterFailure?: components["schemas"]["Duration"];
            /**
             * ScaleDownUnneededTime defines how long a node should be unneeded before it is eligible for
             * scale down (default: 30 mins).
             */
            scaleDownUnneededTime?: components["schemas"]["Duration"];
            /**
             * ScaleDownUtilizationThreshold defines the threshold in fraction (0.0 - 1.0) under which a node
             * is being removed (default: 0.5).
             * Format: double
             */
            scaleDownUtilizationThreshold?: number;
            /** ScanInterval how often cluster is reevaluated for scale up or down (default: 10 secs). */
            scanInterval?: components["schemas"]["Duration"];
            /**
             * StartupTaints specifies a list of taint keys to ignore in node templates when considering to
             * scale a node group.
             */
            startupTaints?: string[];
            /**
             * StatusTaints specifies a list of taint keys to ignore in node templates when considering to
             * scale a node group.
             */
            statusTaints?: string[];
            /**
             * Verbosity allows CA to modify its log level (default: 2).
             * Format: int32
             */
            verbosity?: number;
        };
        /** ClusterAutoscalerOptions contains the cluster autoscaler configurations for a worker pool. */
        ClusterAutoscalerOptions: {
            /** MaxNodeProvisionTime defines how long CA waits for node to be provisioned. */
            maxNodeProvisionTime?: components["schemas"]["Duration"];
            /**
             * ScaleDownGpuUtilizationThreshold defines the threshold in fraction (0.0 - 1.0) of gpu resources
             * under which a node is being removed.
             * Format: double
             */
            scaleDownGpuUtilizationThreshold?: number;
            /**
             * ScaleDownUnneededTime defines how long a node should be unneeded before it is eligible for
             * scale down.
             */
            scaleDownUnneededTime?: components["schemas"]["Duration"];
            /**
             * ScaleDownUnreadyTime defines how long an unready node should be unneeded before it is eligible
             * for scale down.
             */
            scaleDownUnreadyTime?: components["schemas"]["Duration"];
            /**
             * ScaleDownUtilizationThreshold defines the threshold in fraction (0.0 - 1.0) under which a node
             * is being removed.
             * Format: double
             */
            scaleDownUtilizationThreshold?: number;
        };
        /** Condition holds the information about the state of a resource. */
        Condition: {
            /** Well-defined error codes in case the condition reports a problem. */
            codes?: string[];
            /** Last time the condition transitioned from one status to another. */
            lastTransitionTime: components["schemas"]["Time"];
            /** Last time the condition was updated. */
            lastUpdateTime: components["schemas"]["Time"];
            /** A human readable message indicating details about the transition. */
            message: string;
            /** The reason for the condition's last transition. */
            reason: string;
            /** Status of the condition, one of True, False, Unknown. */
            status: string;
            /** Type of the condition. */
            type: string;
        };
        /** ContainerRuntime contains information about worker's available container runtime */
        ContainerRuntime: {
            /** ProviderConfig is the configuration passed to container runtime resource. */
            providerConfig?: components["schemas"]["RawExtension"];
            /** Type is the type of the Container Runtime. */
            type: string;
        };
        /** ControlPlane holds information about the general settings for the control plane of a shoot. */
        ControlPlane: {
            /**
             * HighAvailability holds the configuration settings for high availability of the control plane of
             * a shoot.
             */
            highAvailability?: components["schemas"]["HighAvailability"];
        };
        /**
         * ControlPlaneAutoscaling contains auto-scaling configuration options for control-plane components.
         */
        ControlPlaneAutoscaling: {
            /** MinAllowed configures the minimum allowed resource requests for vertical pod autoscaling.. */
            minAllowed: {
                [key: string]: components["schemas"]["Quantity"];
            };
        };
        /**
         * CoreDNS contains the settings of the Core DNS components running in the data plane of the Shoot
         * cluster.
         */
        CoreDNS: {
            /**
             * Autoscaling contains the settings related to autoscaling of the Core DNS components running in
             * the data plane of the Shoot cluster.
             */
            autoscaling?: components["schemas"]["CoreDNSAutoscaling"];
            /**
             * Rewriting contains the setting related to rewriting of requests, which are obviously incorrect
             * due to the unnecessary application of the search path.
             */
            rewriting?: components["schemas"]["CoreDNSRewriting"];
        };
        /**
         * CoreDNSAutoscaling contains the settings related to autoscaling of the Core DNS components running
         * in the data plane of the Shoot cluster.
         */
        CoreDNSAutoscaling: {
            /**
             * The mode of the autoscaling to be used for the Core DNS components running in the data plane of
             * the Shoot cluster.
             */
            mode: string;
        };
        /**
         * CoreDNSRewriting contains the setting related to rewriting requests, which are obviously incorrect
         * due to the unnecessary application of the search path.
         */
        CoreDNSRewriting: {
            /** CommonSuffixes are expected to be the suffix of a fully qualified domain name. */
            commonSuffixes?: string[];
        };
        /**
         * CrossVersionObjectReference contains enough information to let you identify the referred resource.
         */
        CrossVersionObjectReference: {
            /** apiVersion is the API version of the referent */
            apiVersion?: string;
            /**
             * kind is the kind of the referent; More info:
             * https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds
             */
            kind: string;
            /**
             * name is the name of the referent; More info:
             * https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#names
             */
            name: string;
        };
        /** DNS holds information about the provider, the hosted zone id and the domain. */
        DNS: {
            /** Domain is the external available domain of the Shoot cluster. */
            domain?: string;
            /** Providers is a list of DNS providers that shall be enabled for this shoot cluster. */
            providers?: components["schemas"]["DNSProvider"][];
        };
        /** DNSIncludeExclude contains information about which domains shall be included/excluded. */
        DNSIncludeExclude: {
            /** Exclude is a list of domains that shall be excluded. */
            exclude?: string[];
            /** Include is a list of domains that shall be included. */
            include?: string[];
        };
        /** DNSProvider contains information about a DNS provider. */
        DNSProvider: {
            /**
             * CredentialsRef is a reference to a resource holding the credentials used for authentication
             * with the external provider.
             */
            credentialsRef?: components["schemas"]["CrossVersionObjectReference"];
            /**
             * Domains contains information about which domains shall be included/excluded for this provider.
             */
            domains?: components["schemas"]["DNSIncludeExclude"];
            /** Primary indicates that this DNSProvider is used for shoot related domains. */
            primary?: boolean;
            /**
             * SecretName is a name of a secret containing credentials for the stated domain and the provider.
             */
            secretName?: string;
            /** Type is the DNS provider type. */
            type?: string;
            /**
             * Zones contains information about which hosted zones shall be included/excluded for this
             * provider.
             */
            zones?: components["schemas"]["DNSIncludeExclude"];
        };
        /** DataVolume contains information about a data volume. */
        DataVolume: {
            /** Encrypted determines if the volume should be encrypted. */
            encrypted?: boolean;
            /** Name of the volume to make it referenceable. */
            name: string;
            /** VolumeSize is the size of the volume. */
            size: string;
            /** Type is the type of the volume. */
            type?: string;
        };
        /** Duration is a wrapper around time.Duration which supports correct marshaling to YAML and JSON. */
        Duration: string;
        /** ETCD contains configuration for etcds of the shoot cluster. */
        ETCD: {
            /** Events contains configuration for the events etcd. */
            events?: components["schemas"]["ETCDConfig"];
            /** Main contains configuration for the main etcd. */
            main?: components["schemas"]["ETCDConfig"];
        };
        /** ETCDConfig contains etcd configuration. */
        ETCDConfig: {
            /** Autoscaling contains auto-scaling configuration options for etcd. */
            autoscaling?: components["schemas"]["ControlPlaneAutoscaling"];
        };
        /**
         * ETCDEncryptionKeyRotation contains information about the ETCD encryption key credential rotation.
         */
        ETCDEncryptionKeyRotation: {
            /**
             * LastCompletionTime is the most recent time when the ETCD encryption key credential rotation was
             * successfully completed.
             */
            lastCompletionTime?: components["schemas"]["Time"];
            /**
             * LastCompletionTriggeredTime is the recent time when the ETCD encryption key credential rotation
             * completion was triggered.
             */
            lastCompletionTriggeredTime?: components["schemas"]["Time"];
            /**
             * LastInitiationFinishedTime is the recent time when the ETCD encryption key credential rotation
             * initiation was completed.
             */
            lastInitiationFinishedTime?: components["schemas"]["Time"];
            /**
             * LastInitiationTime is the most recent time when the ETCD encryption key credential rotation was
             * initiated.
             */
            lastInitiationTime?: components["schemas"]["Time"];
            /** Phase describes the phase of the ETCD encryption key credential rotation. */
            phase: string;
        };
        /** EncryptionConfig contains customizable encryption configuration of the API server. */
        EncryptionConfig: {
            /** Resources contains the list of resources that shall be encrypted in addition to secrets. */
            resources: string[];
        };
        /** Extension contains type and provider information for extensions. */
        Extension: {
            /**
             * Disabled allows to disable extensions that were marked as 'globally enabled' by Gardener
             * administrators.
             */
            disabled?: boolean;
            /** ProviderConfig is the configuration passed to extension resource. */
            providerConfig?: components["schemas"]["RawExtension"];
            /** Type is the type of the extension resource. */
            type: string;
        };
        /**
         * FailureTolerance describes information about failure tolerance level of a highly available
         * resource.
         */
        FailureTolerance: {
            /** Type specifies the type of failure that the highly available resource can tolerate */
            type: string;
        };
        /** Gardener holds the information about the Gardener version that operated a resource. */
        Gardener: {
            /** ID is the container id of the Gardener which last acted on a resource. */
            id: string;
            /** Name is the hostname (pod name) of the Gardener which last acted on a resource. */
            name: string;
            /** Version is the version of the Gardener which last acted on a resource. */
            version: string;
        };
        /** Hibernation contains information whether the Shoot is suspended or not. */
        Hibernation: {
            /** Enabled specifies whether the Shoot needs to be hibernated or not. */
            enabled?: boolean;
            /** Schedules determine the hibernation schedules. */
            schedules?: components["schemas"]["HibernationSchedule"][];
        };
        /** HibernationSchedule determines the hibernation schedule of a Shoot. */
        HibernationSchedule: {
            /** End is a Cron spec at which time a Shoot will be woken up. */
            end?: string;
            /** Location is the time location in which both start and shall be evaluated. */
            location?: string;
            /** Start is a Cron spec at which time a Shoot will be hibernated. */
            start?: string;
        };
        /** HighAvailability specifies the configuration settings for high availability for a resource. */
        HighAvailability: {
            /**
             * FailureTolerance holds information about failure tolerance level of a highly available
             * resource.
             */
            failureTolerance: components["schemas"]["FailureTolerance"];
        };
        /**
         * HorizontalPodAutoscalerConfig contains horizontal pod autoscaler configuration settings for the
         * kube-controller-manager.
         */
        HorizontalPodAutoscalerConfig: {
            /** The period after which a ready pod transition is considered to be the first. */
            cpuInitializationPeriod?: components["schemas"]["Duration"];
            /**
             * The configurable window at which the controller will choose the highest recommendation for
             * autoscaling.
             */
            downscaleStabilization?: components["schemas"]["Duration"];
            /**
             * The configurable period at which the horizontal pod autoscaler considers a Pod “not yet ready”
             * given that it’s unready and it has transitioned to unready during that time.
             */
            initialReadinessDelay?: components["schemas"]["Duration"];
            /** The period for syncing the number of pods in horizontal pod autoscaler. */
            syncPeriod?: components["schemas"]["Duration"];
            /**
             * The minimum change (from 1.0) in the desired-to-actual metrics ratio for the horizontal pod
             * autoscaler to consider scaling.
             * Format: double
             */
            tolerance?: number;
        };
        /** Ingress configures the Ingress specific settings of the cluster */
        Ingress: {
            /** Controller configures a Gardener managed Ingress Controller listening on the ingressDomain */
            controller: components["schemas"]["IngressController"];
            /**
             * Domain specifies the IngressDomain of the cluster pointing to the ingress controller endpoint.
             */
            domain: string;
        };
        /** IngressController enables a Gardener managed Ingress Controller listening on the ingressDomain */
        IngressController: {
            /** Kind defines which kind of IngressController to use. */
            kind: string;
            /** ProviderConfig specifies infrastructure specific configuration for the ingressController */
            providerConfig?: components["schemas"]["RawExtension"];
        };
        /**
         * IntOrString is a type that can hold an int32 or a string.
         * Format: int-or-string
         */
        IntOrString: number | string;
        /** KubeAPIServerConfig contains configuration settings for the kube-apiserver. */
        KubeAPIServerConfig: {
            /**
             * AdmissionPlugins contains the list of user-defined admission plugins (additional to those
             * managed by Gardener), and, if desired, the corresponding configuration.
             */
            admissionPlugins?: components["schemas"]["AdmissionPlugin"][];
            /** APIAudiences are the identifiers of the API. */
            apiAudiences?: string[];
            /** AuditConfig contains configuration settings for the audit of the kube-apiserver. */
            auditConfig?: components["schemas"]["AuditConfig"];
            /** Autoscaling contains auto-scaling configuration options for the kube-apiserver. */
            autoscaling?: components["schemas"]["ControlPlaneAutoscaling"];
            /**
             * DefaultNotReadyTolerationSeconds indicates the tolerationSeconds of the toleration for
             * notReady:NoExecute that is added by default to every pod that does not already have such a
             * toleration (flag `--default-not-ready-toleration-seconds`).
             * Format: int64
             */
            defaultNotReadyTolerationSeconds?: number;
            /**
             * DefaultUnreachableTolerationSeconds indicates the tolerationSeconds of the toleration for
             * unreachable:NoExecute that is added by default to every pod that does not already have such a
             * toleration (flag `--default-unreachable-toleration-seconds`).
             * Format: int64
             */
            defaultUnreachableTolerationSeconds?: number;
            /**
             * EnableAnonymousAuthentication defines whether anonymous requests to the secure port of the API
             * server should be allowed (flag `--anonymous-auth`).
             */
            enableAnonymousAuthentication?: boolean;
            /** EncryptionConfig contains customizable encryption configuration of the Kube API server. */
            encryptionConfig?: components["schemas"]["EncryptionConfig"];
            /** EventTTL controls the amount of time to retain events. */
            eventTTL?: components["schemas"]["Duration"];
            /** FeatureGates contains information about enabled feature gates. */
            featureGates?: {
                [key: string]: boolean;
            };
            /** Logging contains configuration for the log level and HTTP access logs. */
            logging?: components["schemas"]["APIServerLogging"];
            /** OIDCConfig contains configuration settings for the OIDC provider. */
            oidcConfig?: components["schemas"]["OIDCConfig"];
            /** Requests contains configuration for request-specific settings for the kube-apiserver. */
            requests?: components["schemas"]["APIServerRequests"];
            /** RuntimeConfig contains information about enabled or disabled APIs. */
            runtimeConfig?: {
                [key: string]: boolean;
            };
            /**
             * ServiceAccountConfig contains configuration settings for the service account handling of the
             * kube-apiserver.
             */
            serviceAccountConfig?: components["schemas"]["ServiceAccountConfig"];
            /**
             * StructuredAuthentication contains configuration settings for structured authentication for the
             * kube-apiserver.
             */
            structuredAuthentication?: components["schemas"]["StructuredAuthentication"];
            /**
             * StructuredAuthorization contains configuration settings for structured authorization for the
             * kube-apiserver.
             */
            structuredAuthorization?: components["schemas"]["StructuredAuthorization"];
            /** WatchCacheSizes contains configuration of the API server's watch cache sizes. */
            watchCacheSizes?: components["schemas"]["WatchCacheSizes"];
        };
        /** KubeControllerManagerConfig contains configuration settings for the kube-controller-manager. */
        KubeControllerManagerConfig: {
            /** FeatureGates contains information about enabled feature gates. */
            featureGates?: {
                [key: string]: boolean;
            };
            /**
             * HorizontalPodAutoscalerConfig contains horizontal pod autoscaler configuration settings for the
             * kube-controller-manager.
             */
            horizontalPodAutoscaler?: components["schemas"]["HorizontalPodAutoscalerConfig"];
            /**
             * NodeCIDRMaskSize defines the mask size for node cidr in cluster (default is 24).
             * Format: int32
             */
            nodeCIDRMaskSize?: number;
            /**
             * NodeMonitorGracePeriod defines the grace period before an unresponsive node is marked
             * unhealthy.
             */
            nodeMonitorGracePeriod?: components["schemas"]["Duration"];
            /** PodEvictionTimeout defines the grace period for deleting pods on failed nodes. */
            podEvictionTimeout?: components["schemas"]["Duration"];
        };
        /** KubeProxyConfig contains configuration settings for the kube-proxy. */
        KubeProxyConfig: {
            /** Enabled indicates whether kube-proxy should be deployed or not. */
            enabled?: boolean;
            /** FeatureGates contains information about enabled feature gates. */
            featureGates?: {
                [key: string]: boolean;
            };
            /** Mode specifies which proxy mode to use. defaults to IPTables. */
            mode?: string;
        };
        /** KubeSchedulerConfig contains configuration settings for the kube-scheduler. */
        KubeSchedulerConfig: {
            /** FeatureGates contains information about enabled feature gates. */
            featureGates?: {
                [key: string]: boolean;
            };
            /**
             * KubeMaxPDVols allows to configure the `KUBE_MAX_PD_VOLS` environment variable for the
             * kube-scheduler.
             */
            kubeMaxPDVols?: string;
            /** Profile configures the scheduling profile for the cluster. */
            profile?: string;
        };
        /** KubeletConfig contains configuration settings for the kubelet. */
        KubeletConfig: {
            /**
             * Maximum number of container log files that can be present for a container.
             * Format: int32
             */
            containerLogMaxFiles?: number;
            /** A quantity defines the maximum size of the container log file before it is rotated. */
            containerLogMaxSize?: components["schemas"]["Quantity"];
            /** CPUCFSQuota allows you to disable/enable CPU throttling for Pods. */
            cpuCFSQuota?: boolean;
            /** CPUManagerPolicy allows to set alternative CPU management policies (default: none). */
            cpuManagerPolicy?: string;
            /**
             * EvictionHard describes a set of eviction thresholds (e.g. memory.available<1Gi) that if met
             * would trigger a Pod eviction.
             */
            evictionHard?: components["schemas"]["KubeletConfigEviction"];
            /**
             * EvictionMaxPodGracePeriod describes the maximum allowed grace period (in seconds) to use when
             * terminating pods in response to a soft eviction threshold being met.
             * Format: int32
             */
            evictionMaxPodGracePeriod?: number;
            /**
             * EvictionMinimumReclaim configures the amount of resources below the configured eviction
             * threshold that the kubelet attempts to reclaim whenever the kubelet observes resource pressure.
             */
            evictionMinimumReclaim?: components["schemas"]["KubeletConfigEvictionMinimumReclaim"];
            /**
             * EvictionPressureTransitionPeriod is the duration for which the kubelet has to wait before
             * transitioning out of an eviction pressure condition.
             */
            evictionPressureTransitionPeriod?: components["schemas"]["Duration"];
            /**
             * EvictionSoft describes a set of eviction thresholds (e.g. memory.available<1.5Gi) that if met
             * over a corresponding grace period would trigger a Pod eviction.
             */
            evictionSoft?: components["schemas"]["KubeletConfigEviction"];
            /**
             * EvictionSoftGracePeriod describes a set of eviction grace periods (e.g. memory.available=1m30s)
             * that correspond to how long a soft eviction threshold must hold before triggering a Pod
             * eviction.
             */
            evictionSoftGracePeriod?: components["schemas"]["KubeletConfigEvictionSoftGracePeriod"];
            /** FailSwapOn makes the Kubelet fail to start if swap is enabled on the node. (default true). */
            failSwapOn?: boolean;
            /** FeatureGates contains information about enabled feature gates. */
            featureGates?: {
                [key: string]: boolean;
            };
            /**
             * ImageGCHighThresholdPercent describes the percent of the disk usage which triggers image
             * garbage collection.
             * Format: int32
             */
            imageGCHighThresholdPercent?: number;
            /**
             * ImageGCLowThresholdPercent describes the percent of the disk to which garbage collection
             * attempts to free.
             * Format: int32
             */
            imageGCLowThresholdPercent?: number;
            /** ImageMaximumGCAge is the maximum age of an unused image before it can be garbage collected. */
            imageMaximumGCAge?: components["schemas"]["Duration"];
            /** ImageMinimumGCAge is the minimum age of an unused image before it can be garbage collected. */
            imageMinimumGCAge?: components["schemas"]["Duration"];
            /**
             * KubeReserved is the configuration for resources reserved for kubernetes node components (mainly
             * kubelet and container runtime).
             */
            kubeReserved?: components["schemas"]["KubeletConfigReserved"];
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
            memorySwap?: components["schemas"]["MemorySwapConfiguration"];
            /**
             * PodPIDsLimit is the maximum number of process IDs per pod allowed by the kubelet.
             * Format: int64
             */
            podPidsLimit?: number;
            /** ProtectKernelDefaults ensures that the kernel tunables are equal to the kubelet defaults. */
            protectKernelDefaults?: boolean;
            /**
             * RegistryBurst is the maximum size of bursty pulls, temporarily allows pulls to burst to this
             * number, while still not exceeding registryPullQPS.
             * Format: int32
             */
            registryBurst?: number;
            /**
             * RegistryPullQPS is the limit of registry pulls per second.
             * Format: int32
             */
            registryPullQPS?: number;
            /**
             * SeccompDefault enables the use of `RuntimeDefault` as the default seccomp profile for all
             * workloads.
             */
            seccompDefault?: boolean;
            /** SerializeImagePulls describes whether the images are pulled one at a time. */
            serializeImagePulls?: boolean;
            /**
             * StreamingConnectionIdleTimeout is the maximum time a streaming connection can be idle before
             * the connection is automatically closed.
             */
            streamingConnectionIdleTimeout?: components["schemas"]["Duration"];
            /**
             * SystemReserved is the configuration for resources reserved for system processes not managed by
             * kubernetes (e.g. journald).
             */
            systemReserved?: components["schemas"]["KubeletConfigReserved"];
        };
        /**
         * KubeletConfigEviction contains kubelet eviction thresholds supporting either a resource.Quantity or
         * a percentage based value.
         */
        KubeletConfigEviction: {
            /**
             * ImageFSAvailable is the threshold for the free disk space in the imagefs filesystem (docker
             * images and container writable layers).
             */
            imageFSAvailable?: string;
            /** ImageFSInodesFree is the threshold for the available inodes in the imagefs filesystem. */
            imageFSInodesFree?: string;
            /** MemoryAvailable is the threshold for the free memory on the host server. */
            memoryAvailable?: string;
            /**
             * NodeFSAvailable is the threshold for the free disk space in the nodefs filesystem (docker
             * volumes, logs, etc).
             */
            nodeFSAvailable?: string;
            /** NodeFSInodesFree is the threshold for the available inodes in the nodefs filesystem. */
            nodeFSInodesFree?: string;
        };
        /**
         * KubeletConfigEvictionMinimumReclaim contains configuration for the kubelet eviction minimum
         * reclaim.
         */
        KubeletConfigEvictionMinimumReclaim: {
            /**
             * ImageFSAvailable is the threshold for the disk space reclaim in the imagefs filesystem (docker
             * images and container writable layers).
             */
            imageFSAvailable?: components["schemas"]["Quantity"];
            /** ImageFSInodesFree is the threshold for the inodes reclaim in the imagefs filesystem. */
            imageFSInodesFree?: components["schemas"]["Quantity"];
            /** MemoryAvailable is the threshold for the memory reclaim on the host server. */
            memoryAvailable?: components["schemas"]["Quantity"];
            /**
             * NodeFSAvailable is the threshold for the disk space reclaim in the nodefs filesystem (docker
             * volumes, logs, etc).
             */
            nodeFSAvailable?: components["schemas"]["Quantity"];
            /** NodeFSInodesFree is the threshold for the inodes reclaim in the nodefs filesystem. */
            nodeFSInodesFree?: components["schemas"]["Quantity"];
        };
        /** KubeletConfigEvictionSoftGracePeriod contains grace periods for kubelet eviction thresholds. */
        KubeletConfigEvictionSoftGracePeriod: {
            /** ImageFSAvailable is the grace period for the ImageFSAvailable eviction threshold. */
            imageFSAvailable?: components["schemas"]["Duration"];
            /** ImageFSInodesFree is the grace period for the ImageFSInodesFree eviction threshold. */
            imageFSInodesFree?: components["schemas"]["Duration"];
            /** MemoryAvailable is the grace period for the MemoryAvailable eviction threshold. */
            memoryAvailable?: components["schemas"]["Duration"];
            /** NodeFSAvailable is the grace period for the NodeFSAvailable eviction threshold. */
            nodeFSAvailable?: components["schemas"]["Duration"];
            /** NodeFSInodesFree is the grace period for the NodeFSInodesFree eviction threshold. */
            nodeFSInodesFree?: components["schemas"]["Duration"];
        };
        /** KubeletConfigReserved contains reserved resources for daemons */
        KubeletConfigReserved: {
            /** CPU is the reserved cpu. */
            cpu?: components["schemas"]["Quantity"];
            /** EphemeralStorage is the reserved ephemeral-storage. */
            ephemeralStorage?: components["schemas"]["Quantity"];
            /** Memory is the reserved memory. */
            memory?: components["schemas"]["Quantity"];
            /** PID is the reserved process-ids. */
            pid?: components["schemas"]["Quantity"];
        };
        /** Kubernetes contains the version and configuration variables for the Shoot control plane. */
        Kubernetes: {
            /** ClusterAutoscaler contains the configuration flags for the Kubernetes cluster autoscaler. */
            clusterAutoscaler?: components["schemas"]["ClusterAutoscaler"];
            /**
             * EnableStaticTokenKubeconfig indicates whether static token kubeconfig secret will be created
             * for the Shoot cluster.
             */
            enableStaticTokenKubeconfig?: boolean;
            /** ETCD contains configuration for etcds of the shoot cluster. */
            etcd?: components["schemas"]["ETCD"];
            /** KubeAPIServer contains configuration settings for the kube-apiserver. */
            kubeAPIServer?: components["schemas"]["KubeAPIServerConfig"];
            /** KubeControllerManager contains configuration settings for the kube-controller-manager. */
            kubeControllerManager?: components["schemas"]["KubeControllerManagerConfig"];
            /** KubeProxy contains configuration settings for the kube-proxy. */
            kubeProxy?: components["schemas"]["KubeProxyConfig"];
            /** KubeScheduler contains configuration settings for the kube-scheduler. */
            kubeScheduler?: components["schemas"]["KubeSchedulerConfig"];
            /** Kubelet contains configuration settings for the kubelet. */
            kubelet?: components["schemas"]["KubeletConfig"];
            /** Version is the semantic Kubernetes version to use for the Shoot cluster. */
            version?: string;
            /**
             * VerticalPodAutoscaler contains the configuration flags for the Kubernetes vertical pod
             * autoscaler.
             */
            verticalPodAutoscaler?: components["schemas"]["VerticalPodAutoscaler"];
        };
        /** KubernetesDashboard describes configuration values for the kubernetes-dashboard addon. */
        KubernetesDashboard: {
            /** AuthenticationMode defines the authentication mode for the kubernetes-dashboard. */
            authenticationMode?: string;
            /** Enabled indicates whether the addon is enabled or not. */
            enabled: boolean;
        };
        /**
         * A label selector requirement is a selector that contains values, a key, and an operator that
         * relates the key and values.
         */
        LabelSelectorRequirement: {
            /** key is the label key that the selector applies to. */
            key: string;
            /** operator represents a key's relationship to a set of values. */
            operator: string;
            /** values is an array of string values. */
            values?: string[];
        };
        /** LastError indicates the last occurred error for an operation on a resource. */
        LastError: {
            /** Well-defined error codes of the last error(s). */
            codes?: string[];
            /** A human readable message indicating details about the last error. */
            description: string;
            /** Last time the error was reported */
            lastUpdateTime?: components["schemas"]["Time"];
            /** ID of the task which caused this last error */
            taskID?: string;
        };
        /** LastMaintenance holds information about a maintenance operation on the Shoot. */
        LastMaintenance: {
            /**
             * A human-readable message containing details about the operations performed in the last
             * maintenance.
             */
            description: string;
            /** FailureReason holds the information about the last maintenance operation failure reason. */
            failureReason?: string;
            /** Status of the last maintenance operation, one of Processing, Succeeded, Error. */
            state: string;
            /** TriggeredTime is the time when maintenance was triggered. */
            triggeredTime: components["schemas"]["Time"];
        };
        /**
         * LastOperation indicates the type and the state of the last operation, along with a description
         * message and a progress indicator.
         */
        LastOperation: {
            /** A human readable message indicating details about the last operation. */
            description: string;
            /** Last time the operation state transitioned from one to another. */
            lastUpdateTime: components["schemas"]["Time"];
            /**
             * The progress in percentage (0-100) of the last operation.
             * Format: int32
             */
            progress: number;
            /** Status of the last operation, one of Aborted, Processing, Succeeded, Error, Failed. */
            state: string;
            /** Type of the last operation, one of Create, Reconcile, Delete, Migrate, Restore. */
            type: string;
        };
        /**
         * LoadBalancerServicesProxyProtocol controls whether ProxyProtocol is (optionally) allowed for the
         * load balancer services.
         */
        LoadBalancerServicesProxyProtocol: {
            /**
             * Allowed controls whether the ProxyProtocol is optionally allowed for the load balancer
             * services.
             */
            allowed: boolean;
        };
        /** Machine contains information about the machine type and image. */
        Machine: {
            /** Architecture is CPU architecture of machines in this worker pool. */
            architecture?: string;
            /** Image holds information about the machine image to use for all nodes of this pool. */
            image?: components["schemas"]["ShootMachineImage"];
            /** Type is the machine type of the worker group. */
            type: string;
        };
        /** MachineControllerManagerSettings contains configurations for different worker-pools. */
        MachineControllerManagerSettings: {
            /** DisableHealthTimeout if set to true, health timeout will be ignored. */
            disableHealthTimeout?: boolean;
            /** MachineInPlaceUpdateTimeout is the timeout after which in-place update is declared failed. */
            inPlaceUpdateTimeout?: components["schemas"]["Duration"];
            /**
             * MachineCreationTimeout is the period after which creation of the machine is declared failed.
             */
            machineCreationTimeout?: components["schemas"]["Duration"];
            /** MachineDrainTimeout is the period after which machine is forcefully deleted. */
            machineDrainTimeout?: components["schemas"]["Duration"];
            /** MachineHealthTimeout is the period after which machine is declared failed. */
            machineHealthTimeout?: components["schemas"]["Duration"];
            /**
             * MaxEvictRetries are the number of eviction retries on a pod after which drain is declared
             * failed, and forceful deletion is triggered.
             * Format: int32
             */
            maxEvictRetries?: number;
            /**
             * NodeConditions are the set of conditions if set to true for the period of MachineHealthTimeout,
             * machine will be declared failed.
             */
            nodeConditions?: string[];
        };
        /**
         * Maintenance contains information about the time window for maintenance operations and which
         * operations should be performed.
         */
        Maintenance: {
            /** AutoUpdate contains information about which constraints should be automatically updated. */
            autoUpdate?: components["schemas"]["MaintenanceAutoUpdate"];
            /**
             * ConfineSpecUpdateRollout prevents that changes/updates to the shoot specification will be
             * rolled out immediately.
             */
            confineSpecUpdateRollout?: boolean;
            /** TimeWindow contains information about the time window for maintenance operations. */
            timeWindow?: components["schemas"]["MaintenanceTimeWindow"];
        };
        /**
         * MaintenanceAutoUpdate contains information about which constraints should be automatically updated.
         */
        MaintenanceAutoUpdate: {
            /**
             * KubernetesVersion indicates whether the patch Kubernetes version may be automatically updated
             * (default: true).
             */
            kubernetesVersion: boolean;
            /**
             * MachineImageVersion indicates whether the machine image version may be automatically updated
             * (default: true).
             */
            machineImageVersion?: boolean;
        };
        /** MaintenanceTimeWindow contains information about the time window for maintenance operations. */
        MaintenanceTimeWindow: {
            /** Begin is the beginning of the time window in the format HHMMSS+ZONE, e.g. "220000+0100". */
            begin: string;
            /** End is the end of the time window in the format HHMMSS+ZONE, e.g. "220000+0100". */
            end: string;
        };
        /**
         * MemorySwapConfiguration contains kubelet swap configuration For more information, please see KEP:
         * 2400-node-swap
         */
        MemorySwapConfiguration: {
            /** SwapBehavior configures swap memory available to container workloads. */
            swapBehavior?: string;
        };
        /** Monitoring contains information about the monitoring configuration for the shoot. */
        Monitoring: {
            /** Alerting contains information about the alerting configuration for the shoot cluster. */
            alerting?: components["schemas"]["Alerting"];
        };
        /** NamedResourceReference is a named reference to a resource. */
        NamedResourceReference: {
            /** Name of the resource reference. */
            name: string;
            /** ResourceRef is a reference to a resource. */
            resourceRef: components["schemas"]["CrossVersionObjectReference"];
        };
        /** Networking defines networking parameters for the shoot cluster. */
        Networking: {
            /** IPFamilies specifies the IP protocol versions to use for shoot networking. */
            ipFamilies?: string[];
            /** Nodes is the CIDR of the entire node network. */
            nodes?: string;
            /** Pods is the CIDR of the pod network. */
            pods?: string;
            /** ProviderConfig is the configuration passed to network resource. */
            providerConfig?: components["schemas"]["RawExtension"];
            /** Services is the CIDR of the service network. */
            services?: string;
            /** Type identifies the type of the networking plugin. */
            type?: string;
        };
        /** NetworkingStatus contains information about cluster networking such as CIDRs. */
        NetworkingStatus: {
            /**
             * EgressCIDRs is a list of CIDRs used by the shoot as the source IP for egress traffic as
             * reported by the used Infrastructure extension controller.
             */
            egressCIDRs?: string[];
            /** Nodes are the CIDRs of the node network. */
            nodes?: string[];
            /** Pods are the CIDRs of the pod network. */
            pods?: string[];
            /** Services are the CIDRs of the service network. */
            services?: string[];
        };
        /** NginxIngress describes configuration values for the nginx-ingress addon. */
        NginxIngress: {
            /** Config contains custom configuration for the nginx-ingress-controller configuration. */
            config?: {
                [key: string]: string;
            };
            /** Enabled indicates whether the addon is enabled or not. */
            enabled: boolean;
            /**
             * ExternalTrafficPolicy controls the `.spec.externalTrafficPolicy` value of the load balancer
             * `Service` exposing the nginx-ingress.
             */
            externalTrafficPolicy?: string;
            /** LoadBalancerSourceRanges is list of allowed IP sources for NginxIngress */
            loadBalancerSourceRanges?: string[];
        };
        /**
         * NodeLocalDNS contains the settings of the node local DNS components running in the data plane of
         * the Shoot cluster.
         */
        NodeLocalDNS: {
            /**
             * DisableForwardToUpstreamDNS indicates whether requests from node local DNS to upstream DNS
             * should be disabled.
             */
            disableForwardToUpstreamDNS?: boolean;
            /** Enabled indicates whether node local DNS is enabled or not. */
            enabled: boolean;
            /**
             * ForceTCPToClusterDNS indicates whether the connection from the node local DNS to the cluster
             * DNS (Core DNS) will be forced to TCP or not.
             */
            forceTCPToClusterDNS?: boolean;
            /**
             * ForceTCPToUpstreamDNS indicates whether the connection from the node local DNS to the upstream
             * DNS (infrastructure DNS) will be forced to TCP or not.
             */
            forceTCPToUpstreamDNS?: boolean;
        };
        /** OIDCConfig contains configuration settings for the OIDC provider. */
        OIDCConfig: {
            /**
             * If set, the OpenID server's certificate will be verified by one of the authorities in the
             * oidc-ca-file, otherwise the host's root CA set will be used.
             */
            caBundle?: string;
            /**
             * ClientAuthentication can optionally contain client configuration used for kubeconfig
             * generation.
             */
            clientAuthentication?: components["schemas"]["OpenIDConnectClientAuthentication"];
            /** The client ID for the OpenID Connect client, must be set. */
            clientID?: string;
            /** If provided, the name of a custom OpenID Connect claim for specifying user groups. */
            groupsClaim?: string;
            /**
             * If provided, all groups will be prefixed with this value to prevent conflicts with other
             * authentication strategies.
             */
            groupsPrefix?: string;
            /** The URL of the OpenID issuer, only HTTPS scheme will be accepted. */
            issuerURL?: string;
            /** key=value pairs that describes a required claim in the ID Token. */
            requiredClaims?: {
                [key: string]: string;
            };
            /** List of allowed JOSE asymmetric signing algorithms. */
            signingAlgs?: string[];
            /** The OpenID claim to use as the user name. */
            usernameClaim?: string;
            /** If provided, all usernames will be prefixed with this value. */
            usernamePrefix?: string;
        };
        /** ObjectReference contains enough information to let you inspect or modify the referred object. */
        ObjectReference: {
            /** API version of the referent. */
            apiVersion?: string;
            /**
             * If referring to a piece of an object instead of an entire object, this string should contain a
             * valid JSON/Go field access statement, such as desiredState.manifest.containers[2].
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
        /** ObservabilityRotation contains information about the observability credential rotation. */
        ObservabilityRotation: {
            /**
             * LastCompletionTime is the most recent time when the observability credential rotation was
             * successfully completed.
             */
            lastCompletionTime?: components["schemas"]["Time"];
            /**
             * LastInitiationTime is the most recent time when the observability credential rotation was
             * initiated.
             */
            lastInitiationTime?: components["schemas"]["Time"];
        };
        /** OpenIDConnectClientAuthentication contains configuration for OIDC clients. */
        OpenIDConnectClientAuthentication: {
            /** Extra configuration added to kubeconfig's auth-provider. */
            extraConfig?: {
                [key: string]: string;
            };
            /** The client Secret for the OpenID Connect client. */
            secret?: string;
        };
        /**
         * PendingWorkersRollout contains the name of a worker pool and the initiation time of their last
         * rollout due to credentials rotation.
         */
        PendingWorkersRollout: {
            /** LastInitiationTime is the most recent time when the credential rotation was initiated. */
            lastInitiationTime?: components["schemas"]["Time"];
            /** Name is the name of a worker pool. */
            name: string;
        };
        /**
         * Provider contains provider-specific information that are handed-over to the provider-specific
         * extension controller.
         */
        Provider: {
            /** ControlPlaneConfig contains the provider-specific control plane config blob. */
            controlPlaneConfig?: components["schemas"]["RawExtension"];
            /** InfrastructureConfig contains the provider-specific infrastructure config blob. */
            infrastructureConfig?: components["schemas"]["RawExtension"];
            /** Type is the type of the provider. */
            type: string;
            /** Workers is a list of worker groups. */
            workers?: components["schemas"]["Worker"][];
            /** WorkersSettings contains settings for all workers. */
            workersSettings?: components["schemas"]["WorkersSettings"];
        };
        /** Quantity is a fixed-point representation of a number. */
        Quantity: string | number;
        /** RawExtension is used to hold extensions in external versions. */
        RawExtension: {
            [key: string]: unknown;
        };
        /**
         * ResourceWatchCacheSize contains configuration of the API server's watch cache size for one specific
         * resource.
         */
        ResourceWatchCacheSize: {
            /**
             * APIGroup is the API group of the resource for which the watch cache size should be configured.
             */
            apiGroup?: string;
            /**
             * Resource is the name of the resource for which the watch cache size should be configured (in
             * lowercase plural form, e.g. `secrets`).
             */
            resource: string;
            /**
             * CacheSize specifies the watch cache size that should be configured for the specified resource.
             * Format: int32
             */
            size: number;
        };
        /** SSHAccess contains settings regarding ssh access to the worker nodes. */
        SSHAccess: {
            /**
             * Enabled indicates whether the SSH access to the worker nodes is ensured to be enabled or
             * disabled in systemd.
             */
            enabled: boolean;
        };
        /** SecretReference represents a Secret Reference. */
        SecretReference: {
            /** name is unique within a namespace to reference a secret resource. */
            name?: string;
            /** namespace defines the space within which the secret name must be unique. */
            namespace?: string;
        };
        /** Seed represents an installation request for an external controller. */
        Seed: {
            /** APIVersion defines the versioned schema of this representation of an object. */
            apiVersion?: string;
            /** Kind is a string value representing the REST resource this object represents. */
            kind?: string;
            /** Spec contains the specification of this installation. */
            spec?: components["schemas"]["SeedSpec"];
            /** Status contains the status of this installation. */
            status?: components["schemas"]["SeedStatus"];
        };
        /** SeedBackup contains the object store configuration for backups for shoot (currently only etcd). */
        SeedBackup: {
            /** Provider is a provider name. */
            provider: string;
            /** ProviderConfig is the configuration passed to BackupBucket resource. */
            providerConfig?: components["schemas"]["RawExtension"];
            /** Region is a region name. */
            region?: string;
            /**
             * SecretRef is a reference to a Secret object containing the cloud provider credentials for the
             * object store where backups should be stored.
             */
            secretRef: components["schemas"]["SecretReference"];
        };
        /** SeedDNS contains DNS-relevant information about this seed cluster. */
        SeedDNS: {
            /** Provider configures a DNSProvider */
            provider?: components["schemas"]["SeedDNSProvider"];
        };
        /** SeedDNSProvider configures a DNSProvider for Seeds */
        SeedDNSProvider: {
            /**
             * SecretRef is a reference to a Secret object containing cloud provider credentials used for
             * registering external domains.
             */
            secretRef: components["schemas"]["SecretReference"];
            /** Type describes the type of the dns-provider, for example `aws-route53` */
            type: string;
        };
        /** SeedNetworks contains CIDRs for the pod, service and node networks of a Kubernetes cluster. */
        SeedNetworks: {
            /**
             * BlockCIDRs is a list of network addresses that should be blocked for shoot control plane
             * components running in the seed cluster.
             */
            blockCIDRs?: string[];
            /** IPFamilies specifies the IP protocol versions to use for seed networking. */
            ipFamilies?: string[];
            /** Nodes is the CIDR of the node network. */
            nodes?: string;
            /** Pods is the CIDR of the pod network. */
            pods: string;
            /** Services is the CIDR of the service network. */
            services: string;
            /** ShootDefaults contains the default networks CIDRs for shoots. */
            shootDefaults?: components["schemas"]["ShootNetworks"];
        };
        /** SeedProvider defines the provider-specific information of this Seed cluster. */
        SeedProvider: {
            /** ProviderConfig is the configuration passed to Seed resource. */
            providerConfig?: components["schemas"]["RawExtension"];
            /** Region is a name of a region. */
            region: string;
            /** Type is the name of the provider. */
            type: string;
            /** Zones is the list of availability zones the seed cluster is deployed to. */
            zones?: string[];
        };
        /** SeedSelector contains constraints for selecting seed to be usable for shoots using a profile */
        SeedSelector: {
            /** matchExpressions is a list of label selector requirements. */
            matchExpressions?: components["schemas"]["LabelSelectorRequirement"][];
            /** matchLabels is a map of {key,value} pairs. */
            matchLabels?: {
                [key: string]: string;
            };
            /**
             * Providers is optional and can be used by restricting seeds by their provider type. '*' can be
             * used to enable seeds regardless of their provider type.
             */
            providerTypes?: string[];
        };
        /** SeedSettingDependencyWatchdog controls the dependency-watchdog settings for the seed. */
        SeedSettingDependencyWatchdog: {
            /** Prober controls the prober settings for the dependency-watchdog for the seed. */
            prober?: components["schemas"]["SeedSettingDependencyWatchdogProber"];
            /** Weeder controls the weeder settings for the dependency-watchdog for the seed. */
            weeder?: components["schemas"]["SeedSettingDependencyWatchdogWeeder"];
        };
        /**
         * SeedSettingDependencyWatchdogProber controls the prober settings for the dependency-watchdog for
         * the seed.
         */
        SeedSettingDependencyWatchdogProber: {
            /**
             * Enabled controls whether the probe controller(prober) of the dependency-watchdog should be
             * enabled.
             */
            enabled: boolean;
        };
        /**
         * SeedSettingDependencyWatchdogWeeder controls the weeder settings for the dependency-watchdog for
         * the seed.
         */
        SeedSettingDependencyWatchdogWeeder: {
            /**
             * Enabled controls whether the endpoint controller(weeder) of the dependency-watchdog should be
             * enabled.
             */
            enabled: boolean;
        };
        /**
         * SeedSettingExcessCapacityReservation controls the excess capacity reservation for shoot control
         * planes in the seed.
         */
        SeedSettingExcessCapacityReservation: {
            /**
             * Configs configures excess capacity reservation deployments for shoot control planes in the
             * seed.
             */
            configs?: components["schemas"]["SeedSettingExcessCapacityReservationConfig"][];
            /** Enabled controls whether the default excess capacity reservation should be enabled. */
            enabled?: boolean;
        };
        /**
         * SeedSettingExcessCapacityReservationConfig configures excess capacity reservation deployments for
         * shoot control planes in the seed.
         */
        SeedSettingExcessCapacityReservationConfig: {
            /** NodeSelector specifies the node where the excess-capacity-reservation pod should run. */
            nodeSelector?: {
                [key: string]: string;
            };
            /** Resources specify the resource requests and limits of the excess-capacity-reservation pod. */
            resources: {
                [key: string]: components["schemas"]["Quantity"];
            };
            /** Tolerations specify the tolerations for the the excess-capacity-reservation pod. */
            tolerations?: components["schemas"]["io.k8s.api.core.v1.Toleration"][];
        };
        /**
         * SeedSettingLoadBalancerServices controls certain settings for services of type load balancer that
         * are created in the seed.
         */
        SeedSettingLoadBalancerServices: {
            /**
             * Annotations is a map of annotations that will be injected/merged into every load balancer
             * service object.
             */
            annotations?: {
                [key: string]: string;
            };
            /**
             * ExternalTrafficPolicy describes how nodes distribute service traffic they receive on one of the
             * service's "externally-facing" addresses.
             */
            externalTrafficPolicy?: string;
            /**
             * ProxyProtocol controls whether ProxyProtocol is (optionally) allowed for the load balancer
             * services.
             */
            proxyProtocol?: components["schemas"]["LoadBalancerServicesProxyProtocol"];
            /**
             * Zones controls settings, which are specific to the single-zone load balancers in a multi-zonal
             * setup.
             */
            zones?: components["schemas"]["SeedSettingLoadBalancerServicesZones"][];
        };
        /**
         * SeedSettingLoadBalancerServicesZones controls settings, which are specific to the single-zone load
         * balancers in a multi-zonal setup.
         */
        SeedSettingLoadBalancerServicesZones: {
            /**
             * Annotations is a map of annotations that will be injected/merged into the zone-specific load
             * balancer service object.
             */
            annotations?: {
                [key: string]: string;
            };
            /**
             * ExternalTrafficPolicy describes how nodes distribute service traffic they receive on one of the
             * service's "externally-facing" addresses.
             */
            externalTrafficPolicy?: string;
            /** Name is the name of the zone as specified in seed.spec.provider.zones. */
            name: string;
            /**
             * ProxyProtocol controls whether ProxyProtocol is (optionally) allowed for the load balancer
             * services.
             */
            proxyProtocol?: components["schemas"]["LoadBalancerServicesProxyProtocol"];
        };
        /** SeedSettingScheduling controls settings for scheduling decisions for the seed. */
        SeedSettingScheduling: {
            /**
             * Visible controls whether the gardener-scheduler shall consider this seed when scheduling
             * shoots.
             */
            visible: boolean;
        };
        /**
         * SeedSettingTopologyAwareRouting controls certain settings for topology-aware traffic routing in the
         * seed.
         */
        SeedSettingTopologyAwareRouting: {
            /**
             * Enabled controls whether certain Services deployed in the seed cluster should be
             * topology-aware.
             */
            enabled: boolean;
        };
        /**
         * SeedSettingVerticalPodAutoscaler controls certain settings for the vertical pod autoscaler
         * components deployed in the seed.
         */
        SeedSettingVerticalPodAutoscaler: {
            /**
             * Enabled controls whether the VPA components shall be deployed into the garden namespace in the
             * seed cluster.
             */
            enabled: boolean;
        };
        /** SeedSettings contains certain settings for this seed cluster. */
        SeedSettings: {
            /**
             * DependencyWatchdog controls certain settings for the dependency-watchdog components deployed in
             * the seed.
             */
            dependencyWatchdog?: components["schemas"]["SeedSettingDependencyWatchdog"];
            /**
             * ExcessCapacityReservation controls the excess capacity reservation for shoot control planes in
             * the seed.
             */
            excessCapacityReservation?: components["schemas"]["SeedSettingExcessCapacityReservation"];
            /**
             * LoadBalancerServices controls certain settings for services of type load balancer that are
             * created in the seed.
             */
            loadBalancerServices?: components["schemas"]["SeedSettingLoadBalancerServices"];
            /** Scheduling controls settings for scheduling decisions for the seed. */
            scheduling?: components["schemas"]["SeedSettingScheduling"];
            /**
             * TopologyAwareRouting controls certain settings for topology-aware traffic routing in the seed.
             */
            topologyAwareRouting?: components["schemas"]["SeedSettingTopologyAwareRouting"];
            /**
             * VerticalPodAutoscaler controls certain settings for the vertical pod autoscaler components
             * deployed in the seed.
             */
            verticalPodAutoscaler?: components["schemas"]["SeedSettingVerticalPodAutoscaler"];
        };
        /** SeedSpec is the specification of a Seed. */
        SeedSpec: {
            /** AccessRestrictions describe a list of access restrictions for this seed cluster. */
            accessRestrictions?: components["schemas"]["AccessRestriction"][];
            /** Backup holds the object store configuration for the backups of shoot (currently only etcd). */
            backup?: components["schemas"]["SeedBackup"];
            /** DNS contains DNS-relevant information about this seed cluster. */
            dns: components["schemas"]["SeedDNS"];
            /** Extensions contain type and provider information for Seed extensions. */
            extensions?: components["schemas"]["Extension"][];
            /** Ingress configures Ingress specific settings of the Seed cluster. */
            ingress?: components["schemas"]["Ingress"];
            /** Networks defines the pod, service and worker network of the Seed cluster. */
            networks: components["schemas"]["SeedNetworks"];
            /** Provider defines the provider type and region for this Seed cluster. */
            provider: components["schemas"]["SeedProvider"];
            /**
             * Resources holds a list of named resource references that can be referred to in extension
             * configs by their names.
             */
            resources?: components["schemas"]["NamedResourceReference"][];
            /** Settings contains certain settings for this seed cluster. */
            settings?: components["schemas"]["SeedSettings"];
            /** Taints describes taints on the seed. */
            taints?: components["schemas"]["SeedTaint"][];
            /** Volume contains settings for persistentvolumes created in the seed cluster. */
            volume?: components["schemas"]["SeedVolume"];
        };
        /** SeedStatus is the status of a Seed. */
        SeedStatus: {
            /** Allocatable represents the resources of a seed that are available for scheduling. */
            allocatable?: {
                [key: string]: components["schemas"]["Quantity"];
            };
            /** Capacity represents the total resources of a seed. */
            capacity?: {
                [key: string]: components["schemas"]["Quantity"];
            };
            /**
             * ClientCertificateExpirationTimestamp is the timestamp at which gardenlet's client certificate
             * expires.
             */
            clientCertificateExpirationTimestamp?: components["schemas"]["Time"];
            /** ClusterIdentity is the identity of the Seed cluster. */
            clusterIdentity?: string;
            /** Conditions represents the latest available observations of a Seed's current state. */
            conditions?: components["schemas"]["Condition"][];
            /** Gardener holds information about the Gardener which last acted on the Shoot. */
            gardener?: components["schemas"]["Gardener"];
            /** KubernetesVersion is the Kubernetes version of the seed cluster. */
            kubernetesVersion?: string;
            /** LastOperation holds information about the last operation on the Seed. */
            lastOperation?: components["schemas"]["LastOperation"];
            /**
             * ObservedGeneration is the most recent generation observed for this Seed.
             * Format: int64
             */
            observedGeneration?: number;
        };
        /** SeedTaint describes a taint on a seed. */
        SeedTaint: {
            /** Key is the taint key to be applied to a seed. */
            key: string;
            /** Value is the taint value corresponding to the taint key. */
            value?: string;
        };
        /** SeedVolume contains settings for persistentvolumes created in the seed cluster. */
        SeedVolume: {
            /** MinimumSize defines the minimum size that should be used for PVCs in the seed. */
            minimumSize?: components["schemas"]["Quantity"];
            /** Providers is a list of storage class provisioner types for the seed. */
            providers?: components["schemas"]["SeedVolumeProvider"][];
        };
        /** SeedVolumeProvider is a storage class provisioner type. */
        SeedVolumeProvider: {
            /** Name is the name of the storage class provisioner type. */
            name: string;
            /** Purpose is the purpose of this provider. */
            purpose: string;
        };
        /** ServiceAccountConfig is the kube-apiserver configuration for service accounts. */
        ServiceAccountConfig: {
            /**
             * AcceptedIssuers is an additional set of issuers that are used to determine which service
             * account tokens are accepted.
             */
            acceptedIssuers?: string[];
            /**
             * ExtendTokenExpiration turns on projected service account expiration extension during token
             * generation, which helps safe transition from legacy token to bound service account token
             * feature.
             */
            extendTokenExpiration?: boolean;
            /** Issuer is the identifier of the service account token issuer. */
            issuer?: string;
            /**
             * MaxTokenExpiration is the maximum validity duration of a token created by the service account
             * token issuer.
             */
            maxTokenExpiration?: components["schemas"]["Duration"];
        };
        /**
         * ServiceAccountKeyRotation contains information about the service account key credential rotation.
         */
        ServiceAccountKeyRotation: {
            /**
             * LastCompletionTime is the most recent time when the service account key credential rotation was
             * successfully completed.
             */
            lastCompletionTime?: components["schemas"]["Time"];
            /**
             * LastCompletionTriggeredTime is the recent time when the service account key credential rotation
             * completion was triggered.
             */
            lastCompletionTriggeredTime?: components["schemas"]["Time"];
            /**
             * LastInitiationFinishedTime is the recent time when the service account key credential rotation
             * initiation was completed.
             */
            lastInitiationFinishedTime?: components["schemas"]["Time"];
            /**
             * LastInitiationTime is the most recent time when the service account key credential rotation was
             * initiated.
             */
            lastInitiationTime?: components["schemas"]["Time"];
            /**
             * PendingWorkersRollouts contains the name of a worker pool and the initiation time of their last
             * rollout due to credentials rotation.
             */
            pendingWorkersRollouts?: components["schemas"]["PendingWorkersRollout"][];
            /** Phase describes the phase of the service account key credential rotation. */
            phase: string;
        };
        /** Shoot represents a Shoot cluster created and managed by Gardener. */
        Shoot: {
            /** APIVersion defines the versioned schema of this representation of an object. */
            apiVersion?: string;
            /** Kind is a string value representing the REST resource this object represents. */
            kind?: string;
            /** Specification of the Shoot cluster. */
            spec?: components["schemas"]["ShootSpec"];
            /** Most recently observed status of the Shoot cluster. */
            status?: components["schemas"]["ShootStatus"];
        };
        /** ShootAdvertisedAddress contains information for the shoot's Kube API server. */
        ShootAdvertisedAddress: {
            /** Name of the advertised address. e.g. external */
            name: string;
            /** The URL of the API Server. e.g. https://api.foo.bar or https://1.2.3.4 */
            url: string;
        };
        /** ShootCredentials contains information about the shoot credentials. */
        ShootCredentials: {
            /** Rotation contains information about the credential rotations. */
            rotation?: components["schemas"]["ShootCredentialsRotation"];
        };
        /** ShootCredentialsRotation contains information about the rotation of credentials. */
        ShootCredentialsRotation: {
            /**
             * CertificateAuthorities contains information about the certificate authority credential
             * rotation.
             */
            certificateAuthorities?: components["schemas"]["CARotation"];
            /** ETCDEncryptionKey contains information about the ETCD encryption key credential rotation. */
            etcdEncryptionKey?: components["schemas"]["ETCDEncryptionKeyRotation"];
            /** Kubeconfig contains information about the kubeconfig credential rotation. */
            kubeconfig?: components["schemas"]["ShootKubeconfigRotation"];
            /** Observability contains information about the observability credential rotation. */
            observability?: components["schemas"]["ObservabilityRotation"];
            /** ServiceAccountKey contains information about the service account key credential rotation. */
            serviceAccountKey?: components["schemas"]["ServiceAccountKeyRotation"];
            /** SSHKeypair contains information about the ssh-keypair credential rotation. */
            sshKeypair?: components["schemas"]["ShootSSHKeypairRotation"];
        };
        /** ShootKubeconfigRotation contains information about the kubeconfig credential rotation. */
        ShootKubeconfigRotation: {
            /**
             * LastCompletionTime is the most recent time when the kubeconfig credential rotation was
             * successfully completed.
             */
            lastCompletionTime?: components["schemas"]["Time"];
            /**
             * LastInitiationTime is the most recent time when the kubeconfig credential rotation was
             * initiated.
             */
            lastInitiationTime?: components["schemas"]["Time"];
        };
        /**
         * ShootMachineImage defines the name and the version of the shoot's machine image in any environment.
         */
        ShootMachineImage: {
            /** Name is the name of the image. */
            name: string;
            /** ProviderConfig is the shoot's individual configuration passed to an extension resource. */
            providerConfig?: components["schemas"]["RawExtension"];
            /** Version is the version of the shoot's image. */
            version?: string;
        };
        /** ShootNetworks contains the default networks CIDRs for shoots. */
        ShootNetworks: {
            /** Pods is the CIDR of the pod network. */
            pods?: string;
            /** Services is the CIDR of the service network. */
            services?: string;
        };
        /** ShootSSHKeypairRotation contains information about the ssh-keypair credential rotation. */
        ShootSSHKeypairRotation: {
            /**
             * LastCompletionTime is the most recent time when the ssh-keypair credential rotation was
             * successfully completed.
             */
            lastCompletionTime?: components["schemas"]["Time"];
            /**
             * LastInitiationTime is the most recent time when the ssh-keypair credential rotation was
             * initiated.
             */
            lastInitiationTime?: components["schemas"]["Time"];
        };
        /** ShootSpec is the specification of a Shoot. */
        ShootSpec: {
            /** AccessRestrictions describe a list of access restrictions for this shoot cluster. */
            accessRestrictions?: components["schemas"]["AccessRestrictionWithOptions"][];
            /** Addons contains information about enabled/disabled addons and their configuration. */
            addons?: components["schemas"]["Addons"];
            /** CloudProfile contains a reference to a CloudProfile or a NamespacedCloudProfile. */
            cloudProfile?: components["schemas"]["CloudProfileReference"];
            /** CloudProfileName is a name of a CloudProfile object. */
            cloudProfileName?: string;
            /** ControlPlane contains general settings for the control plane of the shoot. */
            controlPlane?: components["schemas"]["ControlPlane"];
            /**
             * CredentialsBindingName is the name of a CredentialsBinding that has a reference to the provider
             * credentials.
             */
            credentialsBindingName?: string;
            /** DNS contains information about the DNS settings of the Shoot. */
            dns?: components["schemas"]["DNS"];
            /**
             * ExposureClassName is the optional name of an exposure class to apply a control plane endpoint
             * exposure strategy.
             */
            exposureClassName?: string;
            /** Extensions contain type and provider information for Shoot extensions. */
            extensions?: components["schemas"]["Extension"][];
            /** Hibernation contains information whether the Shoot is suspended or not. */
            hibernation?: components["schemas"]["Hibernation"];
            /** Kubernetes contains the version and configuration settings of the control plane components. */
            kubernetes: components["schemas"]["Kubernetes"];
            /**
             * Maintenance contains information about the time window for maintenance operations and which
             * operations should be performed.
             */
            maintenance?: components["schemas"]["Maintenance"];
            /** Monitoring contains information about custom monitoring configurations for the shoot. */
            monitoring?: components["schemas"]["Monitoring"];
            /**
             * Networking contains information about cluster networking such as CNI Plugin type, CIDRs,
             * ...etc.
             */
            networking?: components["schemas"]["Networking"];
            /** Provider contains all provider-specific and provider-relevant information. */
            provider: components["schemas"]["Provider"];
            /** Purpose is the purpose class for this cluster. */
            purpose?: string;
            /** Region is a name of a region. */
            region: string;
            /**
             * Resources holds a list of named resource references that can be referred to in extension
             * configs by their names.
             */
            resources?: components["schemas"]["NamedResourceReference"][];
            /** SchedulerName is the name of the responsible scheduler which schedules the shoot. */
            schedulerName?: string;
            /**
             * SecretBindingName is the name of a SecretBinding that has a reference to the provider secret.
             */
            secretBindingName?: string;
            /** SeedName is the name of the seed cluster that runs the control plane of the Shoot. */
            seedName?: string;
            /**
             * SeedSelector is an optional selector which must match a seed's labels for the shoot to be
             * scheduled on that seed.
             */
            seedSelector?: components["schemas"]["SeedSelector"];
            /**
             * SystemComponents contains the settings of system components in the control or data plane of the
             * Shoot cluster.
             */
            systemComponents?: components["schemas"]["SystemComponents"];
            /** Tolerations contains the tolerations for taints on seed clusters. */
            tolerations?: components["schemas"]["Toleration"][];
        };
        /** ShootStatus holds the most recently observed status of the Shoot cluster. */
        ShootStatus: {
            /** List of addresses that are relevant to the shoot. */
            advertisedAddresses?: components["schemas"]["ShootAdvertisedAddress"][];
            /** ClusterIdentity is the identity of the Shoot cluster. */
            clusterIdentity?: string;
            /** Conditions represents the latest available observations of a Shoots's current state. */
            conditions?: components["schemas"]["Condition"][];
            /**
             * Constraints represents conditions of a Shoot's current state that constraint some operations on
             * it.
             */
            constraints?: components["schemas"]["Condition"][];
            /** Credentials contains information about the shoot credentials. */
            credentials?: components["schemas"]["ShootCredentials"];
            /** EncryptedResources is the list of resources in the Shoot which are currently encrypted. */
            encryptedResources?: string[];
            /** Gardener holds information about the Gardener which last acted on the Shoot. */
            gardener: components["schemas"]["Gardener"];
            /** IsHibernated indicates whether the Shoot is currently hibernated. */
            hibernated: boolean;
            /** LastErrors holds information about the last occurred error(s) during an operation. */
            lastErrors?: components["schemas"]["LastError"][];
            /**
             * LastHibernationTriggerTime indicates the last time when the hibernation controller managed to
             * change the hibernation settings of the cluster
             */
            lastHibernationTriggerTime?: components["schemas"]["Time"];
            /** LastMaintenance holds information about the last maintenance operations on the Shoot. */
            lastMaintenance?: components["schemas"]["LastMaintenance"];
            /** LastOperation holds information about the last operation on the Shoot. */
            lastOperation?: components["schemas"]["LastOperation"];
            /** MigrationStartTime is the time when a migration to a different seed was initiated. */
            migrationStartTime?: components["schemas"]["Time"];
            /** Networking contains information about cluster networking such as CIDRs. */
            networking?: components["schemas"]["NetworkingStatus"];
            /**
             * ObservedGeneration is the most recent generation observed for this Shoot.
             * Format: int64
             */
            observedGeneration?: number;
            /**
             * RetryCycleStartTime is the start time of the last retry cycle (used to determine how often an
             * operation must be retried until we give up).
             */
            retryCycleStartTime?: components["schemas"]["Time"];
            /** SeedName is the name of the seed cluster that runs the control plane of the Shoot. */
            seedName?: string;
            /** TechnicalID is a unique technical ID for this Shoot. */
            technicalID: string;
            /**
             * UID is a unique identifier for the Shoot cluster to avoid portability between Kubernetes
             * clusters.
             */
            uid: string;
        };
        /** StructuredAuthentication contains authentication config for kube-apiserver. */
        StructuredAuthentication: {
            /**
             * ConfigMapName is the name of the ConfigMap in the project namespace which contains
             * AuthenticationConfiguration for the kube-apiserver.
             */
            configMapName: string;
        };
        /** StructuredAuthorization contains authorization config for kube-apiserver. */
        StructuredAuthorization: {
            /**
             * ConfigMapName is the name of the ConfigMap in the project namespace which contains
             * AuthorizationConfiguration for the kube-apiserver.
             */
            configMapName: string;
            /** Kubeconfigs is a list of references for kubeconfigs for the authorization webhooks. */
            kubeconfigs: components["schemas"]["AuthorizerKubeconfigReference"][];
        };
        /**
         * SystemComponents contains the settings of system components in the control or data plane of the
         * Shoot cluster.
         */
        SystemComponents: {
            /**
             * CoreDNS contains the settings of the Core DNS components running in the data plane of the Shoot
             * cluster.
             */
            coreDNS?: components["schemas"]["CoreDNS"];
            /**
             * NodeLocalDNS contains the settings of the node local DNS components running in the data plane
             * of the Shoot cluster.
             */
            nodeLocalDNS?: components["schemas"]["NodeLocalDNS"];
        };
        /**
         * The node this Taint is attached to has the "effect" on any pod that does not tolerate the Taint.
         */
        Taint: {
            /** Required. */
            effect: string;
            /** Required. */
            key: string;
            /** TimeAdded represents the time at which the taint was added. */
            timeAdded?: components["schemas"]["Time"];
            /** The taint value corresponding to the taint key. */
            value?: string;
        };
        /**
         * Time is a wrapper around time.Time which supports correct marshaling to YAML and JSON.
         * Format: date-time
         */
        Time: string;
        /** Toleration is a toleration for a seed taint. */
        Toleration: {
            /** Key is the toleration key to be applied to a project or shoot. */
            key: string;
            /** Value is the toleration value corresponding to the toleration key. */
            value?: string;
        };
        /**
         * VerticalPodAutoscaler contains the configuration flags for the Kubernetes vertical pod autoscaler.
         */
        VerticalPodAutoscaler: {
            /**
             * CPUHistogramDecayHalfLife is the amount of time it takes a historical CPU usage sample to lose
             * half of its weight. (default: 24h)
             */
            cpuHistogramDecayHalfLife?: components["schemas"]["Duration"];
            /** Enabled specifies whether the Kubernetes VPA shall be enabled for the shoot cluster. */
            enabled: boolean;
            /**
             * EvictAfterOOMThreshold defines the threshold that will lead to pod eviction in case it OOMed in
             * less than the given threshold since its start and if it has only one container (default:
             * 10m0s).
             */
            evictAfterOOMThreshold?: components["schemas"]["Duration"];
            /**
             * EvictionRateBurst defines the burst of pods that can be evicted (default: 1)
             * Format: int32
             */
            evictionRateBurst?: number;
            /**
             * EvictionRateLimit defines the number of pods that can be evicted per second.
             * Format: double
             */
            evictionRateLimit?: number;
            /**
             * EvictionTolerance defines the fraction of replica count that can be evicted for update in case
             * more than one pod can be evicted (default: 0.5).
             * Format: double
             */
            evictionTolerance?: number;
            /**
             * MemoryAggregationInterval is the length of a single interval, for which the peak memory usage
             * is computed. (default: 24h)
             */
            memoryAggregationInterval?: components["schemas"]["Duration"];
            /**
             * MemoryAggregationIntervalCount is the number of consecutive memory-aggregation-intervals which
             * make up the MemoryAggregationWindowLength which in turn is the period for memory usage
             * aggregation by VPA.
             * Format: int64
             */
            memoryAggregationIntervalCount?: number;
            /**
             * MemoryHistogramDecayHalfLife is the amount of time it takes a historical memory usage sample to
             * lose half of its weight. (default: 24h)
             */
            memoryHistogramDecayHalfLife?: components["schemas"]["Duration"];
            /**
             * RecommendationLowerBoundCPUPercentile is the usage percentile that will be used for the lower
             * bound on CPU recommendation. (default: 0.5)
             * Format: double
             */
            recommendationLowerBoundCPUPercentile?: number;
            /**
             * RecommendationLowerBoundMemoryPercentile is the usage percentile that will be used for the
             * lower bound on memory recommendation. (default: 0.5)
             * Format: double
             */
            recommendationLowerBoundMemoryPercentile?: number;
            /**
             * RecommendationMarginFraction is the fraction of usage added as the safety margin to the
             * recommended request (default: 0.15).
             * Format: double
             */
            recommendationMarginFraction?: number;
            /**
             * RecommendationUpperBoundCPUPercentile is the usage percentile that will be used for the upper
             * bound on CPU recommendation. (default: 0.95)
             * Format: double
             */
            recommendationUpperBoundCPUPercentile?: number;
            /**
             * RecommendationUpperBoundMemoryPercentile is the usage percentile that will be used for the
             * upper bound on memory recommendation. (default: 0.95)
             * Format: double
             */
            recommendationUpperBoundMemoryPercentile?: number;
            /** RecommenderInterval is the interval how often metrics should be fetched (default: 1m0s). */
            recommenderInterval?: components["schemas"]["Duration"];
            /**
             * TargetCPUPercentile is the usage percentile that will be used as a base for CPU target
             * recommendation.
             * Format: double
             */
            targetCPUPercentile?: number;
            /**
             * TargetMemoryPercentile is the usage percentile that will be used as a base for memory target
             * recommendation.
             * Format: double
             */
            targetMemoryPercentile?: number;
            /** UpdaterInterval is the interval how often the updater should run (default: 1m0s). */
            updaterInterval?: components["schemas"]["Duration"];
        };
        /** Volume contains information about the volume type, size, and encryption. */
        Volume: {
            /** Encrypted determines if the volume should be encrypted. */
            encrypted?: boolean;
            /** Name of the volume to make it referenceable. */
            name?: string;
            /** VolumeSize is the size of the volume. */
            size: string;
            /** Type is the type of the volume. */
            type?: string;
        };
        /** WatchCacheSizes contains configuration of the API server's watch cache sizes. */
        WatchCacheSizes: {
            /**
             * Default configures the default watch cache size of the kube-apiserver (flag
             * `--default-watch-cache-size`, defaults to 100).
             * Format: int32
             */
            default?: number;
            /**
             * Resources configures the watch cache size of the kube-apiserver per resource (flag
             * `--watch-cache-sizes`).
             */
            resources?: components["schemas"]["ResourceWatchCacheSize"][];
        };
        /** Worker is the base definition of a worker group. */
        Worker: {
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
            clusterAutoscaler?: components["schemas"]["ClusterAutoscalerOptions"];
            /**
             * ControlPlane specifies that the shoot cluster control plane components should be running in
             * this worker pool.
             */
            controlPlane?: components["schemas"]["WorkerControlPlane"];
            /** CRI contains configurations of CRI support of every machine in the worker pool. */
            cri?: components["schemas"]["CRI"];
            /** DataVolumes contains a list of additional worker volumes. */
            dataVolumes?: components["schemas"]["DataVolume"][];
            /**
             * KubeletDataVolumeName contains the name of a dataVolume that should be used for storing kubelet
             * state.
             */
            kubeletDataVolumeName?: string;
            /** Kubernetes contains configuration for Kubernetes components related to this worker pool. */
            kubernetes?: components["schemas"]["WorkerKubernetes"];
            /**
             * Labels is a map of key/value pairs for labels for all the `Node` objects in this worker pool.
             */
            labels?: {
                [key: string]: string;
            };
            /** Machine contains information about the machine type and image. */
            machine: components["schemas"]["Machine"];
            /** MachineControllerManagerSettings contains configurations for different worker-pools. */
            machineControllerManager?: components["schemas"]["MachineControllerManagerSettings"];
            /** MaxSurge is maximum number of machines that are created during an update. */
            maxSurge?: components["schemas"]["IntOrString"];
            /** MaxUnavailable is the maximum number of machines that can be unavailable during an update. */
            maxUnavailable?: components["schemas"]["IntOrString"];
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
            providerConfig?: components["schemas"]["RawExtension"];
            /** Sysctls is a map of kernel settings to apply on all machines in this worker pool. */
            sysctls?: {
                [key: string]: string;
            };
            /** SystemComponents contains configuration for system components related to this worker pool */
            systemComponents?: components["schemas"]["WorkerSystemComponents"];
            /** Taints is a list of taints for all the `Node` objects in this worker pool. */
            taints?: components["schemas"]["Taint"][];
            /** UpdateStrategy specifies the machine update strategy for the worker pool. */
            updateStrategy?: string;
            /** Volume contains information about the volume type and size. */
            volume?: components["schemas"]["Volume"];
            /** Zones is a list of availability zones that are used to evenly distribute this worker pool. */
            zones?: string[];
        };
        /**
         * WorkerControlPlane specifies that the shoot cluster control plane components should be running in
         * this worker pool.
         */
        WorkerControlPlane: {
            /** Backup holds the object store configuration for the backups of shoot (currently only etcd). */
            backup?: {
                /**
                 * CredentialsRef is reference to a resource holding the credentials used for authentication
                 * with the object store service where the backups are stored.
                 */
                credentialsRef?: components["schemas"]["ObjectReference"];
                /** Provider is a provider name. */
                provider: string;
                /** ProviderConfig is the configuration passed to BackupBucket resource. */
                providerConfig?: components["schemas"]["RawExtension"];
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
                    providerConfig?: components["schemas"]["RawExtension"];
                    /** Type defines the type of the extension exposure. */
                    type?: string;
                };
            };
        };
        /** WorkerKubernetes contains configuration for Kubernetes components related to this worker pool. */
        WorkerKubernetes: {
            /** Kubelet contains configuration settings for all kubelets of this worker pool. */
            kubelet?: components["schemas"]["KubeletConfig"];
            /** Version is the semantic Kubernetes version to use for the Kubelet in this Worker Group. */
            version?: string;
        };
        /** WorkerSystemComponents contains configuration for system components related to this worker pool */
        WorkerSystemComponents: {
            /**
             * Allow determines whether the pool should be allowed to host system components or not (defaults
             * to true)
             */
            allow: boolean;
        };
        /** WorkersSettings contains settings for all workers. */
        WorkersSettings: {
            /** SSHAccess contains settings regarding ssh access to the worker nodes. */
            sshAccess?: components["schemas"]["SSHAccess"];
        };
        /**
         * The pod this Toleration is attached to tolerates any taint that matches the triple
         * <key,value,effect> using the matching operator <operator>.
         */
        "io.k8s.api.core.v1.Toleration": {
            /** Effect indicates the taint effect to match. */
            effect?: string;
            /** Key is the taint key that the toleration applies to. */
            key?: string;
            /** Operator represents a key's relationship to the value. */
            operator?: string;
            /**
             * TolerationSeconds represents the period of time the toleration (which must be of effect
             * NoExecute, otherwise this field is ignored) tolerates the taint.
             * Format: int64
             */
            tolerationSeconds?: number;
            /** Value is the taint value the toleration matches to. */
            value?: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
