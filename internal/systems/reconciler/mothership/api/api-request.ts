import { ProviderError } from '../../../../framework/base/index.ts';

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

/** A request that ends with this status. The message is shown to the client, and has no credential. */
export class ApiError extends ProviderError {
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super('terminal', message, options);
    this.status = status;
  }
}

export const badRequest = (message: string): ApiError => new ApiError(400, message);

/** The client of a request. */
export interface Caller {
  /** The name of the user; undefined if nothing says it. */
  readonly user: string | undefined;
  readonly roles: ReadonlySet<Role>;
  /** Why the login gives no role, for the client. Absent: its groups were read. */
  readonly problem?: string;
}

/** The refusal of a client without the role. */
export const missingRole = (role: Role, { problem }: Pick<Caller, 'problem'>): ApiError =>
  new ApiError(403, `the role ${role} is needed${problem === undefined ? '' : `: ${problem}`}`);

/**
 * What a client may do. Each role includes those before it, except `component`, which is for component reconcilers:
 *
 * - `viewer`    reads
 * - `operator`  registers, changes and deletes clusters: the environment broker
 * - `admin`     sets statuses, stops and deletes runs, resumes rollouts
 * - `component` reports the occupancy of its workers
 */
type Role = 'viewer' | 'operator' | 'admin' | 'component';

/** Roles of users in descending order, each with what it includes. */
const INCLUDED: Readonly<Record<Role, readonly Role[]>> = {
  admin: ['admin', 'operator', 'viewer', 'component'],
  operator: ['operator', 'viewer'],
  viewer: ['viewer'],
  component: ['component'],
};

export const everyRole: ReadonlySet<Role> = new Set(INCLUDED.admin);

/** Names of groups by role. */
export type RoleGroups = Readonly<Record<'viewer' | 'operator' | 'admin', string>>;

/** The roles of a user in these groups. */
export function rolesOf(groups: readonly string[], names: RoleGroups): ReadonlySet<Role> {
  const own = (['viewer', 'operator', 'admin'] as const).filter((role) => groups.includes(names[role]));
  return new Set(own.flatMap((role) => INCLUDED[role]));
}

/**
 * Who may call a route: clients with the role; `callback`: component reconcilers, by the token in the URL, and by a client
 * certificate where one is required.
 */
type Access = Role | 'callback';

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
