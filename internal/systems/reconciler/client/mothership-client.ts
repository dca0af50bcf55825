/**
 * The client of a mothership's API, for commands and controllers. Types are those of `apis/reconciler`.
 *
 * Calls throw the errors of `internal/framework/http`: `auth` (401, 403), `not-found` (404 of the API), `transient` for the others.
 */
import type { Middleware } from 'openapi-fetch';
import type { components, paths } from '../../../../apis/reconciler/external.openapi.gen.ts';
import {
  createScrubber,
  type Deps,
  type Fence,
  isObject,
  noFence,
  valueAt,
} from '../../../framework/base/index.ts';
import { createApiClient, errorResponses } from '../../../framework/http/client/api-client.ts';
import { createHttpClient } from '../../../framework/http/client/http-client.ts';
import {
  type ApiClient,
  contractError,
  type ErrorOf,
  errorOfResponse,
  fenced,
} from '../../../framework/http/index.ts';
import { secretsOf } from '../../../framework/http/oauth/api-credentials.ts';
import { openConnections, readOnlyConnections } from '../../../framework/http/transport/connections.ts';
import { isErrorOfMothership } from '../operations/error-form.ts';
import { type OAuthAccess, oauthTokens } from './oauth-tokens.ts';

type Schemas = components['schemas'];
export type ClusterDocument = Schemas['Cluster'];
export type ClusterResponse = Schemas['ClusterResponse'];
export type ClusterState = Schemas['ClusterState'];
export type ClusterSummary = Schemas['ClusterSummary'];
export type ClusterStatus = Schemas['Status'];
export type ClusterGroup = Schemas['ClusterGroup'];
export type StatusChange = Schemas['StatusChange'];
export type Reconciliation = Schemas['Reconciliation'];
type ReconciliationInfo = Schemas['ReconciliationInfo'];
export type Operation = Schemas['Operation'];
export type Rollout = Schemas['Rollout'];

export interface MothershipClientOptions extends Omit<Deps, 'log'> {
  /** `scheme://host:port`. */
  readonly url: string;
  /** A bearer token, read for each request since it may be renewed; undefined: requests have none. Default: none. */
  readonly token?: () => Promise<string | undefined>;
  /** Tokens of an OAuth client, in place of `token`. */
  readonly oauth?: OAuthAccess;
  /** PEM certificates to trust in addition to Node's. */
  readonly trustedCertificates?: readonly string[];
  readonly allowPrivateEndpoints: boolean;
  /** Of one response, in bytes. Default 32 MiB, for lists that commands print. */
  readonly maxResponseBytes?: number;
  /** Requests that write are refused before they are sent. Default false. */
  readonly readOnly?: boolean;
  /** The environment with HTTPS_PROXY and NO_PROXY. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Conditions that all hold. */
interface ClusterFilter {
  readonly statuses?: readonly ClusterStatus[] | undefined;
  readonly kymaVersions?: readonly string[] | undefined;
  /** The runtimeID begins with it. */
  readonly prefix?: string | undefined;
  /** The runtimeID or the name is this text. */
  readonly cluster?: string | undefined;
  /** The runtimeID, name, Shoot or global account contains it. */
  readonly search?: string | undefined;
  readonly group?: ClusterGroup | undefined;
}

interface ReconciliationFilter {
  readonly runtimeIDs?: readonly string[] | undefined;
  readonly statuses?: readonly ClusterStatus[] | undefined;
  /** RFC 3339. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** The newest ones. */
  readonly last: number;
}

interface MothershipWriteOptions {
  readonly signal: AbortSignal;
  /** Called directly before the request is sent, also when it is repeated with a new token. Default: it is always sent. */
  readonly fence?: Fence;
}

export interface MothershipClient {
  /** All that match, at most `limit`. */
  listClusters(filter: ClusterFilter, limit: number, signal: AbortSignal): Promise<ClusterSummary[]>;
  clusterState(runtimeID: string, signal: AbortSignal): Promise<ClusterState>;
  /** With the failures of its run. */
  clusterStatus(runtimeID: string, signal: AbortSignal): Promise<ClusterResponse>;
  /** Newest first. @param since a duration as Go writes it */
  statusChanges(runtimeID: string, since: string, signal: AbortSignal): Promise<StatusChange[]>;
  /** Registers the cluster, or changes it. */
  putCluster(document: ClusterDocument, options: MothershipWriteOptions): Promise<ClusterResponse>;
  setStatus(runtimeID: string, status: ClusterStatus, signal: AbortSignal): Promise<ClusterResponse>;
  /** Begins the deletion. */
  deleteCluster(runtimeID: string, options: MothershipWriteOptions): Promise<ClusterResponse>;
  listReconciliations(filter: ReconciliationFilter, signal: AbortSignal): Promise<Reconciliation[]>;
  reconciliation(schedulingID: string, signal: AbortSignal): Promise<ReconciliationInfo>;
  /** Deletes all reconciliations of a cluster, also one that runs: the cluster is pending again then. */
  deleteReconciliations(runtimeID: string, signal: AbortSignal): Promise<void>;
  /** @param correlationID undefined: all operations that were not sent */
  debug(schedulingID: string, correlationID: string | undefined, signal: AbortSignal): Promise<void>;
  stopOperation(
    operation: { readonly schedulingID: string; readonly correlationID: string; readonly reason: string },
    signal: AbortSignal,
  ): Promise<void>;
  /** Paused ones first. */
  listRollouts(signal: AbortSignal): Promise<Rollout[]>;
  resumeRollout(id: string, signal: AbortSignal): Promise<Rollout>;
  close(): Promise<void>;
}

const CALL_TIMEOUT_MS = 60_000;
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
/** Clusters of one request. */
const PAGE = 1000;

export function createMothershipClient(options: MothershipClientOptions): MothershipClient {
  const opened = openConnections({
    trustedCertificates: [],
    ...options,
    perOrigin: 4,
    connectTimeoutMs: 10_000,
    keepAliveMs: 30_000,
  });
  // Without an OAuth client nothing is posted: the API has no path of that URL.
  const tokenUrl = options.oauth?.credentials.tokenUrl ?? options.url;
  const connections = options.readOnly ? readOnlyConnections(opened, tokenUrl) : opened;
  const http = createHttpClient({
    ...options,
    system: 'mothership',
    slots: { acquire: async () => () => undefined },
    callTimeoutMs: CALL_TIMEOUT_MS,
    maxResponseBytes: options.maxResponseBytes ?? MAX_RESPONSE_BYTES,
  });
  const api = createApiClient<paths>({
    // Paths begin with a slash.
    baseUrl: options.url.replace(/[/]$/, ''),
    http,
    dispatcherFor: (url) => connections.dispatcherFor(url),
    // Sixteen bytes of JSON have a value or more; what is parsed takes some times its text.
    jsonLimits: { maxValues: (options.maxResponseBytes ?? MAX_RESPONSE_BYTES) / 16 },
  });
  const { token, oauth } = options;
  const secrets = createMaskedSecrets(oauth);
  // After a response, middleware runs in reverse order: a 401 is repeated with a new token before it is an error.
  api.use(
    errorResponses({ ...options, scrub: secrets.scrub, errorOf: errorOfMothership }),
    oauth === undefined
      ? withToken(token, secrets.mask)
      : oauthTokens({ ...options, ...oauth, http, connections, mask: secrets.mask }),
  );
  return {
    ...clusterCalls(api),
    ...reconciliationCalls(api),
    ...rolloutCalls(api),
    close: () => connections.close(),
  };
}

/** `not-found` only for a 404 in the form of a mothership. */
export const errorOfMothership: ErrorOf = (response, context) =>
  errorOfResponse(response, { ...context, isNotFound: (_, body) => isErrorOfMothership(body) });

const withToken = (read: MothershipClientOptions['token'], mask: (secret: string) => void): Middleware => ({
  onRequest: async ({ request }) => {
    const token = await read?.();
    if (token === undefined) return;
    mask(token);
    request.headers.set('authorization', `Bearer ${token}`);
  },
});

/** What a mothership may quote, as long as the client is used: the secret of its OAuth client, and its last tokens. */
function createMaskedSecrets(oauth: OAuthAccess | undefined) {
  const secrets = oauth === undefined ? [] : secretsOf(oauth.credentials);
  let tokens: readonly string[] = [];
  return {
    mask: (token: string) => {
      if (!tokens.includes(token)) tokens = [token, ...tokens].slice(0, MASKED_TOKENS);
    },
    scrub: (text: string) => createScrubber([...secrets, ...tokens])(text),
  };
}

/** A token is renewed while requests with the one before are in flight. */
const MASKED_TOKENS = 2;

function clusterCalls(api: ApiClient<paths>) {
  return {
    listClusters: async (
      { statuses = [], kymaVersions = [], ...texts }: ClusterFilter,
      limit: number,
      signal: AbortSignal,
    ) => {
      const found: ClusterSummary[] = [];
      let next: string | undefined;
      do {
        const query = {
          status: [...statuses],
          kymaVersion: [...kymaVersions],
          limit: Math.min(PAGE, limit - found.length),
          ...definedIn(texts),
          ...(next === undefined ? {} : { continue: next }),
        };
        const page = received(
          await api.GET('/v1/clusters', { params: { query }, signal }),
          'GET /v1/clusters',
        );
        found.push(...page.clusters);
        next = page.continue;
      } while (next !== undefined && found.length < limit);
      return found;
    },
    clusterState: async (runtimeID: string, signal: AbortSignal) =>
      received(
        await api.GET('/v1/clusters/state', { params: { query: { runtimeID } }, signal }),
        'GET /v1/clusters/state',
        assertClusterState,
      ),
    clusterStatus: async (runtimeID: string, signal: AbortSignal) =>
      received(
        await api.GET('/v1/clusters/{runtimeID}/status', { params: { path: { runtimeID } }, signal }),
        'GET /v1/clusters/{runtimeID}/status',
        assertClusterResponse,
      ),
    statusChanges: async (runtimeID: string, since: string, signal: AbortSignal) => {
      const params = { path: { runtimeID }, query: { offset: since } };
      const route = '/v1/clusters/{runtimeID}/statusChanges';
      return received(await api.GET(route, { params, signal }), `GET ${route}`).statusChanges;
    },
    putCluster: async (document: ClusterDocument, { signal, fence = noFence }: MothershipWriteOptions) =>
      received(
        await api.PUT('/v1/clusters', { body: document, signal, middleware: [fenced(fence)] }),
        'PUT /v1/clusters',
        assertClusterResponse,
      ),
    setStatus: async (runtimeID: string, status: ClusterStatus, signal: AbortSignal) =>
      received(
        await api.PUT('/v1/clusters/{runtimeID}/status', {
          params: { path: { runtimeID } },
          body: { status },
          signal,
        }),
        'PUT /v1/clusters/{runtimeID}/status',
      ),
    deleteCluster: async (runtimeID: string, { signal, fence = noFence }: MothershipWriteOptions) =>
      received(
        await api.DELETE('/v1/clusters/{runtimeID}', {
          params: { path: { runtimeID } },
          signal,
          middleware: [fenced(fence)],
        }),
        'DELETE /v1/clusters/{runtimeID}',
        assertClusterResponse,
      ),
  };
}

function reconciliationCalls(api: ApiClient<paths>) {
  return {
    listReconciliations: async (filter: ReconciliationFilter, signal: AbortSignal) => {
      const { runtimeIDs = [], statuses = [], before, after, last } = filter;
      const query = {
        runtimeID: [...runtimeIDs],
        status: [...statuses],
        last: String(last),
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
      };
      return received(
        await api.GET('/v1/reconciliations', { params: { query }, signal }),
        'GET /v1/reconciliations',
      );
    },
    reconciliation: async (schedulingID: string, signal: AbortSignal) =>
      received(
        await api.GET('/v1/reconciliations/{schedulingID}/info', {
          params: { path: { schedulingID } },
          signal,
        }),
        'GET /v1/reconciliations/{schedulingID}/info',
      ),
    deleteReconciliations: async (runtimeID: string, signal: AbortSignal) => {
      const params = { path: { runtimeID } };
      await api.DELETE('/v1/reconciliations/cluster/{runtimeID}', { params, signal });
    },
    debug: async (schedulingID: string, correlationID: string | undefined, signal: AbortSignal) => {
      if (correlationID === undefined) {
        await api.PUT('/v1/reconciliations/{schedulingID}/debug', {
          params: { path: { schedulingID } },
          signal,
        });
        return;
      }
      await api.PUT('/v1/operations/{schedulingID}/{correlationID}/debug', {
        params: { path: { schedulingID, correlationID } },
        signal,
      });
    },
    stopOperation: async (
      {
        reason,
        ...path
      }: { readonly schedulingID: string; readonly correlationID: string; readonly reason: string },
      signal: AbortSignal,
    ) => {
      await api.POST('/v1/operations/{schedulingID}/{correlationID}/stop', {
        params: { path },
        body: { reason },
        signal,
      });
    },
  };
}

function rolloutCalls(api: ApiClient<paths>) {
  return {
    listRollouts: async (signal: AbortSignal) =>
      received(await api.GET('/v1/rollouts', { signal }), 'GET /v1/rollouts'),
    resumeRollout: async (id: string, signal: AbortSignal) =>
      received(
        await api.POST('/v1/rollouts/{id}/resume', { params: { path: { id } }, signal }),
        'POST /v1/rollouts/{id}/resume',
      ),
  };
}

/** Without members that are undefined. */
const definedIn = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;

/** The body of a successful response. Errors were thrown by middleware. @param assert throws for a body of another form */
function received<T>(
  { data }: { readonly data?: T | undefined },
  route: string,
  assert?: (body: unknown, route: string) => void,
): T {
  if (typeof data !== 'object' || data === null) throw contractError(route, 'there is no JSON object');
  assert?.(data, route);
  return data;
}

/*
 * What a KymaCluster reads of a mothership, whose address its author may choose: answers have the types of the API's document, or are
 * errors. Commands show answers, and take more.
 */

type Kind = 'text' | 'reason' | 'number' | 'texts' | 'objects';

/** Of names, versions and URLs, which conditions, the status and the connection Secret show. A reason is cut where it is shown. */
const MAX_TEXT = 4096;

/** Fields by path, of one answer. */
type Shape = Readonly<Record<string, Kind>>;

const STATE: Shape = {
  'cluster.version': 'number',
  'cluster.runtime.name': 'text',
  'configuration.version': 'number',
  'configuration.kymaVersion': 'text',
  'configuration.kymaProfile': 'text',
  'configuration.components': 'objects',
  'configuration.administrators': 'texts',
  'status.status': 'text',
};

const RESPONSE: Shape = {
  cluster: 'text',
  clusterVersion: 'number',
  configurationVersion: 'number',
  status: 'text',
  statusURL: 'text',
  failures: 'objects',
};

const FAILURE: Shape = { component: 'text', reason: 'reason' };

/** @throws ProviderError with the field, if a field that is used has another type */
function assertClusterState(answer: unknown, route: string): void {
  assertShape(answer, STATE, route);
}

/** @throws ProviderError with the field, if a field that is used has another type */
function assertClusterResponse(answer: unknown, route: string): void {
  assertShape(answer, RESPONSE, route);
  const failures = valueAt(answer, ['failures']);
  if (!Array.isArray(failures)) return;
  for (const failure of failures) assertShape(failure, FAILURE, route, 'failures[].');
}

function assertShape(answer: unknown, shape: Shape, route: string, prefix = ''): void {
  for (const [path, kind] of Object.entries(shape)) {
    if (isOf(kind, valueAt(answer, path.split('.')))) continue;
    throw contractError(route, `${prefix}${path} is not ${names[kind]}`);
  }
}

const names: Readonly<Record<Kind, string>> = {
  text: `a text of at most ${MAX_TEXT} characters`,
  reason: 'a text',
  number: 'a number',
  texts: 'a list of texts',
  objects: 'a list of objects',
};

function isOf(kind: Kind, value: unknown): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string' && value.length <= MAX_TEXT;
    case 'reason':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'texts':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'objects':
      return Array.isArray(value) && value.every(isObject);
    default:
      return kind satisfies never;
  }
}
