import { createLruCache } from '../../../framework/base/collections/lru-cache.ts';
import {
  createSharedCalls,
  type Deps,
  findCause,
  ProviderError,
  type Reserve,
  reserveFor,
} from '../../../framework/base/index.ts';
import { clientCertificateOf } from '../../../framework/http/index.ts';
import {
  type Informers,
  type KubeClient,
  type KubeObject,
  keyOf,
  keyString,
  type PartialObject,
  secrets,
} from '../../../framework/kube/index.ts';
import { ownMarks } from '../caches.ts';
import { secretVersionOf } from '../secret-version.ts';
import type { KnownClient, ServiceManager, ServiceManagerClient } from '../service-manager/index.ts';
import type { CredentialResolver, ResolvedCredentials } from './credential-resolver.ts';
import { credentialSelections } from './credential-users.ts';
import { InvalidCredentialsError, MissingCredentialsError } from './errors.ts';
import {
  type CredentialSettings,
  type CredentialUser,
  certificateCandidates,
  isNamed,
  keysOf,
  makersKeysOf,
  type SecretKey,
} from './secret-names.ts';

/**
 * Connects to Service Manager with the credentials of an instance. Which Secrets exist, and their versions, are known from a
 * watch of their metadata. Their content is read for a new token only: what is kept are the versions, the endpoints and the
 * keyed hash under which the token is stored, never a credential.
 */
export interface CredentialConnector {
  /** @throws as `CredentialResolver.resolve` and `ServiceManager.connect` */
  connect(user: CredentialUser, options: ConnectOptions): Promise<ServiceManagerClient>;
  /**
   * Connects with each Secret that may have made a resource of the user (`makersKeysOf`), except the one that `connect` uses, as far as the
   * watch shows which that is. Those without valid credentials are left out. The caller closes the clients.
   */
  connectOthers(user: CredentialUser, options: ConnectOptions): AsyncIterable<ServiceManagerClient>;
  /**
   * Before an instance is created: the watch may be late, and a Secret that was created right before the instance can belong
   * to another subaccount. Reads whether there is one. Concurrent instances share the requests.
   *
   * @param client of `connect`
   * @param confirmed the result of an earlier call for the same instance, which needs no request if the same Secrets apply
   * @throws a conflict if there is one
   */
  confirm(client: ServiceManagerClient, signal: AbortSignal, confirmed?: string): Promise<string>;
}

interface ConnectOptions {
  readonly signal: AbortSignal;
  readonly reserve: Reserve;
}

interface CredentialConnectorOptions extends Pick<Deps, 'clock'> {
  readonly client: Pick<KubeClient, 'listMetadata'>;
  readonly locator: SecretLocator;
  readonly resolver: CredentialResolver;
  readonly serviceManager: Pick<ServiceManager, 'connect' | 'reconnect'>;
  /** As `createMarkCredentials`. */
  readonly markCredentials: (found: readonly KubeObject[], signal: AbortSignal) => Promise<void>;
  readonly settings: CredentialSettings;
  /** Of a controller. */
  readonly workers: number;
}

/** What the content of Secrets of certain versions was used for. */
interface Known {
  readonly access: KnownClient;
  /** The certificate is from a Secret of its own. */
  readonly usesCertificate: boolean;
}

/** About 2000 Secrets. */
const MAX_BYTES = 1024 * 1024;
const KNOWN_BYTES = 500;
/** Between two lists that confirm the absence of a Secret, in ms: instances that are created one by one mostly wait for none. */
const CONFIRM_SPACING_MS = 100;

export function createCredentialConnector(options: CredentialConnectorOptions): CredentialConnector {
  const { client: kube, clock, locator, resolver, serviceManager, markCredentials, settings } = options;
  const known = createLruCache<string, Known>({ maxBytes: MAX_BYTES, bytesOf: () => KNOWN_BYTES });
  /** Reads in progress of the same versions. */
  const reads = createSharedCalls<ResolvedCredentials>();
  const confirmations = createSharedCalls<boolean>({
    joins: 'next',
    spacing: { clock, ms: CONFIRM_SPACING_MS },
  });
  /** The Secrets that would be used instead, by the clients that were connected without reading them. */
  const unconfirmed = new WeakMap<ServiceManagerClient, readonly SecretKey[]>();
  const reserveOf = (secret: SecretKey, { reserve }: ConnectOptions) =>
    reserveWith(secret, reserve, settings, options.workers);

  /** Without a request; undefined if the credentials must be read. */
  const reconnect = async (
    user: CredentialUser,
    keys: readonly SecretKey[],
    located: LocatedSecrets,
    how: ConnectOptions,
  ) => {
    const found = known.get(idOf(located));
    if (found === undefined) return undefined;
    const { credentials, certificate } = located;
    const sources = [credentials, ...(found.usesCertificate && certificate ? [certificate] : [])];
    await markCredentials(sources, how.signal);
    const { namespace = '', name } = keyOf(credentials);
    const read = async (signal: AbortSignal) => (await resolver.resolve(user, signal, keys)).credentials;
    const reserve = reserveOf({ namespace, name }, how);
    const client = serviceManager.reconnect(found.access, read, { reserve });
    if (client !== undefined) unconfirmed.set(client, located.absent);
    return client;
  };
  const remember = (
    { sources, credentials }: ResolvedCredentials,
    { hosts, viewer }: ServiceManagerClient,
    located: LocatedSecrets | undefined,
  ) => {
    const [secret, certificate = located?.certificate] = sources;
    if (secret === undefined) return;
    const hasCertificate = clientCertificateOf(credentials) !== undefined;
    known.set(idOf({ credentials: secret, certificate }), {
      access: { ...hosts, viewer, hasCertificate, source: credentials.source },
      usesCertificate: sources.length > 1,
    });
  };
  const exists = async ({ namespace, name }: SecretKey, signal: AbortSignal): Promise<boolean> => {
    const fieldSelector = `metadata.name=${name}`;
    const list = (shared: AbortSignal) =>
      kube.listMetadata(secrets, { namespace, fieldSelector, limit: 1, signal: shared });
    const found = async (shared: AbortSignal) => (await list(shared)).items.length > 0;
    return confirmations.join(keyString({ namespace, name }), found, signal);
  };
  const connectWith = async (user: CredentialUser, keys: readonly SecretKey[], how: ConnectOptions) => {
    const located = locator.locate(user, keys);
    const reconnected = located && (await reconnect(user, keys, located, how));
    if (reconnected !== undefined) return reconnected;
    const read = (signal: AbortSignal) => resolver.resolve(user, signal, keys);
    const resolved =
      located === undefined ? await read(how.signal) : await reads.join(idOf(located), read, how.signal);
    await markCredentials(resolved.sources, how.signal);
    const connected = serviceManager.connect(resolved.credentials, {
      reserve: reserveOf(resolved.secret, how),
    });
    remember(resolved, connected, located);
    return connected;
  };
  return {
    connect: (user, how) => connectWith(user, keysOf(user, settings), how),
    connectOthers: async function* (user, how) {
      const keys = makersKeysOf(user, settings);
      const used = keys.find((key) => locator.exists(key) === true);
      for (const key of keys) {
        if (key === used || locator.exists(key) === false) continue;
        const client = await connectWith(user, [key], how).catch(undefinedIfUnusable);
        if (client !== undefined) yield client;
      }
    },
    confirm: async (client, signal, confirmed) => {
      const absent = unconfirmed.get(client) ?? [];
      const names = absent.map(keyString).join();
      if (names === confirmed) return names;
      const confirmOne = async (key: SecretKey) => {
        if (await exists(key, signal))
          throw new ProviderError('conflict', `Secret ${keyString(key)} was created meanwhile`);
      };
      await Promise.all(absent.map(confirmOne));
      return names;
    },
  };
}

function undefinedIfUnusable(error: unknown): undefined {
  const isUnusable = findCause(error, MissingCredentialsError) ?? findCause(error, InvalidCredentialsError);
  if (isUnusable === undefined) throw error;
}

/** Of these versions of the Secrets. */
const idOf = ({ credentials, certificate }: Sources): string =>
  JSON.stringify(
    [credentials, certificate].map((secret) => secret && [keyString(keyOf(secret)), secretVersionOf(secret)]),
  );

interface Sources {
  readonly credentials: KubeObject;
  readonly certificate: KubeObject | undefined;
}

/**
 * Limits the workers of objects whose credentials are in their own namespace. Who may write Secrets there chooses the host
 * of Service Manager, which may never respond, and can change it at any time. So the objects of one namespace have the
 * default number of slots (a quarter of the workers), and those of all namespaces three quarters: the others remain for
 * credentials of the release namespace and the management namespace.
 *
 * These slots are reserved together with those of the hosts, because requests that reserve one after the other can refuse
 * each other again and again.
 *
 * @param workers of a controller
 */
export function reserveWith(
  secret: SecretKey,
  reserve: Reserve,
  { releaseNamespace, managementNamespace }: CredentialSettings,
  workers: number,
): Reserve {
  const { namespace } = secret;
  if (namespace === releaseNamespace || namespace === managementNamespace) return reserve;
  const own = [
    { name: `credentials of namespace ${namespace}` },
    { name: 'credentials of namespaces', slots: Math.ceil((workers * 3) / 4) },
  ];
  return reserveFor(namespace, (limitKeys) => reserve([...limitKeys, ...own]));
}

/** The Secrets in which the credentials of a user are looked up, as the watch of their metadata shows them. */
interface LocatedSecrets {
  /** The first one that exists. */
  readonly credentials: PartialObject;
  /** The first one with a certificate, which is used if the other one has none. */
  readonly certificate: PartialObject | undefined;
  /** Would be used instead of `credentials`, and do not exist. */
  readonly absent: readonly SecretKey[];
}

interface SecretLocator {
  /**
   * Undefined: no Secret exists, or a watch has a problem, so that it may show an old state.
   *
   * @param keys of the Secrets with credentials. Default: `keysOf` the user
   */
  locate(user: CredentialUser, keys?: readonly SecretKey[]): LocatedSecrets | undefined;
  /** Whether a Secret exists; undefined: a watch has a problem. */
  exists(key: SecretKey): boolean | undefined;
}

/** @param informers those of the kinds, whose sources start them */
export function createSecretLocator(informers: Informers, settings: CredentialSettings): SecretLocator {
  const caches = credentialSelections(settings).map((selection) =>
    informers.metadataOf(secrets, { selection, transform: ownMarks }),
  );
  const find = (key: SecretKey): PartialObject | undefined => {
    const id = keyString(key);
    for (const cache of caches) {
      const found = cache.get(id);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const first = (keys: readonly SecretKey[]) => {
    for (const [index, key] of keys.entries()) {
      const secret = find(key);
      if (secret !== undefined) return { key, secret, absent: keys.slice(0, index) };
    }
    return undefined;
  };
  const isCurrent = () =>
    caches.every((cache) => cache.isStarted() && cache.hasSynced() && cache.problem() === undefined);
  return {
    exists: (key) => (isCurrent() ? find(key) !== undefined : undefined),
    locate: (user, keys = keysOf(user, settings)) => {
      if (!isCurrent()) return undefined;
      const { namespace } = user.metadata;
      const found = first(keys);
      if (found === undefined) return undefined;
      const { key, secret: credentials, absent } = found;
      const certificates = isNamed(key, user, settings)
        ? []
        : certificateCandidates(key, namespace, settings);
      return { credentials, certificate: first(certificates)?.secret, absent };
    },
  };
}
