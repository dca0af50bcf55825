import type { Caller } from './caller.ts';

/** A request whose client may send it, with its parsed body. */
export interface ApiRequest {
  readonly method: string;
  /** Version of the API in the path: `v1` is 1. */
  readonly contract: number;
  /** A parameter of the path, or else the first one of the query; undefined if it is absent or empty. */
  parameter(name: string): string | undefined;
  /** All parameters of the query with this name, or the one of the path. */
  parameters(name: string): readonly string[];
  /** The parsed body. @throws ApiError 400 */
  body(): unknown;
  readonly caller: Caller;
  /** The address of the client, or of a proxy before it; empty if it has gone. */
  readonly address: string;
  /** Aborted when the client has gone, or the server stops. */
  readonly signal: AbortSignal;
}

export interface ApiResponse {
  /** Default 200. */
  readonly status?: number;
  /** JSON; absent: no body. */
  readonly body?: unknown;
  /** Server-sent events, in place of a body. */
  readonly events?: ReadableStream<Uint8Array>;
}
