import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import {
  type Clock,
  type Deps,
  isObject,
  messageOf,
  parseBoundedJson,
} from '../../../../../framework/base/index.ts';

import { trimTrailing } from '../../../../../framework/base/text/text.ts';
import { ApiError, type RoleGroups, rolesOf } from '../api-request.ts';
import { type Issuer, type Login, MAX_ISSUER_BYTES } from './login.ts';

export interface OidcOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly requests: Pick<Issuer, 'send'>;
  readonly issuer: string;
  /** Tokens must name it in `aud`. */
  readonly audience: string;
  readonly usernameClaim: string;
  readonly groupsClaim: string;
  readonly groups: RoleGroups;
}

/** Signatures with a public key; never `none`, and none with a shared secret. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const CLOCK_TOLERANCE_S = 30;
/** In characters; the server accepts no longer headers. */
const MAX_TOKEN = 16 * 1024;
/** The issuer is asked for an unknown key at most so often, in ms. */
const KEYS_COOLDOWN_MS = 10_000;
/** Keys that were read so long ago still count while the issuer does not answer, in ms: its outage is none of the mothership. */
const MAX_KEYS_AGE_MS = 86_400_000;

/**
 * Checks bearer tokens of an OpenID provider, whose keys it reads by discovery, on first use and when a token has an unknown
 * key.
 */
export function createOidcLogin(options: OidcOptions): Login {
  const { clock, log, requests, issuer, audience, usernameClaim, groupsClaim, groups } = options;
  let keys: JWTVerifyGetKey | undefined;
  const keysOf = async (): Promise<JWTVerifyGetKey> => {
    if (keys !== undefined) return keys;
    const response = await requests.send(
      new URL(`${trimTrailing(issuer, '/')}/.well-known/openid-configuration`),
    );
    if (response.status !== 200) throw new ApiError(503, `the issuer answers ${response.status}`);
    const uri = keysUri(parseBoundedJson(await response.text(), { maxLength: MAX_ISSUER_BYTES }), issuer);
    keys = createRemoteJWKSet(new URL(uri), {
      cooldownDuration: KEYS_COOLDOWN_MS,
      [customFetch]: lastAnswer((url) => requests.send(new URL(url)), clock),
    });
    return keys;
  };
  const verify = async (token: string): Promise<JWTPayload> => {
    try {
      return await payloadOf(token, await keysOf(), {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_S,
        requiredClaims: ['exp'],
        currentDate: new Date(clock.now()),
      });
    } catch (error) {
      if (isOfToken(error)) {
        throw new ApiError(401, `the bearer token is not accepted: ${messageOf(error)}`, { cause: error });
      }
      log.error('cannot check a bearer token', { issuer, error: messageOf(error) });
      throw new ApiError(503, 'cannot check the bearer token: the issuer cannot be reached', {
        cause: error,
      });
    }
  };
  return {
    identify: async ({ authorization = '' }) => {
      const [, token = ''] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
      if (token === '' || token.length > MAX_TOKEN) throw new ApiError(401, 'a bearer token is needed');
      const claims = await verify(token);
      return {
        user: textClaim(claims, usernameClaim),
        roles: rolesOf(textsClaim(claims, groupsClaim), groups),
        ...(claims[groupsClaim] === undefined ? { problem: noGroupsText(claims, groupsClaim) } : {}),
      };
    },
  };
}

/** A token need not name its key: then it is checked with each that may be meant. */
async function payloadOf(
  token: string,
  keys: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keys, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      const found = await jwtVerify(token, key, options).catch((cause: unknown) => {
        if (!(cause instanceof errors.JWSSignatureVerificationFailed)) throw cause;
      });
      if (found) return found.payload;
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** Gives the last successful answer again while there is none. */
function lastAnswer(
  send: (url: string) => Promise<Response>,
  clock: Pick<Clock, 'monotonic'>,
): (url: string) => Promise<Response> {
  let last: { readonly text: string; readonly at: number } | undefined;
  return async (url) => {
    try {
      const response = await send(url);
      if (response.status !== 200) throw new ApiError(503, `the issuer answers ${response.status}`);
      const text = await response.text();
      // A page of a gateway replaces no keys.
      parseBoundedJson(text, { maxLength: MAX_ISSUER_BYTES });
      last = { text, at: clock.monotonic() };
    } catch (error) {
      if (last === undefined || clock.monotonic() - last.at > MAX_KEYS_AGE_MS) throw error;
    }
    return new Response(last.text);
  };
}

/** @throws unless the document is that of the issuer (OpenID Connect Discovery, section 4.3) */
function keysUri(document: unknown, issuer: string): string {
  if (typeof document !== 'object' || document === null)
    throw new ApiError(503, 'the issuer has no document');
  const { issuer: stated, jwks_uri: uri } = document as Readonly<Record<string, unknown>>;
  if (stated !== issuer)
    throw new ApiError(503, `the document of the issuer is one of another issuer: ${JSON.stringify(stated)}`);
  if (typeof uri !== 'string' || !URL.canParse(uri)) throw new ApiError(503, 'the issuer has no jwks_uri');
  return uri;
}

/** Whether another token might be accepted. */
const isOfToken = (error: unknown): boolean =>
  error instanceof errors.JOSEError &&
  !(error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) &&
  error.code !== 'ERR_JOSE_GENERIC';

const textClaim = (claims: JWTPayload, name: string): string | undefined => {
  const value = claims[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** Microsoft Entra names a claim that has more values than a token may have (OpenID Connect Core, section 5.6.2). */
function noGroupsText(claims: JWTPayload, name: string): string {
  const text = `the token has no claim ${name} (--oidc-groups-claim)`;
  const isElsewhere = isObject(claims._claim_names) && Object.hasOwn(claims._claim_names, name);
  return isElsewhere ? `${text}: the user has more groups than the issuer gives in a token` : text;
}

/** Claims that are texts with spaces between by their standards (RFC 9068, and Microsoft Entra). */
const SPACED_CLAIMS = ['scope', 'scp'];

/** A list, or a text that is the only one: a name with a space must not count as two. */
function textsClaim(claims: JWTPayload, name: string): readonly string[] {
  const value = claims[name];
  if (typeof value === 'string') return SPACED_CLAIMS.includes(name) ? value.split(' ') : [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
