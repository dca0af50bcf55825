// Generated from internal/systems/btp/service-manager/openapi.yaml by hack/codegen. Do not edit; run `make generate`.

export interface paths {
    "/v1/service_offerings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Service offerings */
        get: operations["listOfferings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/service_plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Service plans */
        get: operations["listPlans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/service_instances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Service instances */
        get: operations["listInstances"];
        put?: never;
        /** Provision an instance */
        post: operations["createInstance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/service_instances/{id}": {
        parameters: {
            query?: never;
            header?: {
                "X-CorrelationID"?: components["parameters"]["CorrelationID"];
            };
            path: {
                /** ID of the instance or binding. */
                id: components["parameters"]["ID"];
            };
            cookie?: never;
        };
        /** An instance */
        get: operations["getInstance"];
        put?: never;
        post?: never;
        /** Deprovision an instance */
        delete: operations["deleteInstance"];
        options?: never;
        head?: never;
        /** Update an instance, or share or unshare it */
        patch: operations["updateInstance"];
        trace?: never;
    };
    "/v1/service_instances/{id}/operations/{operationID}": {
        parameters: {
            query?: never;
            header?: {
                "X-CorrelationID"?: components["parameters"]["CorrelationID"];
            };
            path: {
                /** ID of the instance or binding. */
                id: components["parameters"]["ID"];
                operationID: components["parameters"]["OperationID"];
            };
            cookie?: never;
        };
        /** An operation of an instance */
        get: operations["getInstanceOperation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/service_bindings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Service bindings */
        get: operations["listBindings"];
        put?: never;
        /** Bind an instance */
        post: operations["createBinding"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/service_bindings/{id}": {
        parameters: {
            query?: never;
            header?: {
                "X-CorrelationID"?: components["parameters"]["CorrelationID"];
            };
            path: {
                /** ID of the instance or binding. */
                id: components["parameters"]["ID"];
            };
            cookie?: never;
        };
        /** A binding with its credentials */
        get: operations["getBinding"];
        put?: never;
        post?: never;
        /** Unbind */
        delete: operations["deleteBinding"];
        options?: never;
        head?: never;
        /**
         * Rename a binding, or change its labels
         * A label cannot be replaced in one request, so removing and adding one key takes two.
         */
        patch: operations["updateBinding"];
        trace?: never;
    };
    "/v1/service_bindings/{id}/operations/{operationID}": {
        parameters: {
            query?: never;
            header?: {
                "X-CorrelationID"?: components["parameters"]["CorrelationID"];
            };
            path: {
                /** ID of the instance or binding. */
                id: components["parameters"]["ID"];
                operationID: components["parameters"]["OperationID"];
            };
            cookie?: never;
        };
        /** An operation of a binding */
        get: operations["getBindingOperation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platforms/{platformID}/clusters/{clusterID}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** ID of the service-operator-access instance. */
                platformID: string;
                clusterID: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete all instances and bindings of a cluster that no longer exists
         * For administrators with credentials of the subaccount. The operator never calls it.
         */
        delete: operations["deleteCluster"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Client credentials grant (RFC 6749, section 4.4)
         * The client sends client_id and client_secret in the body, or client_id and a client certificate
         * (RFC 8705).
         */
        post: operations["grantToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Labels: {
            [key: string]: string[];
        };
        /** The identity of an object in Kubernetes. */
        OperatorLabels: {
            _namespace: components["schemas"]["LabelValue"];
            _k8sname: components["schemas"]["LabelValue"];
            _clusterid: components["schemas"]["LabelValue"];
        } & {
            [key: string]: string[];
        };
        LabelValue: string[];
        LabelChange: {
            /**
             */
            op: "add" | "remove";
            key: string;
            /** Absent or null removes all values. */
            values?: string[] | null;
        };
        ServiceOffering: {
            id: string;
            catalog_name: string;
            data_center?: string | null;
            tags?: string[] | null;
        };
        ServiceOfferingList: {
            items: components["schemas"]["ServiceOffering"][];
            num_items?: number;
            /** For the next page; absent or empty on the last one. */
            token?: string | null;
        };
        ServicePlan: {
            id: string;
            catalog_name: string;
            service_offering_id: string;
        };
        ServicePlanList: {
            items: components["schemas"]["ServicePlan"][];
            num_items?: number;
            /** For the next page; absent or empty on the last one. */
            token?: string | null;
        };
        NewServiceInstance: {
            name: string;
            service_plan_id: string;
            parameters?: {
                [key: string]: unknown;
            };
            labels: components["schemas"]["OperatorLabels"];
            /** @constant */
            ready?: false;
            /** @constant */
            usable?: false;
        };
        ServiceInstanceUpdate: {
            name: string;
            service_plan_id: string;
            parameters?: {
                [key: string]: unknown;
            };
            /** @constant */
            ready?: false;
            /** @constant */
            usable?: false;
        };
        ServiceInstanceSharing: {
            shared: boolean;
        };
        ServiceInstance: {
            id: string;
            name: string;
            service_plan_id?: string;
            platform_id?: string;
            labels?: components["schemas"]["Labels"] | null;
            context?: ({
                subaccount_id?: string;
                clusterid?: string;
                namespace?: string;
            } & {
                [key: string]: unknown;
            }) | null;
            ready?: boolean;
            usable?: boolean;
            shared?: boolean;
            last_operation?: components["schemas"]["Operation"] | null;
        };
        ServiceInstanceList: {
            items: components["schemas"]["ServiceInstance"][];
            num_items?: number;
            /** For the next page; absent or empty on the last one. */
            token?: string | null;
        };
        NewServiceBinding: {
            name: string;
            service_instance_id: string;
            parameters?: {
                [key: string]: unknown;
            };
            labels: components["schemas"]["OperatorLabels"];
        };
        ServiceBindingUpdate: {
            name?: string;
            labels?: components["schemas"]["LabelChange"][];
        };
        ServiceBinding: {
            id: string;
            name: string;
            service_instance_id?: string;
            /** Any JSON value; usually an object. Absent until the binding is ready. */
            credentials?: unknown;
            labels?: components["schemas"]["Labels"] | null;
            ready?: boolean;
            last_operation?: components["schemas"]["Operation"] | null;
        };
        ServiceBindingList: {
            items: components["schemas"]["ServiceBinding"][];
            num_items?: number;
            /** For the next page; absent or empty on the last one. */
            token?: string | null;
        };
        Operation: {
            id?: string;
            description?: string;
            /** create, update or delete. */
            type?: string;
            /**
             */
            state: "pending" | "in progress" | "succeeded" | "failed";
            resource_id?: string;
            /** Any JSON value; `description` of an object is a text for users. */
            errors?: unknown;
        };
        Error: {
            /** The type of the error. */
            error?: string;
            description?: string;
            /** The response of the service broker. The case of the keys varies. */
            broker_error?: ({
                StatusCode?: number;
                ErrorMessage?: string | null;
                Description?: string | null;
            } & {
                [key: string]: unknown;
            }) | null;
        };
        TokenRequest: {
            /** @constant */
            grant_type: "client_credentials";
            client_id: string;
            client_secret?: string;
        };
        Token: {
            access_token: string;
            token_type: string;
            /** Seconds from now until the token expires. */
            expires_in?: number;
        };
        TokenError: {
            /** A code of RFC 6749, section 5.2. */
            error: string;
            error_description?: string;
        };
    };
    responses: {
        /** An operation has started. */
        Accepted: {
            headers: {
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": Record<string, never>;
            };
        };
        /** Deleted. */
        Deleted: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": Record<string, never>;
            };
        };
        /** The token is missing, unknown, expired or revoked. */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * No such object, or none that these credentials may see. A 404 with the header X-Cf-RouterError
         * comes from a router and says nothing about the object.
         */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** The object was deleted before. */
        Gone: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** An object with this name exists. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * Not possible now; with `ConcurrentOperationInProgress`, another operation of the object is in
         * progress.
         */
        Unprocessable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** Too many requests of these credentials. */
        TooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** The service broker failed; `broker_error` has its response. */
        BrokerFailure: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** Any other failure. */
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
        /** ID of the instance or binding. */
        ID: string;
        OperationID: string;
        /**
         * Clauses joined with ` and `: `name eq 'value'`, `name in ('a', 'b')`, `context/clusterid eq 'id'`.
         * A quote in a value is doubled.
         */
        FieldQuery: string;
        /** Clauses on labels, in the form of fieldQuery. */
        LabelQuery: string;
        /** Items have their last operation. */
        AttachLastOperations: "true" | "false";
        /** The token of the previous page. */
        PageToken: string;
        /** Length of a page. */
        MaxItems: string;
        /** The user in Kubernetes, as compact JSON without encoding. */
        OriginatingIdentity: string;
        CorrelationID: string;
    };
    requestBodies: never;
    headers: {
        /** Seconds, an HTTP date (RFC 9110, section 10.2.3), or a time `YYYY-MM-DD HH:MM:SS` in UTC. */
        RetryAfter: string;
        /** The operation, `/v1/service_instances/<id>/operations/<operation>`, or the same for a binding. */
        Location: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listOfferings: {
        parameters: {
            query?: {
                /**
                 * Clauses joined with ` and `: `name eq 'value'`, `name in ('a', 'b')`, `context/clusterid eq
                 * 'id'`. A quote in a value is doubled.
                 */
                fieldQuery?: components["parameters"]["FieldQuery"];
                /** Clauses on labels, in the form of fieldQuery. */
                labelQuery?: components["parameters"]["LabelQuery"];
                /** The token of the previous page. */
                token?: components["parameters"]["PageToken"];
                /** Length of a page. */
                max_items?: components["parameters"]["MaxItems"];
            };
            header?: {
                "X-CorrelationID"?: components["parameters"]["CorrelationID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of offerings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceOfferingList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    listPlans: {
        parameters: {
            query?: {
                /**
                 * Clauses joined with ` and `: `name eq 'value'`, `name in ('a', 'b')`, `context/clusterid eq
                 * 'id'`. A quote in a value is doubled.
                 */
                fieldQuery?: components["parameters"]["FieldQuery"];
                /** Clauses on labels, in the form of fieldQuery. */
                labelQuery?: components["parameters"]["LabelQuery"];
                /** The token of the previous page. */
                token?: components["parameters"]["PageToken"];
                /** Length of a page. */
                max_items?: components["parameters"]["MaxItems"];
            };
            header?: {
                "X-CorrelationID"?: components["parameters"]["CorrelationID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of plans. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServicePlanList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    listInstances: {
        parameters: {
            query?: {
                /**
                 * Clauses joined with ` and `: `name eq 'value'`, `name in ('a', 'b')`, `context/clusterid eq
                 * 'id'`. A quote in a value is doubled.
                 */
                fieldQuery?: components["parameters"]["FieldQuery"];
                /** Clauses on labels, in the form of fieldQuery. */
                labelQuery?: components["parameters"]["LabelQuery"];
                /** Items have their last operation. */
                attach_last_operations?: components["parameters"]["AttachLastOperations"];
                /** The token of the previous page. */
                token?: components["parameters"]["PageToken"];
                /** Length of a page. */
                max_items?: components["parameters"]["MaxItems"];
            };
            header?: {
                "X-CorrelationID"?: components["parameters"]["CorrelationID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of instances. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceInstanceList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    createInstance: {
        parameters: {
            query?: never;
            header?: {
                /** The user in Kubernetes, as compact JSON without encoding. */
                "X-Originating-Identity"?: components["parameters"]["OriginatingIdentity"];
                "X-CorrelationID"?: components["parameters"]["CorrelationID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewServiceInstance"];
            };
        };
        responses: {
            /** Provisioned. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceInstance"];
                };
            };
            202: components["responses"]["Accepted"];
            400: components["responses"]["Failure"];
            401: components["responses"]["Unauthorized"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            502: components["responses"]["BrokerFailure"];
            default: components["responses"]["Failure"];
        };
    };
    getInstance: {
        parameters: {
            query?: never;
            header?: {
                "X-CorrelationID"?: components["parameters"]["CorrelationID"];
            };
            path: {
                /** ID of the instance or binding. */
                id: components["parameters"]["ID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The instance. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceInstance"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    deleteInstance: {
        parameters: {
            query?: never;
            header?: {
                "X-CorrelationID"?: components["parameters"]["CorrelationID"];
                /** The user in Kubernetes, as compact JSON without encoding. */
                "X-Originating-Identity"?: components["parameters"]["OriginatingIdentity"];
            };
            path: {
                /** ID of the instance or binding. */
                id: components["parameters"]["ID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Deleted"];
            202: components["responses"]["Accepted"];
            400: components["responses"]["Failure"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["Gone"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            502: components["responses"]["BrokerFailure"];
            default: components["responses"]["Failure"];
        };
    };
    updateInstance: {
        parameters: {
            query?: never;
            header?: {
                "X-CorrelationID"?: components["parameters"]["CorrelationID"];
                /** The user in Kubernetes, as compact JSON without encoding. */
                "X-Originating-Identity"?: components["parameters"]["OriginatingIdentity"];
            };
            path: {
                /** ID of the instance or binding. */
                id: components["parameters"]["ID"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServiceInstanceUpdate"] | components["schemas"]["ServiceInstanceSharing"];
            };
        };
        responses: {
            /** Updated, shared or unshared. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceInstance"];
                };
            };
            202: components["responses"]["Accepted"];
            400: components["responses"]["Failure"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            502: components["responses"]["BrokerFailure"];
            default: components["responses"]["Failure"];
        };
    };
    getInstanceOperation: {
        parameters: {
            query?: never;
            header?: {
                "X-CorrelationID"?: components["parameters"]["CorrelationID"];
            };
            path: {
                /** ID of the instance or binding. */
                id: components["parameters"]["ID"];
                operationID: components["parameters"]["OperationID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The operation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    listBindings: {
        parameters: {
            query?: {
                /**
                 * Clauses joined with ` and `: `name eq 'value'`, `name in ('a', 'b')`, `context/clusterid eq
                 * 'id'`. A quote in a value is doubled.
                 */
                fieldQuery?: components["parameters"]["FieldQuery"];
                /** Clauses on labels, in the form of fieldQuery. */
                labelQuery?: components["parameters"]["LabelQuery"];
                /** Items have their last operation. */
                attach_last_operations?: components["parameters"]["AttachLastOperations"];
                /** The token of the previous page. */
                token?: components["parameters"]["PageToken"];
                /** Length of a page. */
                max_items?: components["parameters"]["MaxItems"];
            };
            header?: {
                "X-CorrelationID"?: components["parameters"]["CorrelationID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of bindings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceBindingList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    createBinding: {
        parameters: {
            query?: never;
            header?: {
                /** The user in Kubernetes, as compact JSON without encoding. */
                "X-Originating-Identity"?: components["parameters"]["OriginatingIdentity"];
                "X-CorrelationID"?: components["parameters"]["CorrelationID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewServiceBinding"];
            };
        };
        responses: {
            /** Bound. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceBinding"];
                };
            };
            202: components["responses"]["Accepted"];
            400: components["responses"]["Failure"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            502: components["responses"]["BrokerFailure"];
            default: components["responses"]["Failure"];
        };
    };
    getBinding: {
        parameters: {
            query?: never;
            header?: {
                "X-CorrelationID"?: components["parameters"]["CorrelationID"];
            };
            path: {
                /** ID of the instance or binding. */
                id: components["parameters"]["ID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The binding. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceBinding"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    deleteBinding: {
        parameters: {
            query?: never;
            header?: {
                "X-CorrelationID"?: components["parameters"]["CorrelationID"];
                /** The user in Kubernetes, as compact JSON without encoding. */
                "X-Originating-Identity"?: components["parameters"]["OriginatingIdentity"];
            };
            path: {
                /** ID of the instance or binding. */
                id: components["parameters"]["ID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Deleted"];
            202: components["responses"]["Accepted"];
            400: components["responses"]["Failure"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["Gone"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            502: components["responses"]["BrokerFailure"];
            default: components["responses"]["Failure"];
        };
    };
    updateBinding: {
        parameters: {
            query?: never;
            header?: {
                "X-CorrelationID"?: components["parameters"]["CorrelationID"];
            };
            path: {
                /** ID of the instance or binding. */
                id: components["parameters"]["ID"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServiceBindingUpdate"];
            };
        };
        responses: {
            /** Updated. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceBinding"];
                };
            };
            400: components["responses"]["Failure"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    getBindingOperation: {
        parameters: {
            query?: never;
            header?: {
                "X-CorrelationID"?: components["parameters"]["CorrelationID"];
            };
            path: {
                /** ID of the instance or binding. */
                id: components["parameters"]["ID"];
                operationID: components["parameters"]["OperationID"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The operation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    deleteCluster: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** ID of the service-operator-access instance. */
                platformID: string;
                clusterID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: components["responses"]["Accepted"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            default: components["responses"]["Failure"];
        };
    };
    grantToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** A token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            /** No token. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
        };
    };
}
