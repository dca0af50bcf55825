/** Connects resources to a REST API: reads their ProviderConfig and its credentials, and opens a session for one reconcile. */
import { readFile } from 'node:fs/promises';
import {
  type ConcurrencyLimiter,
  createConcurrencyLimiter,
} from '../base/concurrency/concurrency-limiter.ts';
import type { LimitKeyOption } from '../base/concurrency/limit-key.ts';
import { createDeps, type DepsWith } from '../base/deps.ts';
import {
  messageOf,
  ProviderError,
  WaitingError,
  type WatchedObject,
  withTargets,
} from '../base/errors/errors.ts';
import { JsonLimitError, parseBoundedJson } from '../base/json/json-text.ts';
import { isObject, ownMember } from '../base/json/json-value.ts';
import { trimTrailing } from '../base/text/text.ts';
import {
  type ApiSession,
  type ApiSessionsOptions,
  createApiSessions,
  createKnownHosts,
  type SessionAccess,
  sealCredentials,
  sealFixedCredentials,
} from '../http/index.ts';
import {
  type Cluster,
  isNotFound,
  type KubeObject,
  keyString,
  notFoundText,
  type ObjectKey,
  type ResourceType,
  type Secret,
  secrets,
  wasDeleted,
} from '../kube/index.ts';
import {
  type ConfigKinds,
  type CredentialSelectors,
  createExternalClaims,
  createLastAccess,
  type ExternalClaims,
  extractCredentials,
  type FieldReference,
  type Managed,
  type ProviderConfig,
  type ReconcileContext,
  resolveWithin,
  type UsedConfig,
  usedConfigOf,
} from '../managed/index.ts';

/** A configuration as `provider-kyma-generate` makes it. Its `spec` may have an optional `url`. */
export interface RestConfig extends ProviderConfig {
  spec?: { credentials?: CredentialSelectors; url?: string };
}

/** What the credentials are, and how requests carry them. */
export type RestAuthentication =
  /** The credentials are the token, or JSON with `token`. */
  | { readonly method: 'bearer' }
  /** JSON with `username` and `password`. */
  | { readonly method: 'basic' }
  /** The credentials are the key, or JSON with `key`. */
  | { readonly method: 'api-key'; readonly in: 'header' | 'query'; readonly name: string }
  /** Several headers: by their names the members of the credentials, which are JSON. */
  | { readonly method: 'headers'; readonly members: Readonly<Record<string, string>> }
  /** OAuth: JSON with `clientId`, `clientSecret` and `tokenUrl`. */
  | { readonly method: 'client-credentials' }
  | { readonly method: 'none' };

export interface RestApiOptions
  extends DepsWith<'clock' | 'log'>,
    Pick<ApiSessionsOptions, 'system' | 'apiName' | 'rateLimits' | 'maxResponseBytes' | 'lookup'> {
  /** The cluster of the resources. */
  readonly cluster: Pick<Cluster, 'client' | 'objectWatcher' | 'reads' | 'polledReads'>;
  readonly authentication: RestAuthentication;
  /** The address of the API where neither configuration nor credentials (`url`) name one. Default: one of them must. */
  readonly url?: string;
  /** Headers of all requests, by name. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Query parameters of all requests, by name. Default: none. */
  readonly query?: Readonly<Record<string, string>>;
  /** Allow loopback, private, link-local and metadata addresses. Default false. */
  readonly allowPrivateEndpoints?: boolean;
  /** That of the provider, if it has one; default: a limiter of its own. */
  readonly limiter?: ConcurrencyLimiter;
  /** Default: that of the process. */
  readonly env?: NodeJS.ProcessEnv;
}

/** A session for one reconcile. */
export interface RestConnection {
  readonly session: ApiSession;
  /** Of all requests. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of all requests. Default: none. */
  readonly query?: Readonly<Record<string, string>>;
  /** The configuration and the Secret, whose change requests a reconcile. */
  readonly targets: readonly WatchedObject[];
}

export interface RestApi {
  /**
   * @throws WaitingError with targets while the configuration, its Secret or the key is missing; ProviderError kind `terminal` for
   * credentials of another form
   */
  connect(resource: Managed, kinds: ConfigKinds, ctx: ReconcileContext): Promise<RestConnection>;
  /** The limit keys of a resource, for `ManagedKind.limitKeysOf`. */
  limitKeysOf(resource: Managed, kinds: ConfigKinds): readonly LimitKeyOption[];
  /** The value of a Secret to which a field of the spec refers. @throws WaitingError with targets while it is missing */
  secretValue(resource: Managed, ref: SecretKeyRef, ctx: ReconcileContext): Promise<SecretValue>;
  /** The values of references within lists, as `resolveWithin` has them. */
  resolveWithin(
    resource: Managed,
    references: readonly FieldReference[],
    ctx: ReconcileContext,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Which resource holds an external resource, of all kinds of the API. */
  readonly claims: ExternalClaims;
  /** Name of the API, for messages. */
  readonly apiName: string;
  close(): Promise<void>;
}

export interface SecretValue {
  readonly text: string;
  /** Differs when the Secret differs. */
  readonly version: string;
  readonly target: WatchedObject;
}

export interface SecretKeyRef {
  readonly name: string;
  readonly key: string;
  /** In cluster-scoped resources only. */
  readonly namespace?: string;
}

const adviceOnNamespace =
  'the namespace is being deleted, so it cannot be created again: take Delete out of spec.managementPolicies, then delete the external resource yourself';

export function createRestApi(options: RestApiOptions): RestApi {
  const {
    cluster,
    authentication,
    headers = {},
    query = {},
    allowPrivateEndpoints = false,
    env = process.env,
  } = options;
  const deps = createDeps(options);
  const sessions = createApiSessions({
    ...options,
    ...deps,
    env,
    allowPrivateEndpoints,
    limiter: options.limiter ?? createConcurrencyLimiter(deps),
    keepFixedCredentials: true,
  });
  const hosts = createKnownHosts(sessions);
  const lastAccess = createLastAccess<SessionAccess, ApiSession>({
    client: cluster.client,
    resume: sessions.resume,
  });

  const read = async <T extends KubeObject>(
    { type, key }: { readonly type: ResourceType<T>; readonly key: ObjectKey },
    ctx: ReconcileContext,
  ) => {
    const reads = ctx.isLowPriority ? cluster.polledReads : cluster.reads;
    const target = (version: string) => cluster.objectWatcher.target(type, key, version);
    try {
      const object = await reads.get(type, key, ctx.signal);
      return { object, target: target(object.metadata.resourceVersion ?? 'absent') };
    } catch (error) {
      if (!isNotFound(error)) throw error;
      throw new WaitingError(`${type.kind} ${keyString(key)} ${notFoundText(keyString(key))}`, {
        targets: [target('absent')],
        cause: error,
      });
    }
  };

  const secretText = async (key: ObjectKey, name: string, ctx: ReconcileContext) => {
    const { object, target } = await read<Secret>({ type: secrets, key }, ctx);
    const value = ownMember(object.data, name);
    const { uid, resourceVersion } = object.metadata;
    if (value !== undefined)
      return {
        text: Buffer.from(value, 'base64').toString('utf8'),
        version: `${uid}/${resourceVersion}`,
        target,
      };
    throw new WaitingError(`Secret ${keyString(key)} has no key ${name}`, { targets: [target] });
  };

  const credentialsOf = async ({ spec, metadata: { namespace } }: RestConfig, ctx: ReconcileContext) => {
    const selectors = spec?.credentials ?? { source: 'None' };
    const { secretRef } = selectors;
    const own = namespace ?? secretRef?.namespace;
    if (selectors.source === 'Secret' && secretRef !== undefined && own !== undefined) {
      const key = { name: secretRef.name, namespace: own };
      const { text, target } = await secretText(key, secretRef.key, ctx);
      return { text, targets: [target], source: `Secret ${keyString(key)}` };
    }
    const bytes = await extractCredentials(selectors, {
      client: cluster.client,
      env,
      readFile: (path, signal) => readFile(path, { signal }),
      ...(namespace === undefined ? {} : { namespace }),
      signal: ctx.signal,
    });
    return { text: Buffer.from(bytes).toString('utf8'), targets: [], source: selectors.source };
  };

  const open = async (
    resource: Managed,
    used: UsedConfig,
    ctx: ReconcileContext,
  ): Promise<RestConnection> => {
    const { object, target } = await read<RestConfig>(used as UsedConfig<RestConfig>, ctx);
    const { text, source, ...access } = await credentialsOf(object, ctx).catch((error: unknown) => {
      throw withTargets(error, [target]);
    });
    const targets = [target, ...access.targets];
    try {
      const given = parseCredentials(text, authentication, source);
      const baseUrl = baseUrlOf(object.spec?.url ?? given.url ?? options.url, used);
      const session =
        given.form === 'oauth'
          ? sessions.open(sealCredentials({ ...given.credentials, baseUrl, source }), ctx.reserve)
          : sessions.openFixed(
              sealFixedCredentials({ authentication: given.authentication, baseUrl, source }),
              ctx.reserve,
            );
      hosts.note(locationOf(used), session.hosts);
      lastAccess.note(resource, session.isResumable ? accessOf(session) : undefined);
      return { session, headers, query, targets };
    } catch (error) {
      throw withTargets(error, targets);
    }
  };

  return {
    connect: async (resource, kinds, ctx) => {
      const used = usedConfigOf(resource, kinds);
      try {
        return await open(resource, used, ctx);
      } catch (error) {
        if (!wasDeleted(resource)) throw error;
        const { client, isTerminating } = await lastAccess.afterwards(resource, error, ctx.signal);
        if (client !== undefined) return { session: client, headers, query, targets: [] };
        throw isTerminating
          ? new WaitingError(`${messageOf(error)}; ${adviceOnNamespace}`, { cause: error })
          : error;
      }
    },
    limitKeysOf: (resource, kinds) => {
      try {
        return hosts.limitKeysOf(locationOf(usedConfigOf(resource, kinds)));
      } catch {
        // Connect reports that the resource names no configuration.
        return [];
      }
    },
    secretValue: async ({ metadata: { namespace } }, ref, ctx) => {
      const own = namespace ?? ref.namespace;
      if (own === undefined)
        throw new ProviderError('terminal', `the reference to Secret ${ref.name} names no namespace`);
      return secretText({ name: ref.name, namespace: own }, ref.key, ctx);
    },
    resolveWithin: (resource, references, { signal }) => {
      const { client, objectWatcher } = cluster;
      return resolveWithin(resource, references, { client, objectWatcher, signal });
    },
    claims: createExternalClaims(deps),
    apiName: options.apiName,
    close: sessions.close,
  };
}

const locationOf = ({ type, key }: UsedConfig) => `${type.kind}.${type.group} ${keyString(key)}`;

const accessOf = ({ credentialsID, hosts: { baseUrl } }: ApiSession): SessionAccess => ({
  credentialsID,
  baseUrl,
});

function baseUrlOf(text: string | undefined, { type, key }: UsedConfig): string {
  const where = `${type.kind} ${keyString(key)}`;
  if (text === undefined || text === '')
    throw new ProviderError('terminal', `${where} names no API: set spec.url, or url in its credentials`);
  const url = httpUrlIn(text);
  // The paths of requests are appended: after a query or a fragment all of them would go to one path.
  if (url === undefined || [url.username, url.password, url.search, url.hash].some((part) => part !== ''))
    throw new ProviderError(
      'terminal',
      `the address of the API of ${where} is not https://host[:port][/path]`,
    );
  return url.origin + trimTrailing(url.pathname, '/');
}

function httpUrlIn(text: string): URL | undefined {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}

type Given = { readonly url?: string | undefined } & (
  | {
      readonly form: 'fixed';
      readonly authentication: Parameters<typeof sealFixedCredentials>[0]['authentication'];
    }
  | {
      readonly form: 'oauth';
      readonly credentials: Pick<
        Parameters<typeof sealCredentials>[0],
        'clientId' | 'tokenUrl' | 'authentication'
      >;
    }
);

/** Messages name the members, never their values. */
function parseCredentials(text: string, authentication: RestAuthentication, source: string): Given {
  const json = jsonObject(text, source);
  const member = (name: string): string => {
    const value = json === undefined ? undefined : ownMember(json, name);
    if (typeof value === 'string' && value !== '') return value;
    const form = json === undefined ? 'are no JSON object' : `have no ${name}`;
    throw new ProviderError('terminal', `the credentials of ${source} ${form}`);
  };
  const whole = (name: string) => {
    if (json !== undefined) return member(name);
    if (text.trim() !== '') return text;
    throw new ProviderError('terminal', `the credentials of ${source} are empty`);
  };
  const named = json?.url;
  const url = typeof named === 'string' ? named : undefined;
  switch (authentication.method) {
    case 'none':
      return { form: 'fixed', url, authentication };
    case 'bearer':
      return { form: 'fixed', url, authentication: { method: 'bearer', token: whole('token') } };
    case 'api-key':
      return { form: 'fixed', url, authentication: { ...authentication, key: whole('key') } };
    case 'headers': {
      const values = Object.entries(authentication.members).map(([name, of]) => [name, member(of)]);
      return {
        form: 'fixed',
        url,
        authentication: { method: 'headers', values: Object.fromEntries(values) },
      };
    }
    case 'basic': {
      const [username, password] = [member('username'), member('password')];
      return { form: 'fixed', url, authentication: { method: 'basic', username, password } };
    }
    case 'client-credentials': {
      const [clientId, clientSecret, tokenUrl] = [
        member('clientId'),
        member('clientSecret'),
        member('tokenUrl'),
      ];
      if (httpUrlIn(tokenUrl) === undefined)
        throw new ProviderError('terminal', `tokenUrl of the credentials of ${source} is no URL`);
      return {
        form: 'oauth',
        url,
        credentials: { clientId, tokenUrl, authentication: { method: 'client-secret', clientSecret } },
      };
    }
    default:
      return authentication satisfies never;
  }
}

/** More than any credentials have; an author of a Secret cannot make the provider parse more. */
const MAX_CREDENTIALS = { maxLength: 64 * 1024, maxDepth: 8, maxValues: 1000 };

/** Undefined for a text that is no JSON object, such as a bare token. @throws ProviderError kind `terminal` for a broken or too large one */
function jsonObject(text: string, source: string): Readonly<Record<string, unknown>> | undefined {
  // Without a byte order mark too.
  const trimmed = text.trim();
  if (!trimmed.startsWith('{')) return undefined;
  try {
    const value = parseBoundedJson(trimmed, MAX_CREDENTIALS);
    if (isObject(value)) return value;
  } catch (error) {
    // The message of a SyntaxError may quote the text.
    if (error instanceof JsonLimitError)
      throw new ProviderError('terminal', `the credentials of ${source} are a JSON text ${error.message}`);
  }
  throw new ProviderError('terminal', `the credentials of ${source} are no valid JSON`);
}
