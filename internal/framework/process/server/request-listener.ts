import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request with its body. Libraries such as hono read `rawBody` in place of the stream. */
export type CompleteRequest = IncomingMessage & { readonly rawBody: Buffer };

/** Responds to a request. A rejection is logged, and answered with 500 or the end of the connection. */
export type RequestListener = (request: CompleteRequest, response: ServerResponse) => void | Promise<void>;
