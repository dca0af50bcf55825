import { expect, test } from '@jest/globals';
import { nopLogger } from '../../../../framework/base/telemetry/telemetry.ts';
import { createPageLogin } from './page-login.ts';

const issuer = 'https://issuer.example.org';

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
