/**
 * Credentials go to the host that they are for, and nowhere else: each client sends a request to a host that redirects it to another one,
 * which then must not have got the secret in a header, a URL or a body.
 */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Agent } from 'undici';
import { createDeps } from '../../../internal/framework/base/deps.ts';
import { type Loopback, listenOnLoopback } from '../../../internal/framework/base/loopback.fixture.ts';
import { nopLogger } from '../../../internal/framework/base/telemetry/telemetry.ts';
import { createApiClient } from '../../../internal/framework/http/client/api-client.ts';
import { bearerToken } from '../../../internal/framework/http/client/bearer-token.ts';
import { createHttpClient } from '../../../internal/framework/http/client/http-client.ts';
import { grantToken } from '../../../internal/framework/http/oauth/client-credentials-grant.ts';
import { openConnections } from '../../../internal/framework/http/transport/connections.ts';
import { createTransport } from '../../../internal/framework/kube/transport/transport.ts';
import { createMothershipClient } from '../../../internal/systems/reconciler/client/mothership-client.ts';
import { createMothershipTokens } from '../../../internal/systems/reconciler/client/oauth-tokens.ts';
import {
  basicFor,
  bearerFor,
  createSourceHttp,
} from '../../../internal/systems/reconciler/components/charts/sources/source-http.ts';
import { createHttpCallbacks } from '../../../internal/systems/reconciler/components/reports/http-callbacks.ts';
import { createHttpInvoker } from '../../../internal/systems/reconciler/mothership/dispatch/http-invoker.ts';

const SECRET = 'secret-of-the-first-host';
const deps = createDeps({ log: nopLogger });
const signal = new AbortController().signal;

let first: Loopback;
let other: Loopback;
let agent: Agent;
/** What each host got: request line, headers and body. */
let received: { first: string[]; other: string[] };

const listen = (host: 'first' | 'other', location?: string): Promise<Loopback> =>
  listenOnLoopback(
    createServer(async (request, response) => {
      received[host].push(`${request.url} ${JSON.stringify(request.headers)} ${await text(request)}`);
      if (location === undefined) response.end('{}');
      else response.writeHead(307, { location: `${location}${request.url?.split('?')[0]}` }).end();
    }),
  );

beforeEach(async () => {
  received = { first: [], other: [] };
  other = await listen('other');
  first = await listen('first', other.url);
  agent = new Agent();
});
afterEach(async () => {
  await agent.destroy();
  await Promise.all([first.close(), other.close()]);
});

const http = () =>
  createHttpClient({
    ...deps,
    system: 'test',
    slots: { acquire: async () => () => undefined },
    callTimeoutMs: 5000,
    maxResponseBytes: 4096,
  });

async function fromSource(credential: ReturnType<typeof bearerFor>): Promise<void> {
  const connections = openConnections({
    allowPrivateEndpoints: true,
    trustedCertificates: [],
    env: {},
    perOrigin: 4,
    connectTimeoutMs: 2000,
    keepAliveMs: 1000,
  });
  try {
    const source = createSourceHttp({ ...deps, connections, allowPrivateEndpoints: true });
    const { body } = await source.send(
      { url: new URL(first.url), credential, maxBytes: 4096, tenant: '' },
      signal,
    );
    for await (const _ of body);
  } finally {
    await connections.close();
  }
}

async function fromMothershipClient(oauth: boolean): Promise<void> {
  const credentials = {
    baseUrl: first.url,
    tokenUrl: `${first.url}/token`,
    clientId: 'client',
    authentication: { method: 'client-secret', clientSecret: SECRET },
  } as const;
  const client = createMothershipClient({
    ...deps,
    url: first.url,
    ...(oauth
      ? { oauth: { credentials, tokens: createMothershipTokens(deps) } }
      : { token: async () => SECRET }),
    allowPrivateEndpoints: true,
    env: {},
  });
  try {
    await client.clusterState('a', signal);
  } finally {
    await client.close();
  }
}

test.each<[credential: string, send: () => Promise<unknown>]>([
  [
    'the kubeconfig of a cluster or of Gardener',
    async () => {
      const headers = { authorization: `Bearer ${SECRET}` };
      const config = { server: first.url, credentials: async () => ({ headers }) };
      const transport = createTransport({ config, env: {} });
      await transport.call({ method: 'GET', path: '/api/v1/pods', headers: {}, signal }, 4096);
      await transport.close();
    },
  ],
  [
    'an access token of HANA Cloud or Service Manager',
    async () => {
      const dispatcherFor = () => agent;
      const client = createApiClient<Record<string, { get: { responses: Record<number, never> } }>>({
        ...{ baseUrl: first.url, http: http(), dispatcherFor },
      });
      client.use(bearerToken({ token: async () => SECRET, onRefused: () => undefined }));
      await client.GET('/v1/things', { signal });
    },
  ],
  [
    'the secret of an OAuth client, at its token endpoint',
    () =>
      grantToken(
        {
          http: http(),
          dispatcher: () => agent,
          credentials: {
            baseUrl: other.url,
            tokenUrl: `${first.url}/token`,
            clientId: 'client',
            authentication: { method: 'client-secret', clientSecret: SECRET },
          },
          contextOf: (route) => ({ route, scrub: (text) => text, nowMs: 0 }),
          secretMethod: 'client_secret_post',
        },
        signal,
      ),
  ],
  ['a token of a mothership', () => fromMothershipClient(false)],
  ['the OAuth client of a mothership', () => fromMothershipClient(true)],
  ['the token for Git', () => fromSource(bearerFor(new URL(first.url), SECRET))],
  ['the password of a registry', () => fromSource(basicFor(new URL(first.url), 'user', SECRET))],
  [
    'the token in the URL of a callback',
    async () => {
      const callbacks = createHttpCallbacks(deps);
      await callbacks.send('POST', new URL(`${first.url}/callback?token=${SECRET}`), {}, signal);
      await callbacks.close();
    },
  ],
  [
    'the token of component reconcilers',
    async () => {
      const invoker = createHttpInvoker({
        ...deps,
        componentAccess: { token: async () => SECRET },
        settings: { callTimeoutMs: 5000, reconcilers: { base: first.url } },
      } as unknown as Parameters<typeof createHttpInvoker>[0]);
      await invoker.invoke({ component: 'istio' } as Parameters<typeof invoker.invoke>[0], signal);
      await invoker.close();
    },
  ],
])('%s is sent to no host but its own', async (_, send) => {
  // Most clients fail at a redirect.
  await send().catch(() => undefined);
  const forms = [SECRET, Buffer.from(`user:${SECRET}`).toString('base64'), btoa(`client:${SECRET}`)];
  const holds = (texts: readonly string[]) => texts.some((text) => forms.some((form) => text.includes(form)));
  expect(holds(received.first)).toBe(true);
  expect(holds(received.other)).toBe(false);
});
