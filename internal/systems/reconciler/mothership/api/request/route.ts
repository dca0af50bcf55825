import type { ApiRequest, ApiResponse } from './api-request.ts';
import type { Role } from './roles.ts';

/**
 * Who may call a route: clients with the role; `callback`: component reconcilers, by the token in the URL, and by a client
 * certificate where one is required.
 */
export type Access = Role | 'callback';

/** A route of one of the APIs. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** After `/v1`, as hono writes it: `/clusters/:runtimeID`. */
  readonly path: string;
  readonly access: Access;
  /** Whether a line of the audit log precedes it: changes that clients of the external API ask for. Default false. */
  readonly audited?: boolean;
  /** Whether the response depends on the name of the user: a header that passes it on is read. Default: as `audited`. */
  readonly namesUser?: boolean;
  handle(request: ApiRequest): Promise<ApiResponse>;
}
