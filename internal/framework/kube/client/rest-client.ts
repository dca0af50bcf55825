/**
 * The KubeClient over HTTP: plain JSON, one shared set of connections, no discovery. It does not use the model classes of
 * client-node, which drop unknown fields.
 */

import type { ByteBudget } from '../../base/collections/byte-budget.ts';
import { createTokenBucket, type TokenBucket } from '../../base/concurrency/token-bucket.ts';
import { createDeps, type DepsWith } from '../../base/deps.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import { JsonLimitError, parseBoundedJson } from '../../base/json/json-text.ts';
import { stringAt, valueAt } from '../../base/json/json-value.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { sentence } from '../errors/errors.ts';
import { hasObjectMeta, type KubeObject, keyOf, keyString, type ObjectKey } from '../object/object.ts';
import {
  apiVersionOf,
  groupResource,
  leases,
  type ResourceType,
  typeSetter,
} from '../object/resource-type.ts';
import { createTransport, type Transport } from '../transport/transport.ts';
import {
  type CallOptions,
  type GroupVersion,
  type KubeClient,
  type ListOptions,
  MANAGEMENT_CLUSTER,
  type Page,
  type PartialObject,
  type ServedResource,
  type WriteOptions,
} from './client.ts';
import { CLUSTER_LIMITS, type ClusterLimits } from './cluster-limits.ts';
import {
  type ApiCall,
  createRequestSender,
  type RequestSender,
  type RequestTarget,
} from './request-sender.ts';
import {
  collectionName,
  collectionPath,
  groupVersionPath,
  objectPath,
  pathFor,
  queryString,
} from './resource-path.ts';
import { type ParseJson, takeRequest, watchObjects } from './watch-stream.ts';

export interface RestClient extends KubeClient {
  /** Closes all connections; calls in flight fail. */
  close(): Promise<void>;
}

/** Limits have the defaults of a trusted server. `connections` is not used if `transport` is given. */
export interface RestClientOptions extends DepsWith<'clock'>, Partial<Omit<ClusterLimits, 'maxNameBytes'>> {
  readonly config: ClusterConfig;
  /** How messages name the cluster; default `cluster <host>`. */
  readonly clusterName?: string;
  /** Label `cluster` of metrics; default: the management cluster's. */
  readonly cluster?: string;
  /** Label `host` of metrics; default: the server's host and port. */
  readonly metricsHost?: string;
  /** Default: connections to the config's server, with the proxies of `process.env`. */
  readonly transport?: Transport;
  /** What its watches receive, and their requests, also count towards this rate, in bytes; default: none. */
  readonly sharedWatchRate?: TokenBucket | undefined;
  /** What it has received and not read yet, that it shares with other clients; default: no limit but those of each. */
  readonly memory?: ByteBudget | undefined;
  /** For one call with all retries, in ms; default `CALL_TIMEOUT_MS`. For watches: until the headers arrive. */
  readonly callTimeoutMs?: number;
  /** Name of the program in requests, and as the manager of the fields that it writes. Default: `provider-kyma`. */
  readonly userAgent?: string;
}

const json = 'application/json';
const partialObject = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const partialObjectList = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/** Default of `callTimeoutMs`. */
export const CALL_TIMEOUT_MS = 30_000;
/** Objects per page when the caller gives none. */
const PAGE_SIZE = 500;

export function createKubeClient(options: RestClientOptions): RestClient {
  const limits = { ...CLUSTER_LIMITS.trusted, ...options };
  const { config, connections, maxResponseBytes, maxWatchLineBytes, watchRate, jsonLimits } = limits;
  const transport = options.transport ?? createTransport({ ...limits, config, connections });
  const clusterName = options.clusterName ?? `cluster ${transport.host}`;
  const timeoutMs = options.callTimeoutMs ?? CALL_TIMEOUT_MS;
  const sender = createRequestSender({
    ...createDeps(options),
    config,
    transport,
    clusterName,
    metricsLabels: {
      cluster: options.cluster ?? MANAGEMENT_CLUSTER,
      host: options.metricsHost ?? transport.host,
    },
    timeoutMs,
    maxResponseBytes,
    userAgent: options.userAgent,
  });
  const parseJson: ParseJson =
    jsonLimits === undefined
      ? JSON.parse
      : (text) => parseBoundedJson(text, { ...jsonLimits, maxLength: text.length });
  const requester = { sender, parseJson };
  const { clock } = options;
  const own =
    watchRate &&
    createTokenBucket({ clock, ratePerSecond: watchRate.bytesPerSecond, burst: watchRate.burstBytes });
  const rates = [own, options.sharedWatchRate].filter((rate) => rate !== undefined);
  const watch = { sender, parseJson, maxLineBytes: maxWatchLineBytes, memory: options.memory, rates, clock };
  return {
    clusterName,
    now: sender.serverTime.now,
    get: (type, key, call) => sendFor(requester, object('get', type, key), { ...call, method: 'GET' }),
    getMetadata: async (type, key, call) => {
      const sending = { ...call, method: 'GET', accept: partialObject } as const;
      await takeRequest(watch, call?.signal);
      return typeSetter(type)(await sendFor<PartialObject>(requester, object('get', type, key), sending));
    },
    list: (type, page) => list(requester, type, page ?? {}, json),
    listMetadata: (type, page) => list(requester, type, page ?? {}, partialObjectList),
    watch: (type, call) => watchObjects(watch, type, { ...call, accept: json }),
    watchMetadata: (type, call) => watchObjects(watch, type, { ...call, accept: partialObject }),
    create: (type, body, write) =>
      sendFor(requester, newObject(type, body), { ...write, method: 'POST', body }),
    createSubresource: (type, key, subresource, body, call) =>
      send(requester, object(`create ${subresource} of`, type, key, subresource), {
        ...call,
        method: 'POST',
        body,
      }),
    update: (type, body, write) =>
      sendFor(requester, object('update', type, keyOf(body)), { ...write, method: 'PUT', body }),
    updateStatus: (type, body, write) =>
      sendFor(requester, object('update the status of', type, keyOf(body), 'status'), {
        ...write,
        method: 'PUT',
        body,
      }),
    mergePatch: (type, key, body, { subresource, ...write } = {}) =>
      sendFor(requester, object('patch', type, key, subresource), { ...write, ...mergePatch, body }),
    jsonPatch: (type, key, body, write) =>
      sendFor(requester, object('patch', type, key), { ...write, ...jsonPatch, body }),
    // May create the object: a 404 is then of its namespace.
    apply: (type, body, { fieldManager, force = false, subresource, ...write }) =>
      sendFor(
        requester,
        { ...object('apply', type, keyOf(body), subresource), target: undefined },
        {
          ...write,
          ...applyPatch,
          query: { fieldManager, force },
          body,
        },
      ),
    delete: async (type, key, { signal, propagationPolicy, preconditions } = {}) => {
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy, preconditions };
      await send(requester, object('delete', type, key), {
        method: 'DELETE',
        body,
        ...(signal ? { signal } : {}),
      });
    },
    discover: (type, call) => discover(requester, type, call),
    close: () => transport.close(),
  };
}

/** Verb and object for messages, and the path. */
interface Subject {
  readonly verb: string;
  readonly object: string;
  readonly path: () => string;
  readonly target?: RequestTarget | undefined;
  readonly isUrgent?: boolean;
  /** Of the object that the server returns; with an empty name: any, or none. */
  readonly key?: ObjectKey;
}

/** A leader that cannot renew its Lease in time ends: behind calls that an overloaded server holds, it would. */
const isUrgent = (type: ResourceType): boolean => groupResource(type) === groupResource(leases);

function object(verb: string, type: ResourceType, key: ObjectKey, subresource?: string): Subject {
  const { plural, kind } = type;
  return {
    verb,
    object: `${kind} ${keyString(key)}`,
    path: () => objectPath(type, key, subresource),
    target: { plural, kind, name: key.name },
    isUrgent: isUrgent(type),
    key: servedKey(type, key),
  };
}

/** Of a cluster-scoped kind the server drops the namespace. */
const servedKey = ({ namespaced }: ResourceType, { name, namespace }: ObjectKey): ObjectKey =>
  namespaced && namespace !== undefined ? { name, namespace } : { name };

/** The object may have `generateName` instead of a name. */
function newObject(type: ResourceType, body: KubeObject): Subject {
  const { name, namespace, generateName = '' } = body.metadata;
  const named = keyString({ ...keyOf(body), name: name || generateName });
  const path = () => {
    if (type.namespaced && namespace === undefined) throw new RangeError(`${type.kind} needs a namespace`);
    return collectionPath(type, namespace);
  };
  const key = servedKey(type, keyOf(body));
  return { verb: 'create', object: `${type.kind} ${named}`.trim(), path, isUrgent: isUrgent(type), key };
}

interface Requester {
  readonly sender: RequestSender;
  readonly parseJson: ParseJson;
}

interface Sending extends WriteOptions {
  readonly method: ApiCall['method'];
  readonly accept?: string;
  readonly contentType?: string;
  readonly query?: Readonly<Record<string, string | boolean>>;
  readonly body?: unknown;
}

const mergePatch = { method: 'PATCH', contentType: 'application/merge-patch+json' } as const;
const jsonPatch = { method: 'PATCH', contentType: 'application/json-patch+json' } as const;
const applyPatch = { method: 'PATCH', contentType: 'application/apply-patch+yaml' } as const;

async function send<T>(requester: Requester, subject: Subject, sending: Sending): Promise<T> {
  const { sender } = requester;
  const { fieldValidation } = sending;
  const query = queryString({
    ...sending.query,
    dryRun: sending.dryRun ? 'All' : undefined,
    fieldValidation,
  });
  const text = await sender.call({
    verb: subject.verb,
    object: subject.object,
    method: sending.method,
    path: pathFor(sender.attempt(subject), subject.path) + query,
    target: subject.target,
    isUrgent: subject.isUrgent,
    accept: sending.accept ?? json,
    ...(sending.body === undefined
      ? {}
      : { body: JSON.stringify(sending.body), contentType: sending.contentType ?? json }),
    signal: sending.signal,
  });
  return parse(requester, subject, text);
}

/** Returns the object that was asked for: the server may be anything, and what it sends is used as an object from here on. */
async function sendFor<T extends KubeObject>(
  requester: Requester,
  subject: Subject,
  sending: Sending,
): Promise<T> {
  const value = await send<object>(requester, subject, sending);
  // A review is sent without a name, and is not stored; one who sends `generateName` gets a name.
  const { name = '', namespace } = subject.key ?? {};
  if (hasObjectMeta(value, name !== '')) {
    const { metadata } = value;
    const isNamed = name === '' || metadata.name === name;
    if (isNamed && (namespace ?? metadata.namespace) === metadata.namespace) return value as T;
  }
  throw new ProviderError(
    'transient',
    `${sentence(requester.sender.attempt(subject))}: the response is not this object`,
  );
}

async function list<T extends KubeObject>(
  requester: Requester,
  type: ResourceType<T>,
  options: ListOptions,
  accept: string,
): Promise<Page<T>> {
  const { sender } = requester;
  const {
    limit = PAGE_SIZE,
    resourceVersion,
    labelSelector,
    fieldSelector,
    namespace,
    signal,
    maxBytes,
  } = options;
  const call = { verb: 'list', object: collectionName(type, namespace) };
  const query = { limit, continue: options.continue, resourceVersion, labelSelector, fieldSelector };
  const path = pathFor(sender.attempt(call), () => collectionPath(type, namespace)) + queryString(query);
  const text = await sender.call({ ...call, method: 'GET', path, accept, signal, maxBytes });
  const page = parse<object>(requester, call, text);
  const items = valueAt(page, ['items']) ?? [];
  if (!Array.isArray(items) || !items.every((item) => hasObjectMeta(item))) {
    throw new ProviderError(
      'transient',
      `${sentence(sender.attempt(call))}: the response is not a list of objects`,
    );
  }
  const version = stringAt(page, ['metadata', 'resourceVersion']);
  const next = stringAt(page, ['metadata', 'continue']);
  return {
    items: (items as T[]).map(typeSetter(type)),
    resourceVersion: version.state === 'ok' ? version.value : '',
    ...(next.state === 'ok' && next.value !== '' ? { continue: next.value } : {}),
  };
}

async function discover(
  requester: Requester,
  version: GroupVersion,
  options: CallOptions = {},
): Promise<readonly ServedResource[]> {
  const subject = { verb: 'discover', object: apiVersionOf(version), path: () => groupVersionPath(version) };
  const resources = valueAt(await send<object>(requester, subject, { ...options, method: 'GET' }), [
    'resources',
  ]);
  const served = Array.isArray(resources) ? resources.map(servedResource) : [undefined];
  if (served.every((each) => each !== undefined)) return served;
  throw new ProviderError(
    'transient',
    `${sentence(requester.sender.attempt(subject))}: the response is not a list of resources`,
  );
}

function servedResource(item: unknown): ServedResource | undefined {
  const [name, kind, namespaced] = ['name', 'kind', 'namespaced'].map((member) => valueAt(item, [member]));
  if (typeof name !== 'string') return undefined;
  return { name, kind: typeof kind === 'string' ? kind : '', namespaced: namespaced === true };
}

function parse<T>({ sender, parseJson }: Requester, call: Pick<ApiCall, 'verb' | 'object'>, text: string): T {
  let why = 'the response is not a JSON object';
  try {
    const value: unknown = parseJson(text);
    if (typeof value === 'object' && value !== null) return value as T;
  } catch (error) {
    // The parser's message would quote the response, which may be a Secret.
    if (error instanceof JsonLimitError) why = `the response is a JSON text ${error.message}`;
  }
  throw new ProviderError('transient', `${sentence(sender.attempt(call))}: ${why}`);
}
