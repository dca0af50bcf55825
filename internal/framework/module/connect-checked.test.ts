import { expect, test } from '@jest/globals';
import { ProviderError } from '../base/errors/errors.ts';
import { EndpointRefusedError, NoResponseError } from '../http/index.ts';
import { type CheckedClient, connectChecked } from './connect-checked.ts';
import type { Check } from './diagnosis.ts';

const tokenUrl = 'https://auth.example.org/oauth/token';
const remediation = 'kubectl -n shop edit secret access';
const remedy = { remediation };

/** The checks, the returned client, and how often a client was closed. */
async function result(connect: (close: () => Promise<void>) => CheckedClient) {
  let closed = 0;
  const close = async () => void closed++;
  const { signal } = new AbortController();
  const checks: Check[] = [];
  const follow = connectChecked(() => connect(close), { tokenUrl, remedy, signal });
  for (;;) {
    const { done, value } = await follow.next();
    if (done) return { checks, client: value, closed };
    checks.push(value);
  }
}

test.each([
  { expiresInSeconds: 600, detail: 'granted, valid for 600 s' },
  { expiresInSeconds: undefined, detail: 'granted' },
])('a granted token: $detail, and the connection stays open', async ({ expiresInSeconds, detail }) => {
  const token = expiresInSeconds === undefined ? {} : { expiresInSeconds };
  const { checks, client, closed } = await result((close) => ({ close, checkToken: async () => token }));
  expect(checks).toEqual([{ name: 'token', status: 'ok', object: tokenUrl, detail }]);
  expect([client === undefined, closed]).toEqual([false, 0]);
});

test('a refused token ends with a closed connection and the command that shows the credentials', async () => {
  const refused = new ProviderError('auth', 'cannot get a token: 401');
  const { checks, client, closed } = await result((close) => ({
    close,
    checkToken: () => Promise.reject(refused),
  }));
  const detail = 'cannot get a token: 401';
  expect(checks).toEqual([{ name: 'token', status: 'failed', object: tokenUrl, detail, remediation }]);
  expect([client, closed]).toEqual([undefined, 1]);
});

test.each([
  ['tls', 'SSL_CERT_FILE'],
  ['name_resolution', 'the address of the token server'],
  ['connection_refused', 'the address of the token server'],
])(
  'a token server that is not reached (%s) leads to %s, and not to other credentials',
  async (code, field) => {
    const unreached = new ProviderError('transient', 'cannot get a token', {
      cause: new NoResponseError('POST failed', { code, sent: false, aborted: false }),
    });
    const { checks } = await result((close) => ({ close, checkToken: () => Promise.reject(unreached) }));
    expect(checks).toEqual([
      expect.objectContaining({
        name: 'token',
        status: 'failed',
        field,
        remediation: expect.stringMatching(/the credentials stay as they are$/),
      }),
    ]);
  },
);

test('an endpoint that is not allowed is a check of its own, since no token was requested', async () => {
  const { checks, client, closed } = await result(() => {
    throw new EndpointRefusedError('the endpoint is refused');
  });
  const detail = 'the endpoint is refused';
  const base = { name: 'endpoint', status: 'failed', object: tokenUrl, detail };
  expect(checks).toEqual([
    { ...base, field: 'ALLOW_PRIVATE_ENDPOINTS', remediation: expect.stringContaining('manager.extraEnv') },
  ]);
  expect([client, closed]).toEqual([undefined, 0]);
});
