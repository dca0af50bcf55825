// Generated from apis/reconciler/component.openapi.yaml by hack/codegen. Do not edit; run `make generate`.

export interface paths {
    "/v1/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reconcile or delete a component on a cluster */
        post: operations["run"];
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
        Error: {
            error: string;
        };
        Task: {
            /** Components of this reconciliation that are done. */
            componentsReady: string[];
            component: string;
            namespace: string;
            version: string;
            url: string;
            profile: string;
            /** Values by dotted key. */
            configuration: {
                [key: string]: unknown;
            };
            kubeconfig: string;
            metadata: components["schemas"]["Metadata"];
            /**
             * Whose cluster it is: limits of component reconcilers count by tenant. Absent from the Go
             * program; the global account counts then, or else the API server.
             */
            tenant?: string;
            /** Format: uri */
            callbackURL: string;
            correlationID: string;
            repository: {
                url: string;
            };
            /**
             */
            type: "reconcile" | "delete";
            componentConfiguration: {
                maxRetries: number;
                debug: boolean;
            };
        };
        Metadata: {
            globalAccountID: string;
            subAccountID: string;
            serviceID: string;
            servicePlanID: string;
            servicePlanName: string;
            shootName: string;
            instanceID: string;
            region: string;
        };
    };
    responses: {
        /**
         * 400 for a task without a required field, 429 when all workers are busy, 500 for a task that cannot
         * be read or begun.
         */
        Refused: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    run: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Task"];
            };
        };
        responses: {
            /** Accepted. The result is sent to `callbackURL`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["Refused"];
            429: components["responses"]["Refused"];
            500: components["responses"]["Refused"];
        };
    };
}
