// Generated from apis/reconciler/callback.openapi.yaml by hack/codegen. Do not edit; run `make generate`.

export interface paths {
    "/v1/operations/{schedulingID}/callback/{correlationID}": {
        parameters: {
            query?: {
                /**
                 * The token of this attempt, from the `callbackURL`. It changes when the operation is sent
                 * again.
                 */
                token?: string;
            };
            header?: never;
            path: {
                schedulingID: string;
                correlationID: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Report the progress of an operation */
        post: operations["callback"];
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
        Callback: {
            /**
             */
            status: "notstarted" | "running" | "failed" | "success" | "error";
            /** The cause, for `failed` and `error`. */
            error?: string | null;
            /** Of the attempt of the component reconciler. */
            retryID?: string | null;
            /** In ms. */
            processingDuration?: number | null;
            /** Of a dry run. It is logged only. */
            manifest?: string | null;
            /** Any JSON value of at most 16 KiB. It is shown with the operation. */
            progress?: unknown;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    callback: {
        parameters: {
            query?: {
                /**
                 * The token of this attempt, from the `callbackURL`. It changes when the operation is sent
                 * again.
                 */
                token?: string;
            };
            header?: never;
            path: {
                schedulingID: string;
                correlationID: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Callback"];
            };
        };
        responses: {
            /** Stored, also if the same was stored before. There is no body. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** The message cannot be understood, or the operation is final with another result. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** The token is missing or wrong. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** There is no such operation, whatever the token. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** The token is that of an earlier attempt. Nothing was changed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * 401 without a client certificate where one is required, 500 for a body of more than 100,000
             * bytes and for any other failure, 503 when there is no memory for the body. The message may be
             * sent again after 500 and 503.
             */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
