import { ApiError, type Caller, everyRole } from '../api-request.ts';

/** What a request says about its client. */
export interface Identification {
  /** The header `authorization`. */
  readonly authorization: string | undefined;
  /** The header `x-jwt`, in which a mesh that authenticates passes on the claims of the user. */
  readonly xJwt: string | undefined;
}

/** Finds out who sends a request. */
export interface Login {
  /** @throws ApiError 401 */
  identify(request: Identification, signal: AbortSignal): Promise<Caller>;
}

/**
 * Every client has every role. A name is believed only behind a mesh that authenticates (`--no-login`): anything on this
 * machine could write any name into the header.
 */
export function openLogin({ believesXJwt }: { readonly believesXJwt: boolean }): Login {
  return {
    identify: async ({ xJwt }) => ({
      user: believesXJwt && xJwt !== undefined ? userIn(xJwt) : undefined,
      roles: everyRole,
    }),
  };
}

/** The payload of a JWT alone: base64url without padding. */
function userIn(xJwt: string): string | undefined {
  // As the Go program answers it.
  const invalid = () =>
    new ApiError(500, 'cannot read the header X-Jwt: want JSON as base64url without padding');
  if (!/^[\w-]+$/.test(xJwt)) throw invalid();
  let claims: unknown;
  try {
    claims = JSON.parse(Buffer.from(xJwt, 'base64url').toString('utf8'));
  } catch {
    throw invalid();
  }
  if (typeof claims !== 'object' || claims === null) throw invalid();
  return 'sub' in claims && typeof claims.sub === 'string' && claims.sub !== '' ? claims.sub : undefined;
}
