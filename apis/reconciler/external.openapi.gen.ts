// Generated from apis/reconciler/external.openapi.yaml by hack/codegen. Do not edit; run `make generate`.

export interface paths {
    "/v1/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What runs, what failed, and what is held back, in one response */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/clusters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Clusters in the order of their runtimeIDs, or by what needs attention */
        get: operations["listClusters"];
        /** The same as POST */
        put: operations["updateCluster"];
        /** Register a cluster, or change it */
        post: operations["createCluster"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/clusters/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Cluster, configuration and status
         * Of the runtime, of the reconciliation or of the operation, in this order of precedence. Without a
         * parameter: of the cluster of the newest operation.
         */
        get: operations["getClusterState"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/clusters/{runtimeID}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runtimeID: components["parameters"]["runtimeID"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove Kyma from the cluster, then the cluster */
        delete: operations["deleteCluster"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/clusters/{runtimeID}/status": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runtimeID: components["parameters"]["runtimeID"];
            };
            cookie?: never;
        };
        /** The status of the newest configuration */
        get: operations["getClusterStatus"];
        /** Set the status, e.g. to disable the reconciliation */
        put: operations["updateClusterStatus"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/clusters/{runtimeID}/configs/{configVersion}/status": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runtimeID: components["parameters"]["runtimeID"];
                configVersion: components["parameters"]["configVersion"];
            };
            cookie?: never;
        };
        /** The status of a version of the configuration; `statusURL` leads here */
        get: operations["getConfigStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/clusters/{runtimeID}/config/{configVersion}/status": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runtimeID: components["parameters"]["runtimeID"];
                configVersion: components["parameters"]["configVersion"];
            };
            cookie?: never;
        };
        /** The same under another path */
        get: operations["getConfigStatusByOtherPath"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/clusters/{runtimeID}/config/{configVersion}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runtimeID: components["parameters"]["runtimeID"];
                configVersion: components["parameters"]["configVersion"];
            };
            cookie?: never;
        };
        /** A version of the configuration */
        get: operations["getConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/clusters/{runtimeID}/statusChanges": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runtimeID: components["parameters"]["runtimeID"];
            };
            cookie?: never;
        };
        /** The statuses that the cluster had */
        get: operations["getStatusChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reconciliations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reconciliations, the newest first */
        get: operations["listReconciliations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reconciliations/{schedulingID}/info": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                schedulingID: components["parameters"]["schedulingID"];
            };
            cookie?: never;
        };
        /** A reconciliation with its operations */
        get: operations["getReconciliation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reconciliations/{schedulingID}/debug": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                schedulingID: components["parameters"]["schedulingID"];
            };
            cookie?: never;
        };
        get?: never;
        /** Log details of all operations that have not begun */
        put: operations["debugReconciliation"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reconciliations/cluster/{runtimeID}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runtimeID: components["parameters"]["runtimeID"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete all reconciliations of a cluster, also one that runs */
        delete: operations["deleteReconciliations"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{schedulingID}/{correlationID}/debug": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                schedulingID: components["parameters"]["schedulingID"];
                correlationID: components["parameters"]["correlationID"];
            };
            cookie?: never;
        };
        get?: never;
        /** Log details of an operation that has not begun */
        put: operations["debugOperation"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{schedulingID}/{correlationID}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                schedulingID: components["parameters"]["schedulingID"];
                correlationID: components["parameters"]["correlationID"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Leave out an operation that has not begun */
        post: operations["stopOperation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rollouts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Versions and components whose rollout is paused, or was */
        get: operations["listRollouts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rollouts/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Go on with a paused rollout */
        post: operations["resumeRollout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/clusters/{runtimeID}/details": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A cluster with its runs, statuses and configurations, without values that are secret */
        get: operations["getClusterDetails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Runs that ended, by result, with the time to ready */
        get: operations["getHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Says when something has changed, as server-sent events */
        get: operations["getEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/load": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Work of component reconcilers */
        get: operations["getLoad"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/occupancy/{poolID}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                poolID: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Report how many workers of a pool are busy */
        post: operations["updateOccupancy"];
        /** Remove a pool */
        delete: operations["deleteOccupancy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            /** One line, without a credential. */
            error: string;
        };
        /** A cluster and what is to be installed on it. */
        Cluster: {
            runtimeID: string;
            runtimeInput?: components["schemas"]["RuntimeInput"];
            kymaConfig: components["schemas"]["NewKymaConfig"];
            metadata?: components["schemas"]["Metadata"];
            /** Empty or absent, if it is in the Secret `kubeconfig-<runtimeID>`. */
            kubeconfig?: string | null;
        };
        RuntimeInput: {
            /** `NAMESPACE/…` is a name of clusters of that namespace alone: then `namespace` is the same. */
            name?: string | null;
            description?: string | null;
            /**
             * The namespace of the KymaCluster that registers the cluster, with which its name begins. Empty
             * or absent for clients that act for no namespace.
             */
            namespace?: string | null;
        } | null;
        Metadata: {
            globalAccountID?: string | null;
            subAccountID?: string | null;
            serviceID?: string | null;
            servicePlanID?: string | null;
            servicePlanName?: string | null;
            shootName?: string | null;
            instanceID?: string | null;
            region?: string | null;
        } | null;
        NewKymaConfig: {
            /** Version of Kyma. */
            version: string;
            profile?: string | null;
            components?: components["schemas"]["NewComponent"][] | null;
            administrators?: string[] | null;
        };
        NewComponent: {
            component: string;
            namespace?: string | null;
            configuration?: components["schemas"]["NewConfiguration"][] | null;
            /** Of its charts; empty for a component of Kyma. */
            URL?: string | null;
            version?: string | null;
        };
        NewConfiguration: {
            /** Segments with a dot between; at most 64. */
            key: string;
            /** Any JSON value. */
            value?: unknown;
            secret?: boolean | null;
        };
        StatusUpdate: {
            status: components["schemas"]["Status"];
        };
        OperationStop: {
            reason: string;
        };
        Occupancy: {
            component: string;
            runningWorkers: number;
            /** At least `runningWorkers`. */
            poolSize: number;
        };
        /**
         */
        Status: "reconcile_pending" | "reconcile_disabled" | "ready" | "error" | "reconciling" | "delete_pending" | "delete_error" | "deleting" | "deleted" | "reconcile_error_retryable" | "delete_error_retryable";
        ClusterList: {
            clusters: components["schemas"]["ClusterSummary"][];
            /** Absent on the last page, and with an offset. */
            continue?: string;
            /** With an offset: clusters of all pages. */
            total?: number;
        };
        /**
         * `held` by a paused rollout, `disabled` by an operator, `failing` if the last run failed, also while
         * it is tried again, `working` while a run waits or is in progress, `ready`.
         */
        ClusterGroup: "ready" | "working" | "failing" | "held" | "disabled";
        ClusterSummary: {
            runtimeID: string;
            name: string;
            globalAccountID: string;
            plan: string;
            kymaVersion: string;
            /** Format: int64 */
            configurationVersion: number;
            status: components["schemas"]["Status"];
            /**
             * When it got the status.
             * Format: date-time
             */
            since: string;
            /** Runs that failed since the last one that did not. */
            errors: number;
            group: components["schemas"]["ClusterGroup"];
            /** Whether a paused rollout holds back a run that is due. */
            held: boolean;
            /** The name of its Shoot; empty if it is not known. */
            shoot: string;
            /** Components that failed in its last run. */
            failedComponents: string[];
            /**
             * When it is scheduled again at the earliest, if it is.
             * Format: date-time
             */
            nextRun?: string;
        };
        Overview: {
            /** Format: date-time */
            time: string;
            history?: components["schemas"]["History"];
            /** Empty if it is not known. */
            user: string;
            /** Whether the user may resume rollouts and set statuses. */
            mayChange: boolean;
            /** Clusters by status; those without a cluster are left out. */
            statuses: {
                status: components["schemas"]["Status"];
                clusters: number;
            }[];
            /** Clusters by what needs attention; groups without a cluster are left out. */
            groups: {
                group: components["schemas"]["ClusterGroup"];
                clusters: number;
            }[];
            /** Clusters by component of their configuration, those with the most failures first. */
            components: {
                component: string;
                clusters: number;
                /** Those on which it failed in the last run. */
                failedClusters: number;
            }[];
            /** Clusters by version of Kyma, the most frequent first. */
            versions: {
                kymaVersion: string;
                clusters: number;
                /** Those whose last run failed. */
                failedClusters: number;
            }[];
            /** How many there are, also if the list has fewer. */
            runningOperations: number;
            /** Operations that component reconcilers work on, the oldest first. */
            operations: components["schemas"]["RunningOperation"][];
            /**
             * Operations that failed in the last run of clusters, by component, version and reason, the most
             * frequent first.
             */
            failures: components["schemas"]["FailureGroup"][];
            /** Those that are paused. */
            rollouts: components["schemas"]["Rollout"][];
        };
        RunningOperation: {
            runtimeID: string;
            /** Of the cluster. */
            name: string;
            schedulingID: string;
            correlationID: string;
            component: string;
            /**
             */
            type: "reconcile" | "delete";
            state: string;
            /** Of the last attempt that failed. */
            reason?: string;
            /** Times it was sent to a component reconciler. */
            attempts: number;
            /** Attempts of the component reconciler. */
            retries: number;
            /** Format: date-time */
            since: string;
            /** What the component reconciler reported last. */
            progress?: unknown;
        };
        /** Failures of one component for one cause, in last runs and in attempts that fail now. */
        FailureGroup: {
            component: string;
            kymaVersion: string;
            /** Of one of the clusters; reasons that differ in numbers and ids only are one cause. */
            reason: string;
            clusters: number;
            /** Those whose run is in progress. */
            retrying: number;
            /** At most fifty of them. */
            named: {
                runtimeID: string;
                name: string;
            }[];
            /**
             * When the first of these runs began, as far as runs are kept.
             * Format: date-time
             */
            since?: string;
            /**
             * When the first of them is tried again; absent: none is.
             * Format: date-time
             */
            nextRun?: string;
        };
        ClusterDetails: {
            /** Format: date-time */
            time: string;
            cluster: components["schemas"]["ClusterSummary"];
            profile: string;
            subAccountID: string;
            instanceID: string;
            region: string;
            /** Of the last seven days, the newest first. */
            statusChanges: components["schemas"]["StatusChange"][];
            /** The newest first, at most twenty. */
            configurations: {
                /** Format: int64 */
                version: number;
                /** Format: date-time */
                created: string;
                /** What differs from the version before. Values of entries that are secret are masked. */
                changes: {
                    field: string;
                    /** Empty if it was not there. */
                    before: string;
                    after: string;
                }[];
            }[];
            /** The newest first, at most fifty. */
            runs: components["schemas"]["Reconciliation"][];
            /** The newest run; absent: there is none. */
            run?: components["schemas"]["ReconciliationInfo"];
            /** Paused rollouts that hold it back. */
            heldBy: components["schemas"]["Rollout"][];
            /** Addresses of other user interfaces, as `--runtime-link` and `--shoot-link` say. */
            links?: {
                /** Format: uri */
                runtime?: string;
                /**
                 * Absent also if the name of the Shoot is not known.
                 * Format: uri
                 */
                shoot?: string;
            };
        };
        History: {
            /**
             */
            window: "hour" | "day" | "week";
            /** By intervals of the same length, the oldest first. */
            buckets: components["schemas"]["HistoryBucket"][];
        };
        HistoryBucket: {
            /** Format: date-time */
            start: string;
            /** Runs that ended in ready. */
            ready: number;
            failed: number;
            deleted: number;
            /** Median time of the runs that ended in ready, in ms; absent if there are none. */
            p50?: number;
            p95?: number;
        };
        ComponentLoad: {
            component: string;
            /** Operations that may be sent now. */
            waiting: number;
            /** Operations in progress. */
            running: number;
            /** Median time of its last operations, in ms; absent if there are none. */
            p50?: number;
            p95?: number;
            /** Workers of its pools; absent if they report none. */
            workers?: number;
            busyWorkers?: number;
        };
        ClusterResponse: {
            /** The runtimeID. */
            cluster: string;
            /** Format: int64 */
            clusterVersion: number;
            /** Format: int64 */
            configurationVersion: number;
            /** A status that is retried is shown as the run that will repeat it. */
            status: components["schemas"]["Status"];
            statusURL: string;
            failures: components["schemas"]["Failure"][];
        };
        Failure: {
            component: string;
            reason: string;
        };
        KymaConfig: {
            version: string;
            profile: string;
            components: components["schemas"]["Component"][];
            administrators: string[];
        };
        Component: {
            component: string;
            namespace: string;
            configuration: components["schemas"]["Configuration"][];
            URL: string;
            version: string;
        };
        Configuration: {
            key: string;
            /** Any JSON value. */
            value: unknown;
            secret: boolean;
        };
        StatusChanges: {
            statusChanges: components["schemas"]["StatusChange"][];
        };
        StatusChange: {
            /** Format: date-time */
            started: string;
            /**
             * In nanoseconds, until the next status or until now.
             * Format: int64
             */
            duration: number;
            status: components["schemas"]["Status"];
        };
        ClusterState: {
            cluster: {
                /** Format: int64 */
                version: number;
                runtimeID: string;
                runtime: {
                    name: string;
                    description: string;
                };
                metadata: {
                    globalAccountID: string;
                    subAccountID: string;
                    serviceID: string;
                    servicePlanID: string;
                    servicePlanName: string;
                    shootName: string;
                    instanceID: string;
                    region: string;
                };
                /** Format: int64 */
                contract: number;
                /** Format: date-time */
                created: string;
            };
            configuration: {
                /** Format: int64 */
                version: number;
                runtimeID: string;
                /** Format: int64 */
                clusterVersion: number;
                kymaVersion: string;
                kymaProfile: string;
                components: components["schemas"]["Component"][];
                administrators: string[];
                /** Format: int64 */
                contract: number;
                deleted: boolean;
                /** Format: date-time */
                created: string;
            };
            status: {
                /** Format: int64 */
                id: number;
                runtimeID: string;
                /** Format: int64 */
                clusterVersion: number;
                /** Format: int64 */
                configVersion: number;
                status: components["schemas"]["Status"];
                deleted: boolean;
                /** Format: date-time */
                created: string;
            };
        };
        Reconciliation: {
            /** The runtimeID while it runs. */
            lock: string;
            runtimeID: string;
            schedulingID: string;
            /** Format: date-time */
            created: string;
            /** Format: date-time */
            updated: string;
            status: components["schemas"]["Status"];
            finished: boolean;
        };
        ReconciliationInfo: {
            runtimeID: string;
            schedulingID: string;
            /** Format: int64 */
            configVersion: number;
            /** Format: date-time */
            created: string;
            /** Format: date-time */
            updated: string;
            status: components["schemas"]["Status"];
            finished: boolean;
            operations: components["schemas"]["Operation"][];
        };
        Operation: {
            /** Format: int64 */
            priority: number;
            schedulingID: string;
            correlationID: string;
            component: string;
            /**
             */
            state: "new" | "in_progress" | "failed" | "client_error" | "orphan" | "done" | "error";
            reason: string;
            /** Format: date-time */
            created: string;
            /** Format: date-time */
            updated: string;
            /**
             */
            type: "reconcile" | "delete";
            /** Attempts of the component reconciler. */
            retries?: number;
            /**
             * Not sent again before this time.
             * Format: date-time
             */
            nextAttempt?: string;
            /** What the component reconciler reported last, if anything. */
            progress?: unknown;
        };
        /** A version of Kyma, or a component, that failed on many clusters. */
        Rollout: {
            id: string;
            /**
             */
            kind: "version" | "component";
            /** The version, or the name of the component. */
            name: string;
            reason: string;
            /** Clusters with a result in the hour before it was paused. */
            clusters: number;
            /** Those of them whose result was an error. */
            failedClusters: number;
            /** Clusters that wait for it now. */
            heldClusters: number;
            paused: boolean;
            /** Format: date-time */
            pausedAt: string;
            /** Format: date-time */
            resumedAt?: string;
            resumedBy?: string;
        };
    };
    responses: {
        /** The cluster with its status. */
        Cluster: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ClusterResponse"];
            };
        };
        /** Done. There is no body. */
        Done: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** The request cannot be understood or accepted. */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** There is no such object. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * 401 without a valid token, 403 without the role, 500 for any other failure, 503 when the token
         * cannot be checked, there is no memory for the body, or very many registrations wait for clusters
         * that do not answer. A body of more than 100,000 bytes is refused with 400.
         */
        Failure: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        runtimeID: string;
        configVersion: string;
        schedulingID: string;
        correlationID: string;
    };
    requestBodies: {
        Cluster: {
            content: {
                "application/json": components["schemas"]["Cluster"];
            };
        };
    };
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getOverview: {
        parameters: {
            query?: {
                /** Adds the runs that ended in this time. */
                window?: "hour" | "day" | "week";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The state of this moment. Lists have at most 200 entries, that of operations 100. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    listClusters: {
        parameters: {
            query?: {
                /** Whose runtimeID or name is this text. */
                cluster?: string;
                /** Whose runtimeID, name, Shoot or global account contains it, in any case. */
                search?: string;
                /** Of this group. */
                group?: components["schemas"]["ClusterGroup"];
                /** Whose configuration has this component. */
                component?: string;
                /**
                 * Orders clusters by what needs attention (failing, held, working, disabled, ready), and
                 * leaves out so many at the beginning. The response has the total then.
                 */
                offset?: number;
                /** With one of these statuses. */
                status?: components["schemas"]["Status"][];
                /** Whose runtimeID begins with it. */
                prefix?: string;
                /** With one of these versions of Kyma. */
                kymaVersion?: string[];
                /** At most so many. */
                limit?: number;
                /** What the page before had as `continue`. */
                continue?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of clusters. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClusterList"];
                };
            };
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    updateCluster: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["Cluster"];
        responses: {
            200: components["responses"]["Cluster"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    createCluster: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["Cluster"];
        responses: {
            200: components["responses"]["Cluster"];
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    getClusterState: {
        parameters: {
            query?: {
                runtimeID?: string;
                schedulingID?: string;
                correlationID?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The state, without the kubeconfig. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClusterState"];
                };
            };
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    deleteCluster: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runtimeID: components["parameters"]["runtimeID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Cluster"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    getClusterStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runtimeID: components["parameters"]["runtimeID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Cluster"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    updateClusterStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runtimeID: components["parameters"]["runtimeID"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StatusUpdate"];
            };
        };
        responses: {
            200: components["responses"]["Cluster"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    getConfigStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runtimeID: components["parameters"]["runtimeID"];
                configVersion: components["parameters"]["configVersion"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Cluster"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    getConfigStatusByOtherPath: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runtimeID: components["parameters"]["runtimeID"];
                configVersion: components["parameters"]["configVersion"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Cluster"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    getConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runtimeID: components["parameters"]["runtimeID"];
                configVersion: components["parameters"]["configVersion"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The configuration. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KymaConfig"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    getStatusChanges: {
        parameters: {
            query?: {
                /** How far back, a duration as Go writes it, e.g. 1h30m. */
                offset?: string;
            };
            header?: never;
            path: {
                runtimeID: components["parameters"]["runtimeID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The newest first, 5,000 at most. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusChanges"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    listReconciliations: {
        parameters: {
            query?: {
                /** Of these clusters. */
                runtimeID?: string[];
                /** With one of these statuses. */
                status?: components["schemas"]["Status"][];
                /** Created before this time. */
                before?: string;
                /** Created after this time. */
                after?: string;
                /**
                 * At most so many; the default is 1000, the maximum 10000. What is no whole number above 0 is
                 * ignored.
                 */
                last?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The reconciliations. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reconciliation"][];
                };
            };
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    getReconciliation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                schedulingID: components["parameters"]["schedulingID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The reconciliation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReconciliationInfo"];
                };
            };
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    debugReconciliation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                schedulingID: components["parameters"]["schedulingID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Done"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    deleteReconciliations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runtimeID: components["parameters"]["runtimeID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Done"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    debugOperation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                schedulingID: components["parameters"]["schedulingID"];
                correlationID: components["parameters"]["correlationID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Done"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    stopOperation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                schedulingID: components["parameters"]["schedulingID"];
                correlationID: components["parameters"]["correlationID"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperationStop"];
            };
        };
        responses: {
            200: components["responses"]["Done"];
            400: components["responses"]["BadRequest"];
            /** The operation has begun, or the role of the user does not allow it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    listRollouts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The paused ones first, then the newest. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rollout"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    resumeRollout: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The rollout, which is not paused any more. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rollout"];
                };
            };
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    getClusterDetails: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runtimeID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The cluster. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClusterDetails"];
                };
            };
            404: components["responses"]["NotFound"];
            default: components["responses"]["Failure"];
        };
    };
    getHistory: {
        parameters: {
            query?: {
                window?: "hour" | "day" | "week";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The intervals of the window. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["History"];
                };
            };
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    getEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /**
             * `change` at the beginning, and within seconds of each change of clusters, runs, rollouts and
             * busy workers; `alive` every 15 seconds. Events have no data. The stream ends after ten minutes.
             */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** The client has 64 streams, or all clients have 512. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    getLoad: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** By component, those with the most waiting operations first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ComponentLoad"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    updateOccupancy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                poolID: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Occupancy"];
            };
        };
        responses: {
            200: components["responses"]["Done"];
            /** The pool is new. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            default: components["responses"]["Failure"];
        };
    };
    deleteOccupancy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                poolID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Done"];
            default: components["responses"]["Failure"];
        };
    };
}
