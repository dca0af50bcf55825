/**
 * The client of SAP Service Manager.
 *
 * There is one `ServiceManager` for the process: it has the sessions (`internal/framework/http`), the rate limits and the cached
 * catalogs. A `ServiceManagerClient` is created for one reconcile and closed at its end.
 *
 * The contract is `openapi.yaml`. Types are generated from it, and the simulator is validated against it.
 */

import { randomUUID } from 'node:crypto';
import { type LimitKeyOption, ProviderError, type Reserve } from '../../../framework/base/index.ts';
import {
  type ApiCredentials,
  type ApiSession,
  type ApiSessionsOptions,
  type CalledHosts,
  createApiSessions,
  type KnownAccess,
  viewerOf,
} from '../../../framework/http/index.ts';
import { type ApiCalls, bodyOf, createApiCalls } from './calls/api-calls.ts';
import { createBindingsApi } from './calls/bindings-api.ts';
import { createInstancesApi } from './calls/instances-api.ts';
import { createCatalogApi, createCatalogs } from './catalogs.ts';
import { isOfBroker, ServiceManagerError } from './errors.ts';
import { readOperation } from './objects.ts';
import { parseOperationURL } from './operation-url.ts';
import type { ServiceManagerClient } from './service-manager-client.ts';

export interface ServiceManagerOptions extends Omit<ApiSessionsOptions, 'system' | 'apiName' | 'fieldNames'> {
  /** The header `client-version`: the version of this program. */
  readonly clientVersion: string;
  /** How long offerings and plans may be used, in ms. Default 5 minutes. */
  readonly catalogFreshMs?: number;
}

export interface ConnectOptions {
  /** Of the reconcile; calls may throw its NotAdmittedError. Default: no limit. */
  readonly reserve?: Reserve;
  /** The header `X-CorrelationID`. Default: a random one for each client. */
  readonly correlationID?: string;
}

/** What `reconnect` needs to know of an earlier client. Contains no credential. */
export interface KnownClient extends KnownAccess {
  readonly viewer: string;
}

export interface ServiceManager {
  /**
   * Opens no connection yet.
   *
   * @param credentials `sm_url` without trailing slashes, `tokenurl` with `tokenurlsuffix`, and the client
   * @throws EndpointRefusedError if `baseUrl` or `tokenUrl` names a refused address
   */
  connect(credentials: ApiCredentials, options?: ConnectOptions): ServiceManagerClient;
  /** As `ApiSessions.reopen`: a client with credentials that are read only for a new token. */
  reconnect(
    access: KnownClient,
    read: (signal: AbortSignal) => Promise<ApiCredentials>,
    options?: ConnectOptions,
  ): ServiceManagerClient | undefined;
  /**
   * The limit keys of a reconcile with calls to these hosts: the API, or the token endpoint if no token of the credentials
   * is in memory.
   */
  limitKeysOf(hosts: CalledHosts): readonly LimitKeyOption[];
  /** Closes connections and removes tokens and catalogs. */
  close(): Promise<void>;
}

const CATALOG_FRESH_MS = 5 * 60_000;
/** Long enough for the next poll of an operation. */
const KEEP_CONNECTIONS_MS = 30_000;
/** Service brokers may take long to answer a synchronous request. */
const CALL_TIMEOUT_MS = 120_000;

export function createServiceManager(options: ServiceManagerOptions): ServiceManager {
  const { clock, clientVersion, catalogFreshMs: freshMs = CATALOG_FRESH_MS } = options;
  const sessions = createApiSessions({
    callTimeoutMs: CALL_TIMEOUT_MS,
    ...options,
    system: 'service-manager',
    apiName: 'Service Manager',
    fieldNames: { baseUrl: 'sm_url', tokenUrl: 'tokenurl' },
    secretMethod: 'client_secret_post',
    rateLimits: { isFromBehind: isOfBroker },
    keepClientConnectionsMs: KEEP_CONNECTIONS_MS,
  });
  const catalogs = createCatalogs({ clock, freshMs });
  const clientOf = (
    session: ApiSession,
    viewer: string,
    { correlationID = randomUUID() }: ConnectOptions,
  ): ServiceManagerClient => {
    const calls = createApiCalls({ session, clientVersion, correlationID });
    const { credentialsID, hosts } = session;
    const { selectPlan, planByID, forget } = catalogs.of(credentialsID, createCatalogApi(calls));
    const instances = createInstancesApi(calls);
    return {
      credentialsID,
      viewer,
      hosts,
      admit: ({ signal }) => session.admit({ doing: 'call Service Manager', signal }),
      selectPlan,
      planByID,
      ...instances,
      createInstance: (instance, options) =>
        withPlan(instance.servicePlanID, forget, instances.createInstance(instance, options)),
      updateInstance: (id, update, options) =>
        withPlan(update.servicePlanID, forget, instances.updateInstance(id, update, options)),
      ...createBindingsApi(calls),
      ...createOperationsApi(calls),
      checkToken: ({ signal }) => session.checkToken(signal),
      release: () => session.release(),
      close: () => session.close(),
    };
  };
  return {
    connect: (credentials, options = {}) =>
      clientOf(sessions.open(credentials, options.reserve), viewerOf(credentials), options),
    reconnect: ({ viewer, ...access }, read, options = {}) => {
      const session = sessions.reopen(access, read, options.reserve);
      return session && clientOf(session, viewer, options);
    },
    limitKeysOf: (hosts) => sessions.limitKeysOf(hosts),
    close: async () => {
      catalogs.clear();
      await sessions.close();
    },
  };
}

/** A refused change may be due to a plan that does not exist any more. */
async function withPlan<T>(planID: string, forget: (planID: string) => void, change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof ServiceManagerError && ['not-found', 'non-transient'].includes(error.class))
      forget(planID);
    throw error;
  }
}

const paths = {
  service_instances: '/v1/service_instances/{id}/operations/{operationID}',
  service_bindings: '/v1/service_bindings/{id}/operations/{operationID}',
} as const;

export function createOperationsApi(calls: ApiCalls): Pick<ServiceManagerClient, 'getOperation'> {
  return {
    getOperation: async (operationURL, { signal }) => {
      const doing = 'get the operation';
      const path = parseOperationURL(operationURL);
      if (path === undefined)
        throw new ProviderError('transient', `cannot ${doing}: ${quoted(operationURL)} is no operation URL`);
      const { collection, id, operationID } = path;
      const params = { path: { id, operationID } };
      return calls.read(
        {
          doing: `${doing} ${operationURL}`,
          route: `GET ${paths[collection]}`,
          request: (client, request) => client.GET(paths[collection], { ...request, params }),
          statuses: [200],
          parse: (answer) => readOperation(bodyOf(answer), calls.scrub),
        },
        { signal },
      );
    },
  };
}

const quoted = (text: string) => JSON.stringify(text.slice(0, 200));
