import { expect, test } from '@jest/globals';
import { nopLogger } from '../../../../framework/base/telemetry/telemetry.ts';
import { createPageLogin, type PageLogin } from './page-login.ts';

const issuer = 'https://issuer.example.org';
const callback = new URL('https://reconciler.example.org/ui/callback?code=c&state=state');

test.each([
  { what: 'all, of an issuer that lists none', supported: undefined, scope: 'openid profile email groups' },
  {
    what: 'those that it lists, as an issuer without a scope for groups',
    supported: ['openid', 'profile', 'email', 'offline_access'],
    scope: 'openid profile email',
  },
  { what: 'openid in any case', supported: ['roles'], scope: 'openid' },
])('a login asks for the scopes of the issuer: $what', async ({ supported, scope }) => {
  const login = createPageLogin({
    issuer,
    clientId: 'mothership',
    requests: {
      send: async () =>
        Response.json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          ...(supported && { scopes_supported: supported }),
        }),
    },
    baseUrl: 'https://reconciler.example.org',
    log: nopLogger,
  });
  const response = await login.begin();
  expect(new URL(response.headers.get('location') ?? '').searchParams.get('scope')).toBe(scope);
});

test.each<[what: string, run: (login: PageLogin) => Promise<Response>]>([
  ['cannot begin, since the issuer does not answer', (login) => login.begin()],
  ['was not begun here', (login) => login.finish(callback, undefined)],
  ['was begun with less than it needs', (login) => login.finish(callback, 'mothership_login=state.nonce')],
])('a login that %s ends on the page, and is forgotten', async (what, run) => {
  let requests = 0;
  const login = createPageLogin({
    ...{ issuer, clientId: 'mothership', baseUrl: 'https://reconciler.example.org', log: nopLogger },
    requests: {
      send: async () => {
        requests++;
        throw new Error('away');
      },
    },
  });
  const { status, headers } = await run(login);
  expect([status, headers.get('location'), headers.get('cache-control')]).toEqual([
    303,
    '/ui/?login=failed',
    'no-store',
  ]);
  expect(headers.getSetCookie()).toEqual([
    'mothership_login=; Path=/ui; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
  ]);
  expect(requests).toBe(what.startsWith('cannot begin') ? 1 : 0);
});
