import { expect, test } from '@jest/globals';
import { grantToken } from './client-credentials-grant.ts';

/** The token of this response. */
const granted = (response: Readonly<Record<string, unknown>>) =>
  grantToken(
    {
      http: { send: async () => ({ status: 200, headers: {}, body: JSON.stringify(response) }) },
      dispatcher: () => undefined as never,
      credentials: {
        baseUrl: 'https://api.example.com',
        tokenUrl: 'https://issuer.example.com/realms/shop/token',
        clientId: 'client',
        authentication: { method: 'client-secret', clientSecret: 'secret' },
      },
      contextOf: (route) => ({ route, scrub: (text) => text, nowMs: 0 }),
      secretMethod: 'client_secret_post',
    },
    new AbortController().signal,
  );
const answer = { access_token: 'a', token_type: 'Bearer', expires_in: 600 };
const jwt = (claims: object) =>
  [{ alg: 'RS256' }, claims, {}]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');

const claims = { iss: 'https://issuer.example.com/realms/shop', aud: 'client', sub: 'a', iat: 1, exp: 9e9 };

test.each([
  ['a scope that is null', { scope: null }],
  ['a scope that is a list', { scope: ['read'] }],
  ['an empty refresh token', { refresh_token: '' }],
  ['a refresh token that is null', { refresh_token: null }],
  ['an ID token of an issuer below its host', { id_token: jwt(claims) }],
  ['an ID token that is null', { id_token: null }],
  ['the type of a gateway: BearerToken', { token_type: 'BearerToken' }],
])('a token is used with %s', async (_, members) => {
  expect(await granted({ ...answer, ...members })).toEqual({ token: 'a', expiresInSeconds: 600 });
});

test('a lifetime that is null is none', async () => {
  expect(await granted({ ...answer, expires_in: null })).toEqual({ token: 'a' });
});

test.each([
  ['no token', { access_token: null }, 'access_token'],
  ['another type', { token_type: 'mac' }, 'token_type'],
  ['no type', { token_type: null }, 'token_type'],
  ['a lifetime that is no number', { expires_in: 'soon' }, 'expires_in'],
])('a response with %s is refused', async (_, members, says) => {
  await expect(granted({ ...answer, ...members })).rejects.toThrow(says);
});
