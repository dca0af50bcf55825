/**
 * The client of the instance mappings of the HANA Cloud Administration API.
 *
 * There is one `HanaCloud` for the process: it has the sessions (`internal/framework/http`) and shared lists. A `HanaCloudClient` is
 * created from freshly read credentials for one reconcile and closed at its end.
 *
 * The contract is `openapi.yaml`. Types are generated from it, and the simulator is validated against it.
 */

import type { LimitKeyOption, Reserve } from '../../../framework/base/index.ts';
import {
  type ApiSession,
  type ApiSessionsOptions,
  apiOf,
  type CalledHosts,
  createApiSessions,
  viewerOf,
} from '../../../framework/http/index.ts';
import type { AdminCredentials } from './credentials.ts';
import type { HanaCloudClient, KnownCredentials, RememberedAccess } from './hana-cloud-client.ts';
import { createMappingsApi } from './mappings-api.ts';
import { createSharedLists, type SharedLists } from './shared-lists.ts';

export type { CalledHosts } from '../../../framework/http/index.ts';
export type * from './hana-cloud-client.ts';
export interface HanaCloud {
  /**
   * Opens no connection yet.
   *
   * @param reserve of the reconcile; calls may throw its NotAdmittedError. Default: no limit
   * @throws EndpointRefusedError if `baseUrl` or `tokenUrl` names a refused address
   */
  connect(credentials: AdminCredentials, reserve?: Reserve): HanaCloudClient;
  /**
   * A client with a token in memory, for credentials that can no longer be read; undefined if there is no valid token. It
   * requests no new token: calls without a valid one fail (`transient`).
   */
  resume(access: RememberedAccess): HanaCloudClient | undefined;
  /** As `ApiSessions.reopen`: a client with credentials that are read only for a new token. */
  reopen(
    known: KnownCredentials,
    read: (signal: AbortSignal) => Promise<AdminCredentials>,
    reserve?: Reserve,
  ): HanaCloudClient | undefined;
  /**
   * The limit keys of a reconcile with calls to these hosts: the API, or the token endpoint if no token of the credentials
   * is in memory.
   */
  limitKeysOf(hosts: CalledHosts): readonly LimitKeyOption[];
  /** Closes shared connections and removes all tokens. */
  close(): Promise<void>;
}

export function createHanaCloud(options: HanaCloudOptions): HanaCloud {
  const sessions = createApiSessions({
    ...options,
    system: 'hana-cloud',
    apiName: 'HANA Cloud',
    fieldNames: { baseUrl: 'baseurl', tokenUrl: 'uaa.url' },
  });
  const lists = createSharedLists({ clock: options.clock, freshMs: options.listFreshMs ?? 5000 });
  return {
    connect: (credentials, reserve) =>
      createClient(sessions.open(credentials, reserve), viewerOf(credentials), lists),
    resume: (access) => {
      const session = sessions.resume(access);
      return session && createClient(session, access.viewer, lists);
    },
    reopen: ({ viewer, ...access }, read, reserve) => {
      const session = sessions.reopen(access, read, reserve);
      return session && createClient(session, viewer, lists);
    },
    limitKeysOf: (hosts) => sessions.limitKeysOf(hosts),
    close: async () => {
      lists.clear();
      await sessions.close();
    },
  };
}

function createClient(session: ApiSession, viewer: string, lists: SharedLists): HanaCloudClient {
  const { credentialsID, hosts, isResumable } = session;
  const { baseUrl } = hosts;
  const api = createMappingsApi(session);
  return {
    credentialsID,
    viewer,
    api: apiOf(baseUrl),
    hosts,
    ...(isResumable ? { access: { credentialsID, viewer, baseUrl } } : {}),
    listMappings: (serviceInstanceID, { signal, isEnough }) => {
      const fetch = (signal: AbortSignal) => api.listMappings(serviceInstanceID, { signal });
      const admit = () => api.admit('list the mappings', serviceInstanceID, signal);
      return lists.list({ credentialsID, serviceInstanceID }, fetch, signal, isEnough, admit);
    },
    createMapping: async (serviceInstanceID, mapping, options) => {
      await api.admit('create a mapping', serviceInstanceID, options.signal);
      return lists.write(serviceInstanceID, () => api.createMapping(serviceInstanceID, mapping, options));
    },
    deleteMapping: async (serviceInstanceID, key, options) => {
      await api.admit('delete a mapping', serviceInstanceID, options.signal);
      return lists.write(serviceInstanceID, () => api.deleteMapping(serviceInstanceID, key, options));
    },
    checkToken: ({ signal }) => session.checkToken(signal),
    close: () => session.close(),
  };
}

export interface HanaCloudOptions extends Omit<ApiSessionsOptions, 'system' | 'apiName' | 'fieldNames'> {
  /** How long calls may use a list of an earlier call, in ms. Default 5000. */
  readonly listFreshMs?: number;
}
