// Generated from internal/systems/inventory/hana-cloud/openapi.yaml by hack/codegen. Do not edit; run `make generate`.

export interface paths {
    "/inventory/v2/serviceInstances/{serviceInstanceID}/instanceMappings": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** ID of the HANA Cloud instance in Service Manager. */
                serviceInstanceID: string;
            };
            cookie?: never;
        };
        /** All mappings of an instance */
        get: operations["listInstanceMappings"];
        put?: never;
        /** Map the instance */
        post: operations["createInstanceMapping"];
        /** Take a mapping away */
        delete: operations["deleteInstanceMapping"];
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
         * The client proves itself with HTTP Basic or with client_id and client_secret in the body, or, where
         * it has a certificate (RFC 8705), with client_id and the TLS handshake. Basic credentials are taken
         * literally (RFC 7617), not form-decoded.
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
        /**
         */
        Platform: "kubernetes" | "cloudfoundry" | "subaccount-api-access";
        NewInstanceMapping: {
            platform: components["schemas"]["Platform"];
            /** Kubernetes cluster ID, Cloud Foundry organisation GUID, or subaccount ID. */
            primaryID: string;
            /** Kubernetes namespace, or Cloud Foundry space GUID. */
            secondaryID?: string;
            /** Whether this instance is the one that the primaryID uses where several are mapped. */
            isDefault: boolean;
        };
        InstanceMapping: {
            /** One of Platform; a client must tolerate others. */
            platform: string;
            primaryID: string;
            /** Absent, null or empty where the mapping has none. */
            secondaryID?: string | null;
            /** Absent means false. */
            isDefault?: boolean;
        };
        InstanceMappingList: {
            mappings: components["schemas"]["InstanceMapping"][];
        };
        /**
         * Any JSON object counts as the API's own error, except for a 404. Where it says more, it does so in
         * one of two forms, with the code and the message at the top or inside `error`.
         */
        Error: {
            code?: string | number;
            message?: string;
            error?: string | {
                code?: string | number;
                message?: string;
            };
        };
        NotFoundDetails: {
            /** A client must tolerate other spellings, such as NotFound. */
            code: "NOT_FOUND" | "INSTANCE_NOT_FOUND" | "SERVICE_INSTANCE_NOT_FOUND" | "MAPPING_NOT_FOUND" | "INSTANCE_MAPPING_NOT_FOUND";
            message?: string;
        };
        TokenRequest: {
            /** @constant */
            grant_type: "client_credentials";
            /** @constant */
            response_type?: "token";
            client_id?: string;
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
        /** Done. A body says nothing that the request did not. */
        Done: {
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
        /** The token is good, but not for this. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * No such instance, or none that these credentials may see, or no such mapping; for a list also an
         * instance without mappings. The API's own 404 has a code of NotFoundDetails, at the top or inside
         * `error`, and its code or message says that it is about an instance or a mapping. A 404 with the
         * header X-Cf-RouterError, or with another body, comes from a router or gateway in between and says
         * nothing about instance and mapping.
         */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFoundDetails"] | {
                    error: components["schemas"]["NotFoundDetails"];
                };
            };
        };
        /** Come back later. */
        TooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** Not now. */
        Unavailable: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
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
    parameters: never;
    requestBodies: never;
    headers: {
        /** Seconds, or an HTTP date (RFC 9110, section 10.2.3). */
        RetryAfter: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listInstanceMappings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** ID of the HANA Cloud instance in Service Manager. */
                serviceInstanceID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The mappings, in no particular order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceMappingList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    createInstanceMapping: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** ID of the HANA Cloud instance in Service Manager. */
                serviceInstanceID: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewInstanceMapping"];
            };
        };
        responses: {
            200: components["responses"]["Done"];
            201: components["responses"]["Done"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** A mapping with this primaryID and secondaryID exists, perhaps with another isDefault. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteInstanceMapping: {
        parameters: {
            query: {
                primaryID: string;
                /** Absent for a mapping that has none. */
                secondaryID?: string;
            };
            header?: never;
            path: {
                /** ID of the HANA Cloud instance in Service Manager. */
                serviceInstanceID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Done"];
            /** Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["Unavailable"];
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
            503: components["responses"]["Unavailable"];
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
