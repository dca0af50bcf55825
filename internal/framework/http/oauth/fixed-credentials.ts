import type { Middleware } from 'openapi-fetch';
import { ProviderError } from '../../base/errors/errors.ts';
import { apiRequest } from '../client/api-client.ts';
import { seal } from './seal.ts';

/** How requests carry credentials that no token endpoint exchanges. */
export type FixedAuthentication =
  /** RFC 6750: `Authorization: Bearer <token>`. */
  | { readonly method: 'bearer'; readonly token: string }
  /** RFC 7617: `Authorization: Basic <user:password>`, in UTF-8. */
  | { readonly method: 'basic'; readonly username: string; readonly password: string }
  /** A header or a parameter of the query of this name (`apiKey` of OpenAPI). Prefer the header: servers log queries. */
  | {
      readonly method: 'api-key';
      readonly in: 'header' | 'query';
      readonly name: string;
      readonly key: string;
    }
  /** Several headers by name, such as an API key and an application key. */
  | { readonly method: 'headers'; readonly values: Readonly<Record<string, string>> }
  /** An API without login. */
  | { readonly method: 'none' };

/** Credentials for one API that each request carries as they are. */
export interface FixedCredentials {
  /** `https://host[:port][/path]`, without a trailing slash. */
  readonly baseUrl: string;
  readonly authentication: FixedAuthentication;
  /** Where they are, for messages about their refusal: `Secret shop/buckets`. Default: not said. */
  readonly source?: string;
}

/**
 * As sealed credentials of OAuth: printing shows no secret, and white space at the ends of a token, password or key, such as the line break of
 * a file, is removed.
 */
export function sealFixedCredentials(given: FixedCredentials): FixedCredentials {
  const { baseUrl } = given;
  return seal({ ...given, authentication: trimmed(given.authentication) }, { baseUrl });
}

function trimmed(given: FixedAuthentication): FixedAuthentication {
  switch (given.method) {
    case 'bearer':
      return { ...given, token: given.token.trim() };
    case 'basic':
      return { ...given, username: given.username.trim(), password: given.password.trim() };
    case 'api-key':
      return { ...given, key: given.key.trim() };
    case 'headers':
      return {
        ...given,
        values: Object.fromEntries(Object.entries(given.values).map(([name, value]) => [name, value.trim()])),
      };
    case 'none':
      return given;
  }
}

/** The texts that must not be in messages. */
export function secretsOfFixed({ authentication: given }: FixedCredentials): string[] {
  switch (given.method) {
    case 'bearer':
      return [given.token];
    case 'basic':
      // With no password the user name is the key.
      return [given.password || given.username, basicOf(given)];
    case 'api-key':
      return [given.key];
    case 'headers':
      return Object.values(given.values);
    case 'none':
      return [];
  }
}

/**
 * Middleware that authorizes requests with fixed credentials.
 *
 * @throws ProviderError kind `auth` if no header can hold them
 */
export function fixedAuthorization({ authentication: given }: FixedCredentials): Middleware {
  switch (given.method) {
    case 'bearer':
      return headers({ authorization: given.token && `Bearer ${given.token}` });
    case 'basic':
      if (given.username.includes(':'))
        throw new ProviderError('auth', 'the user name has a colon (RFC 7617)');
      return headers({ authorization: `Basic ${basicOf(given)}` });
    case 'api-key':
      return given.in === 'header' ? headers({ [given.name]: given.key }) : parameter(given.name, given.key);
    case 'headers':
      return headers(given.values);
    case 'none':
      return { onRequest: () => undefined };
  }
}

/** Visible ASCII and blanks: undici refuses everything else, with the value in its message. */
const HEADER_VALUE = /^[\x20-\x7e]+$/;
/** A token of RFC 9110, section 5.6.2. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

function headers(values: Readonly<Record<string, string>>): Middleware {
  for (const [name, value] of Object.entries(values)) {
    if (!HEADER_NAME.test(name))
      throw new ProviderError('auth', 'the name of the header with the key is no header name');
    if (!HEADER_VALUE.test(value))
      throw new ProviderError(
        'auth',
        `the credentials for the header ${name} are empty, or have characters that no header can hold`,
      );
  }
  return {
    onRequest: ({ request }) => {
      const sent = apiRequest(request);
      for (const [name, value] of Object.entries(values)) sent.headers.set(name, value);
    },
  };
}

function parameter(name: string, value: string): Middleware {
  return {
    onRequest: ({ request }) => {
      const sent = apiRequest(request);
      const url = new URL(sent.url);
      url.searchParams.set(name, value);
      sent.url = url.href;
    },
  };
}

function basicOf({ username, password }: { readonly username: string; readonly password: string }): string {
  return Buffer.from(`${username}:${password}`).toString('base64');
}
