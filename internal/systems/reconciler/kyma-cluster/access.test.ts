/** Access by a provider configuration, with a server on this machine as mothership and as issuer. */
import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { kymaCluster } from '../../../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import {
  clusterProviderConfig,
  clusterProviderConfigs,
  providerConfig,
} from '../../../../apis/reconciler.kyma-project.io/v1alpha1/providerconfigs.gen.ts';
import { createDeps } from '../../../framework/base/deps.ts';
import { ProviderError } from '../../../framework/base/errors/errors.ts';
import { type Loopback, listenOnLoopback } from '../../../framework/base/loopback.fixture.ts';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { createMemoryClient } from '../../../framework/kube/fakes/memory-client.ts';
import { secrets } from '../../../framework/kube/object/resource-type.ts';
import type { ReconcileContext } from '../../../framework/managed/index.ts';
import type { MothershipClient } from '../client/mothership-client.ts';
import { createMothershipTokens } from '../client/oauth-tokens.ts';
import { type AccessOptions, openMothership } from './access.ts';
import { fakeCluster } from './kyma-cluster.fixture.ts';
import { createConnector } from './kyma-cluster.ts';
import type { MothershipConfig } from './provider-configs.ts';

type Credentials = MothershipConfig['spec']['credentials'];

const signal = new AbortController().signal;
const SECRET = 'top-secret-value';
/** Requests of the API by their authorization, and of the token endpoint by their form. */
let api: (string | undefined)[];
let grants: { readonly authorization: string | undefined; readonly form: Record<string, string> }[];
let accepts: (authorization: string | undefined) => boolean;
let grantStatus: number;
/** The body of accepted requests of the API; `endless` does not end. */
let answer: object | 'endless';
/** Of accepted requests, which are refused with it. */
let refusal: string | undefined;
let url: string;

const listener = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  response.setHeader('content-type', 'application/json');
  const { authorization } = request.headers;
  if (request.url === '/token') {
    grants.push({
      authorization,
      form: Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString())),
    });
    const body =
      grantStatus === 200
        ? { access_token: `token-${grants.length}`, token_type: 'Bearer', expires_in: 600 }
        : { error: 'invalid_client', error_description: `no client has ${SECRET}` };
    response.writeHead(grantStatus).end(JSON.stringify(body));
    return;
  }
  api.push(authorization);
  const isAccepted = accepts(authorization);
  if (isAccepted && refusal !== undefined) {
    response.writeHead(400).end(JSON.stringify({ error: refusal }));
    return;
  }
  response.writeHead(isAccepted ? 200 : 401);
  if (isAccepted && answer === 'endless') {
    const write = () => {
      while (!response.destroyed && response.write(' '.repeat(64 * 1024)));
    };
    response.on('drain', write);
    write();
  } else response.end(JSON.stringify(isAccepted ? answer : {}));
});
let server: Loopback;
beforeAll(async () => {
  server = await listenOnLoopback(listener);
  ({ url } = server);
});
afterAll(() => server.close());
beforeEach(() => {
  api = [];
  grants = [];
  accepts = () => true;
  grantStatus = 200;
  answer = { clusters: [] };
  refusal = undefined;
});

const oauthClient = (over: Partial<NonNullable<Credentials['oauthClient']>> = {}): Credentials => ({
  source: 'OAuthClient',
  oauthClient: { tokenURL: `${url}/token`, secretRef: { name: 'client', namespace: 'system' }, ...over },
});

function oauthClientOf(name = 'client'): Credentials {
  return { source: 'OAuthClient', oauthClient: { tokenURL: '', secretRef: { name, namespace: 'system' } } };
}
const tokenOf = (name: string): Credentials => ({
  source: 'Secret',
  secretRef: { name, namespace: 'system', key: 'token' },
});
/** The server has no address before the tests begin. */
const withTokenURL = ({ oauthClient: given, ...rest }: Credentials): Credentials =>
  given === undefined ? rest : { ...rest, oauthClient: { ...given, tokenURL: `${url}/token` } };

function setUp() {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const deps = createDeps({ clock });
  const seed = (namespace: string, name: string, values: Readonly<Record<string, string>>) =>
    client.seed(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace },
      data: Object.fromEntries(
        Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
      ),
    });
  seed('system', 'client', { clientid: 'kyma', clientsecret: SECRET });
  seed('system', 'token', { token: 'static\n', bad: 'two words' });
  const options: AccessOptions = {
    client,
    cluster: fakeCluster,
    deps,
    env: {},
    flags: { allowPrivateEndpoints: false },
    readOnly: false,
    tokens: createMothershipTokens(deps),
    signal,
  };
  /** As one reconcile does it. */
  const call = async (
    config: MothershipConfig,
    over: Partial<AccessOptions> = {},
    ask = (mothership: MothershipClient): Promise<unknown> => mothership.listClusters({}, 1, signal),
  ) => {
    const { mothership } = await openMothership(config, { ...options, ...over });
    try {
      await ask(mothership);
    } finally {
      await mothership.close();
    }
  };
  const configOf = (credentials: Credentials) =>
    clusterProviderConfig({ name: 'default', spec: { url, credentials } });
  /** Connects by a configuration, observes a cluster, and returns the objects whose change requests the next attempt. */
  const watchedAfterRefusal = async (credentials: Credentials) => {
    client.seed(clusterProviderConfigs, configOf(credentials));
    const connector = createConnector({ ...options, scope: 'namespaced' });
    const observe = async () => (await connector.connect(cluster, context)).observe(cluster, context);
    const error = await observe().catch((thrown: unknown) => thrown);
    if (!(error instanceof ProviderError)) throw new TypeError('nothing was refused');
    return [error.kind, ...error.targets.map(({ description }) => description)];
  };
  return { client, clock, seed, call, configOf, watchedAfterRefusal };
}

describe('an answer of a mothership, which its author chooses,', () => {
  const none: Credentials = { source: 'None' };
  const response = {
    cluster: 'r-1',
    clusterVersion: 1,
    configurationVersion: 1,
    status: 'ready',
    statusURL: '',
    failures: [{ component: 'istio', reason: 'late' }],
  };

  test.each([
    [
      'without a status',
      { ...response, status: undefined },
      'status is not a text of at most 4096 characters',
    ],
    ['with a number as status', { ...response, status: 1 }, 'status is not a text'],
    ['with a text as failures', { ...response, failures: 'none' }, 'failures is not a list of objects'],
    [
      'with a failure without a reason',
      { ...response, failures: [{ component: 'istio' }] },
      'failures[].reason is not a text',
    ],
    ['that is a list', [], 'cluster is not a text'],
    ['with a long status', { ...response, status: 'x'.repeat(5000) }, 'status is not a text of at most 4096'],
    [
      'with a long URL',
      { ...response, statusURL: `https://${'x'.repeat(900_000)}` },
      'statusURL is not a text of at most 4096',
    ],
    ['that does not end', 'endless' as const, 'longer than 1048576 bytes'],
  ])('%s is an error that says so', async (_what, body, message) => {
    answer = body;
    const { call, configOf } = setUp();
    const asked = call(configOf(none), {}, (mothership) => mothership.clusterStatus('r-1', signal));
    await expect(asked).rejects.toThrow(message);
  });

  test('as the API documents it is accepted', async () => {
    answer = response;
    const { call, configOf } = setUp();
    await call(configOf(none), {}, (mothership) => mothership.clusterStatus('r-1', signal));
  });
});

const context = { signal } as ReconcileContext;
const cluster = kymaCluster({
  name: 'shop',
  namespace: 'team',
  spec: {
    providerConfigRef: { kind: 'ClusterProviderConfig', name: 'default' },
    forProvider: { runtimeID: 'r-1', version: '2.20.0', components: [] },
  },
});

describe('the Secret of credentials is watched', () => {
  test.each<[string, number, Credentials, unknown]>([
    ['that the issuer refuses', 401, oauthClientOf(), ['auth', 'Secret client found']],
    ['that the mothership refuses', 200, oauthClientOf(), ['auth', 'Secret client found']],
    ['without a key', 200, oauthClientOf('incomplete'), ['terminal', 'Secret incomplete found']],
    ['that is missing', 200, oauthClientOf('gone'), ['not-found', 'Secret gone absent']],
    ['with a bearer token', 200, tokenOf('token'), ['auth', 'Secret token found']],
    ['with a bearer token, that is missing', 200, tokenOf('gone'), ['not-found', 'Secret gone absent']],
  ])('%s', async (_, status, credentials, watched) => {
    const { seed, watchedAfterRefusal } = setUp();
    seed('system', 'incomplete', { clientid: 'kyma' });
    grantStatus = status;
    accepts = () => false;
    expect(await watchedAfterRefusal(withTokenURL(credentials))).toEqual(watched);
  });
});

describe('an OAuth client', () => {
  test('its token is requested once for many reconciles, and again when it expires', async () => {
    const { call, configOf, client, clock } = setUp();
    const config = configOf(oauthClient());
    await call(config);
    await call(config);
    expect(api).toEqual(['Bearer token-1', 'Bearer token-1']);
    expect(grants).toEqual([
      {
        authorization: `Basic ${btoa(`kyma:${SECRET}`)}`,
        form: { grant_type: 'client_credentials' },
      },
    ]);
    await clock.advance(590_000);
    await call(config);
    expect(api.at(-1)).toBe('Bearer token-2');
    expect(client.requests.filter(({ verb }) => verb !== 'get')).toEqual([]);
  });

  test('scope and audience are requested, and each has its own token', async () => {
    const { call, configOf } = setUp();
    await call(configOf(oauthClient({ scope: 'read write', audience: 'mothership' })));
    await call(configOf(oauthClient()));
    expect(grants.map(({ form }) => form)).toEqual([
      { grant_type: 'client_credentials', scope: 'read write', audience: 'mothership' },
      { grant_type: 'client_credentials' },
    ]);
    expect(api).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  test.each<[how: string, quote: (text: string) => string]>([
    ['as it is', (text) => text],
    ['in base64', (text) => Buffer.from(`kyma:${text}`).toString('base64')],
    ['in base64 of JSON', (text) => Buffer.from(JSON.stringify({ secret: text })).toString('base64url')],
    ['in a URL in a URL', (text) => encodeURIComponent(encodeURIComponent(`!${text}`))],
    ['over two lines', (text) => `${text.slice(0, 6)}\r\n  ${text.slice(6)}`],
  ])(
    'a mothership that quotes secret and token %s shows neither with a token of before',
    async (_, quote) => {
      const { call, configOf } = setUp();
      await call(configOf(oauthClient()));
      for (const text of [SECRET, 'token-1']) {
        refusal = `refused: ${quote(text)} .`;
        const error = await call(configOf(oauthClient())).catch((thrown: unknown) => thrown);
        expect(String(error)).toMatch(/refused: .*\[redacted\]/);
        expect(String(error)).not.toContain(quote(text).slice(1, -1));
      }
      expect(grants).toHaveLength(1);
    },
  );

  test('a token that the mothership refuses is replaced once', async () => {
    const { call, configOf } = setUp();
    accepts = (authorization) => authorization !== 'Bearer token-1';
    await call(configOf(oauthClient()));
    expect(api).toEqual(['Bearer token-1', 'Bearer token-2']);
    accepts = () => false;
    await expect(call(configOf(oauthClient()))).rejects.toMatchObject({ kind: 'auth' });
  });

  test.each([
    [401, 'auth'],
    [500, 'transient'],
  ])('an issuer that answers %d is named, without the secret', async (status, kind) => {
    const { call, configOf } = setUp();
    grantStatus = status;
    const error = await call(configOf(oauthClient())).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      kind,
      message: expect.stringContaining(`cannot get a token from ${new URL(url).host}`),
    });
    expect(String(error)).not.toContain(SECRET);
    expect(api).toEqual([]);
  });

  test('changed credentials get another token', async () => {
    const { call, configOf, client } = setUp();
    await call(configOf(oauthClient()));
    await client.mergePatch(
      secrets,
      { name: 'client', namespace: 'system' },
      { data: { clientsecret: btoa('another') } },
    );
    await call(configOf(oauthClient()));
    expect(api).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  test.each([
    [{ secretRef: { name: 'client', namespace: 'system', clientIDKey: 'id' } }, 'has no key id'],
    [
      { secretRef: { name: 'client', namespace: 'system', clientSecretKey: 'toString' } },
      'has no key toString',
    ],
    [{ tokenURL: 'ftp://issuer/token' }, 'the tokenURL of the ProviderConfig is no URL of http or https'],
    [{ tokenURL: 'https://me:pw@issuer/token' }, 'without a user'],
  ])('%j is refused', async (over, message) => {
    const { call, configOf } = setUp();
    await expect(call(configOf(oauthClient(over)))).rejects.toMatchObject({
      kind: 'terminal',
      message: expect.stringContaining(message),
    });
  });
});

describe('a bearer token', () => {
  test.each<[string, Credentials, string | undefined]>([
    [
      'of a Secret',
      { source: 'Secret', secretRef: { name: 'token', namespace: 'system', key: 'token' } },
      'Bearer static',
    ],
    ['of the source None', { source: 'None' }, undefined],
  ])('%s is sent', async (_, credentials, authorization) => {
    const { call, configOf } = setUp();
    await call(configOf(credentials));
    expect(api).toEqual([authorization]);
  });

  test('what is no token is refused', async () => {
    const { call, configOf } = setUp();
    const secretRef = { name: 'token', namespace: 'system', key: 'bad' };
    await expect(call(configOf({ source: 'Secret', secretRef }))).rejects.toThrow('are no bearer token');
  });
});

describe('a configuration in a namespace', () => {
  const own = (credentials: Credentials, at = 'https://mothership.example.org') =>
    providerConfig({ name: 'default', namespace: 'team', spec: { url: at, credentials } });

  test('leads to no local address, neither by its url nor by its tokenURL', async () => {
    const { call } = setUp();
    await expect(call(own({ source: 'None' }, url))).rejects.toThrow(
      'the url of the ProviderConfig is refused',
    );
    await expect(call(own(oauthClient()))).rejects.toThrow('the tokenURL of the ProviderConfig is refused');
    expect(grants).toEqual([]);
  });

  test('reads the OAuth client of its own namespace only', async () => {
    const { call, seed } = setUp();
    seed('team', 'client', { clientid: 'of-team', clientsecret: 'x' });
    await call(own(oauthClient(), url), { flags: { allowPrivateEndpoints: true } });
    expect(grants[0]?.authorization).toBe(`Basic ${btoa('of-team:x')}`);
  });
});
