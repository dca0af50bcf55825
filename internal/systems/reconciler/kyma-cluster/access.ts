/** Access to the mothership of a provider configuration. */
import { readFile } from 'node:fs/promises';
import { withTargets } from '../../../framework/base/errors/errors.ts';
import { ownMember, ProviderError, type WatchedObject } from '../../../framework/base/index.ts';
import { EndpointRefusedError, sealCredentials } from '../../../framework/http/index.ts';
import { refusalOf } from '../../../framework/http/transport/endpoint-guard.ts';
import {
  decodedData,
  isNotFound,
  keyString,
  type ObjectKey,
  secrets,
} from '../../../framework/kube/index.ts';
import { extractCredentials } from '../../../framework/managed/index.ts';
import type { ModuleContext } from '../../../framework/module/module.ts';
import {
  createMothershipClient,
  type MothershipClient,
  type MothershipClientOptions,
} from '../client/mothership-client.ts';
import type { MothershipTokens, OAuthAccess } from '../client/oauth-tokens.ts';
import {
  invalidURLText,
  longClientValueText,
  missingClientValueText,
  noOAuthClientText,
  noTokenText,
  refusedURLText,
} from './messages.ts';
import type { MothershipConfig } from './provider-configs.ts';

export interface AccessOptions
  extends Pick<
    ModuleContext,
    'client' | 'cluster' | 'deps' | 'env' | 'flags' | 'trustedCertificates' | 'readOnly'
  > {
  readonly tokens: MothershipTokens;
  readonly signal: AbortSignal;
}

/** The mothership of a configuration. */
export interface MothershipAccess {
  readonly mothership: MothershipClient;
  /** The Secret with the credentials, as it was read. Empty if they are in none. */
  readonly credentials: readonly WatchedObject[];
}

/** Called with a Secret that was read. */
type OnSecret = (key: ObjectKey, readVersion: string) => void;

type OAuthClient = NonNullable<MothershipConfig['spec']['credentials']['oauthClient']>;

const MAX_TOKEN = 16 * 1024;
/** Characters of an id or a secret of an OAuth client. */
const MAX_CLIENT = 4096;

/**
 * Reads the credentials. Opens no connection yet. Errors of the credentials have their Secret as target.
 *
 * @throws EndpointRefusedError for an address that a configuration in a namespace must not name
 */
export async function openMothership(
  config: MothershipConfig,
  options: AccessOptions,
): Promise<MothershipAccess> {
  const { url, caBundle } = config.spec;
  // A configuration in a namespace is that of a tenant, who must not reach into the network of the provider.
  const mayBePrivate = options.flags.allowPrivateEndpoints || config.metadata.namespace === undefined;
  assertAccepted('url', url, mayBePrivate);
  const credentials: WatchedObject[] = [];
  const { objectWatcher } = options.cluster;
  const onSecret: OnSecret = (key, readVersion) =>
    void credentials.push(objectWatcher.target(secrets, key, readVersion));
  const authorization = await authorizationOf(config, { ...options, mayBePrivate, onSecret }).catch(
    (error: unknown) => {
      throw withTargets(error, credentials);
    },
  );
  const mothership = createMothershipClient({
    ...options.deps,
    env: options.env,
    url,
    ...authorization,
    trustedCertificates: [...(options.trustedCertificates ?? []), ...(caBundle ? [caBundle] : [])],
    allowPrivateEndpoints: mayBePrivate,
    readOnly: options.readOnly,
    maxResponseBytes: MAX_RESPONSE_BYTES,
  });
  return { mothership, credentials };
}

/** A registration has 100,000 bytes; the rest is for reasons of failures. All workers may wait for such answers at once. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

function assertAccepted(field: string, text: string, mayBePrivate: boolean): void {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new ProviderError('terminal', invalidURLText(field));
  }
  const refusal = mayBePrivate ? undefined : refusalOf(url);
  if (refusal !== undefined) throw new EndpointRefusedError(refusedURLText(field, refusal));
}

interface ReadOptions extends AccessOptions {
  readonly mayBePrivate: boolean;
  readonly onSecret: OnSecret;
}

async function authorizationOf(
  config: MothershipConfig,
  options: ReadOptions,
): Promise<Pick<MothershipClientOptions, 'token' | 'oauth'>> {
  const { credentials } = config.spec;
  if (credentials.source !== 'OAuthClient') {
    const token = await readToken(config, options);
    return { token: async () => token };
  }
  const { oauthClient } = credentials;
  if (oauthClient === undefined) {
    throw new ProviderError('terminal', noOAuthClientText);
  }
  assertAccepted('tokenURL', oauthClient.tokenURL, options.mayBePrivate);
  return { oauth: await readOAuthClient(config, oauthClient, options) };
}

async function readOAuthClient(
  { metadata, spec }: MothershipConfig,
  { tokenURL, secretRef, scope, audience }: OAuthClient,
  { client, tokens, signal, onSecret }: ReadOptions,
): Promise<OAuthAccess> {
  // That of a namespaced configuration is in its namespace.
  const key = { name: secretRef.name, namespace: metadata.namespace ?? secretRef.namespace ?? '' };
  const secret = await client.get(secrets, key, { signal }).catch((error: unknown) => {
    if (isNotFound(error)) onSecret(key, 'absent');
    throw error;
  });
  onSecret(key, secret.metadata.resourceVersion ?? '');
  const data = decodedData(secret);
  const clientValue = (field: string): string => {
    const value = ownMember(data, field)?.trim() ?? '';
    if (value !== '' && value.length <= MAX_CLIENT) return value;
    const text = value === '' ? missingClientValueText : longClientValueText;
    throw new ProviderError('terminal', text(keyString(key), field));
  };
  return {
    credentials: sealCredentials({
      baseUrl: spec.url,
      tokenUrl: tokenURL,
      clientId: clientValue(secretRef.clientIDKey ?? 'clientid'),
      authentication: {
        method: 'client-secret',
        clientSecret: clientValue(secretRef.clientSecretKey ?? 'clientsecret'),
      },
      source: `Secret ${keyString(key)}`,
    }),
    parameters: {
      ...(scope === undefined ? {} : { scope }),
      ...(audience === undefined ? {} : { audience }),
    },
    tokens,
  };
}

async function readToken(
  { metadata: { namespace }, spec: { credentials } }: MothershipConfig,
  { client, env, signal, onSecret }: ReadOptions,
): Promise<string | undefined> {
  const bytes = await extractCredentials(credentials, {
    client,
    env,
    readFile: (path, within) => readFile(path, { signal: within }),
    ...(namespace === undefined ? {} : { namespace }),
    onSecret,
    signal,
  });
  const token = Buffer.from(bytes).toString('utf8').trim();
  if (token === '') return undefined;
  // As RFC 6750 has it; anything else cannot be a header, or is a file of another kind.
  if (token.length <= MAX_TOKEN && /^[\w.~+/=-]+$/.test(token)) return token;
  throw new ProviderError('terminal', noTokenText);
}
