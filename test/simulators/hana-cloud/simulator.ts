/**
 * HANA Cloud for tests and the demo: the instance mappings API and its OAuth2 token endpoints, with state, over real
 * TLS on loopback. It may be stricter than the real one: it refuses and records everything outside of the contract
 * (internal/systems/inventory/hana-cloud/openapi.yaml), and checks its own responses against it as well. Only a configured fault
 * breaks it.
 *
 * Assertions use its own store and the requests that it received, never the output of the tested program.
 */
import { createAuthority } from '../../../hack/control-planes/access/authority.ts';
import { createFaults } from '../base/faults/faults.ts';
import { type Listener, listen } from '../base/http/listener.ts';
import { createReceiver } from '../base/http/receiver.ts';
import { createJournal } from '../base/journal.ts';
import { createTokenService } from '../base/oauth/token-service.ts';
import { createTokenMint } from '../base/oauth/tokens.ts';
import { handleAdmin } from './admin.ts';
import { errors } from './answers.ts';
import { contract, type Route } from './contract.ts';
import { createForeignMappings } from './foreign-mappings.ts';
import type { HanaCloudSimulator, Settings } from './hana-cloud-simulator.ts';
import { createMappingsService } from './mappings-service.ts';
import { createCredentials } from './oauth/credentials.ts';
import { createStore } from './store.ts';

export type { HanaCloudSimulator } from './hana-cloud-simulator.ts';

export interface SimulatorOptions extends Partial<Settings> {
  /** Instances there from the start. */
  readonly instances?: readonly string[];
  /** Default: any free port, for each. */
  readonly port?: number;
  readonly tokenPort?: number;
  readonly certTokenPort?: number;
  /** Address to listen on; default 127.0.0.1. The admin API has no authentication: other addresses only where every client may control it. */
  readonly listen?: string;
  /** The host in its URLs and credentials, and in its certificate; default 127.0.0.1. */
  readonly host?: string;
  /** Names in the certificate beside localhost, 127.0.0.1, ::1 and `host`. */
  readonly hostnames?: readonly string[];
  /** Called for every granted token; the simulator keeps none. */
  readonly onToken?: (token: string) => void;
  /** Whether mappings of others stand beside each one that a client creates. Default false. */
  readonly foreignCopies?: boolean;
}

const LOOPBACK = '127.0.0.1';

const defaults: Settings = {
  latencyMs: 0,
  tokenLifetimeSeconds: 3600,
  tokenFormat: 'jwt',
  omitTokenExpiry: false,
  hiddenAs: 404,
};

export async function startHanaCloudSimulator(options: SimulatorOptions = {}): Promise<HanaCloudSimulator> {
  const { instances = [], port = 0, tokenPort = 0, certTokenPort = 0, hostnames = [], ...rest } = options;
  const { onToken, listen: address = LOOPBACK, host = LOOPBACK, foreignCopies = false, ...given } = rest;
  const initial: Settings = { ...defaults, ...given };
  const settings = { ...initial };
  const authority = await createAuthority('HANA Cloud simulator');
  const server = await authority.issueServer(['localhost', LOOPBACK, '::1', host, ...hostnames]);
  const store = createStore();
  for (const instance of instances) store.addInstance(instance);
  const faults = createFaults<Route>();
  const journal = createJournal<Route>();
  const mint = createTokenMint();
  const foreign = createForeignMappings(foreignCopies);
  const stopping = new AbortController();

  const receive = createReceiver({
    contract,
    journal,
    faults,
    errors,
    idParameter: 'serviceInstanceID',
    recorded: { body: (route) => route === 'create' },
    latencyMs: () => settings.latencyMs,
    signal: stopping.signal,
  });
  const tls = { key: server.key, cert: server.certificate };
  const mutual = { ...tls, requestCert: true, rejectUnauthorized: false, ca: authority.certificate };
  const serveApi = receive(
    createMappingsService({ store, mint, foreign, hiddenAs: () => settings.hiddenAs }),
  );
  const tokens = { route: 'token', clients: store, mint, settings: () => settings, onToken } as const;
  const [api, token, certToken] = await listenAll(
    listen(tls, { address, port }, (request, response, body) =>
      request.url?.startsWith('/_simulator')
        ? handleAdmin(simulator, request, response, body)
        : serveApi(request, response, body),
    ),
    listen(tls, { address, port: tokenPort }, receive(createTokenService({ ...tokens, proof: 'secret' }))),
    listen(
      mutual,
      { address, port: certTokenPort },
      receive(createTokenService({ ...tokens, proof: 'certificate' })),
    ),
  );

  const urlOf = (listener: Listener) => `https://${host}:${listener.port}`;
  const credentials = createCredentials({
    store,
    authority,
    endpoints: () => ({
      baseurl: `${host}:${api.port}`,
      tokenUrl: urlOf(token),
      certTokenUrl: urlOf(certToken),
    }),
  });

  let before = { api: 0, token: 0, certToken: 0 };
  const simulator: HanaCloudSimulator = {
    apiUrl: urlOf(api),
    tokenUrl: urlOf(token),
    certTokenUrl: urlOf(certToken),
    caCertificate: authority.certificate,
    store,
    faults,
    settings,
    credentials: credentials.of,
    secrets: credentials.withSecret,
    rotateCredentials: credentials.rotate,
    requests: journal.requests,
    maxInFlight: journal.maxInFlight,
    violations: () => [...journal.violations(), ...foreign.violations()],
    revokeTokens: store.revokeTokens,
    connections: () => ({
      api: api.connections() - before.api,
      token: token.connections() - before.token,
      certToken: certToken.connections() - before.certToken,
    }),
    openConnections: () =>
      [api, token, certToken].reduce((sum, listener) => sum + listener.openConnections(), 0),
    reset: () => {
      before = {
        api: api.connections(),
        token: token.connections(),
        certToken: certToken.connections(),
      };
      store.clear();
      foreign.clear();
      faults.clear();
      journal.clear();
      Object.assign(settings, initial);
    },
    stop: async () => {
      stopping.abort();
      await Promise.all([api, token, certToken].map((listener) => listener.stop()));
    },
  };
  return simulator;
}

/** All of them, or none. */
async function listenAll<L extends readonly Promise<Listener>[]>(...starting: L) {
  try {
    return await Promise.all(starting);
  } catch (error) {
    for (const result of await Promise.allSettled(starting)) {
      if (result.status === 'fulfilled') await result.value.stop();
    }
    throw error;
  }
}
