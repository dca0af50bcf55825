/**
 * SAP Service Manager for tests, and for people who try the operator without an account of SAP BTP: the API with its state and an
 * OAuth2 token endpoint, over real TLS on loopback. It refuses and records everything outside of the contract
 * (internal/systems/btp/service-manager/openapi.yaml), and checks its own responses against it as well. Only a configured fault
 * breaks it.
 *
 * Assertions use its own store and the requests that it received, never the output of the tested program.
 */
import { createAuthority } from '../../../hack/control-planes/access/authority.ts';
import { createFaults } from '../base/faults/faults.ts';
import { listen } from '../base/http/listener.ts';
import { createReceiver } from '../base/http/receiver.ts';
import { createJournal } from '../base/journal.ts';
import { createTokenService } from '../base/oauth/token-service.ts';
import { createTokenMint } from '../base/oauth/tokens.ts';
import { handleAdmin } from './admin.ts';
import { errors } from './answers.ts';
import { contract, type Route } from './contract.ts';
import { createCredentials } from './credentials.ts';
import { type ServiceBroker, sampleBroker } from './service/broker.ts';
import { createForeignCopies } from './service/foreign-copies.ts';
import { createServiceManagerService } from './service/service-manager-service.ts';
import type { ServiceManagerSimulator, Settings } from './service-manager-simulator.ts';
import { type Catalog, defaultCatalog } from './state/catalog.ts';
import { createModes, type ModeRule } from './state/modes.ts';
import { createStore } from './state/store.ts';

export type { FaultRule, ServiceManagerSimulator } from './service-manager-simulator.ts';

export interface SimulatorOptions extends Partial<Settings> {
  /** Default: `defaultCatalog`. */
  readonly catalog?: Catalog;
  /** Default: `defaultModes`. */
  readonly modes?: readonly ModeRule[];
  /** Default: `sampleBroker`. */
  readonly broker?: ServiceBroker;
  /** Default: any free port. */
  readonly port?: number;
  /**
   * Address to listen on; default 127.0.0.1. The admin API has no authentication: other addresses only where every client
   * may control it.
   */
  readonly listen?: string;
  /** The host in its URL and its certificate; default 127.0.0.1. */
  readonly host?: string;
  /** Names in the certificate beside localhost, 127.0.0.1, ::1 and `host`. */
  readonly hostnames?: readonly string[];
  /** Called for every granted token; the simulator keeps none. */
  readonly onToken?: (token: string) => void;
  /** Whether copies of another cluster stand beside each resource that a client creates. Default false. */
  readonly foreignCopies?: boolean;
}

const LOOPBACK = '127.0.0.1';

const defaults: Settings = {
  latencyMs: 0,
  tokenLifetimeSeconds: 3600,
  tokenFormat: 'jwt',
  omitTokenExpiry: false,
  pageSize: 50,
  rateLimit: null,
};

/** Not the authorization, which has a token. */
const RECORDED_HEADERS = [
  'content-type',
  'client-name',
  'client-version',
  'x-correlationid',
  'x-originating-identity',
];

export async function startServiceManagerSimulator(
  options: SimulatorOptions = {},
): Promise<ServiceManagerSimulator> {
  const { catalog = defaultCatalog, modes: initialModes, broker = sampleBroker, ...others } = options;
  const { port = 0, hostnames = [], ...rest } = others;
  const { onToken, listen: address = LOOPBACK, host = LOOPBACK, foreignCopies = false, ...given } = rest;
  const initial: Settings = { ...defaults, ...given };
  const settings = { ...initial };
  const authority = await createAuthority('Service Manager simulator');
  const server = await authority.issueServer(['localhost', LOOPBACK, '::1', host, ...hostnames]);
  const store = createStore(catalog);
  const modes = createModes(initialModes);
  const faults = createFaults<Route>();
  const journal = createJournal<Route>();
  const mint = createTokenMint();
  const foreign = createForeignCopies(foreignCopies);
  const stopping = new AbortController();

  const receive = createReceiver({
    contract,
    journal,
    faults,
    errors,
    idParameter: 'id',
    // The body of a grant has the secret.
    recorded: { body: (route) => route !== 'grantToken', headers: RECORDED_HEADERS },
    latencyMs: () => settings.latencyMs,
    signal: stopping.signal,
  });
  const serveApi = receive(
    createServiceManagerService({
      store,
      modes,
      broker,
      foreign,
      mint,
      pageSize: () => settings.pageSize,
      rateLimit: () => settings.rateLimit,
    }),
  );
  const serveTokens = receive(
    createTokenService({
      route: 'grantToken',
      clients: store,
      mint,
      settings: () => settings,
      proof: 'either',
      onToken,
    }),
  );
  const tls = {
    key: server.key,
    cert: server.certificate,
    requestCert: true,
    rejectUnauthorized: false,
    ca: authority.certificate,
  };
  const listener = await listen(tls, { address, port }, (request, response, body) => {
    if (request.url?.startsWith('/_simulator')) return handleAdmin(simulator, request, response, body);
    const serve = request.url === '/oauth/token' ? serveTokens : serveApi;
    return serve(request, response, body);
  });
  const url = `https://${host}:${listener.port}`;
  const credentials = createCredentials({ store, authority, url: () => url });

  const simulator: ServiceManagerSimulator = {
    url,
    caCertificate: authority.certificate,
    store,
    modes,
    faults,
    settings,
    credentials: (subaccount = 'subaccount-1') => credentials.of(subaccount),
    rotateCredentials: credentials.rotate,
    requests: journal.requests,
    maxInFlight: journal.maxInFlight,
    connections: listener.connections,
    violations: () => [...journal.violations(), ...foreign.violations()],
    revokeTokens: store.revokeTokens,
    reset: () => {
      store.clear();
      foreign.clear();
      modes.clear();
      faults.clear();
      journal.clear();
      Object.assign(settings, initial);
    },
    stop: async () => {
      stopping.abort();
      await listener.stop();
    },
  };
  return simulator;
}
