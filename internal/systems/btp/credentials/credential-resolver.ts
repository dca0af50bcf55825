import { trimTrailing } from '../../../framework/base/text/text.ts';
import {
  type ApiCredentials,
  clientCertificateProblems,
  sealCredentials,
} from '../../../framework/http/index.ts';
import {
  decodedData,
  isNotFound,
  keyString,
  notFoundText,
  type Secret,
  type SharedReads,
  secrets,
} from '../../../framework/kube/index.ts';
import { InvalidCredentialsError, MissingCredentialsError } from './errors.ts';
import {
  type CredentialSettings,
  type CredentialUser,
  certificateCandidates,
  credentialsName,
  isNamed,
  keysOf,
  managedKey,
  type SecretKey,
} from './secret-names.ts';

/** Credentials for the client of Service Manager, and where they are from. */
export interface ResolvedCredentials {
  readonly credentials: ApiCredentials;
  readonly secret: SecretKey;
  /** All Secrets that they were read from. */
  readonly sources: readonly Secret[];
}

/**
 * Finds the credentials of Service Manager for an instance, and so its subaccount:
 *
 * 1. `spec.btpAccessCredentialsSecret` in the management namespace. No other Secret is tried.
 * 2. `sap-btp-service-operator` in the namespace of the instance, unless this is turned off
 * 3. `<namespace>-sap-btp-service-operator` in the management namespace
 * 4. `sap-btp-service-operator` in the release namespace
 *
 * A Secret without a client secret and a certificate takes the certificate of the first `sap-btp-service-operator-tls` in
 * the same order. A Secret in the namespace of the instance takes that beside it only: otherwise users who may write
 * Secrets there could act as the client of the release namespace.
 *
 * The Secrets are read at each call. Concurrent reads are shared. See `createCredentialConnector`, which calls it only for a new
 * token.
 */
export interface CredentialResolver {
  /**
   * @param keys of the Secrets with credentials. Default: `keysOf` the instance
   * @throws MissingCredentialsError if no Secret exists
   * @throws InvalidCredentialsError
   * @throws KubeApiError if a Secret cannot be read
   */
  resolve(
    instance: CredentialUser,
    signal: AbortSignal,
    keys?: readonly SecretKey[],
  ): Promise<ResolvedCredentials>;
}

interface CredentialResolverOptions {
  /** Of the cluster of the instances. */
  readonly reads: SharedReads;
  readonly settings: CredentialSettings;
}

export function createCredentialResolver({ reads, settings }: CredentialResolverOptions): CredentialResolver {
  const first = async (keys: readonly SecretKey[], signal: AbortSignal): Promise<Found | undefined> => {
    for (const key of keys) {
      try {
        return { key, secret: await reads.get(secrets, key, signal) };
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    return undefined;
  };
  return {
    resolve: async (user, signal, keys = keysOf(user, settings)) => {
      const { namespace } = user.metadata;
      const found = await first(keys, signal);
      if (found === undefined) {
        const [named] = keysOf(user, settings).filter((key) => isNamed(key, user, settings));
        throw missing(keys, named ?? managedKey(credentialsName, namespace, settings));
      }
      const data = decodedData(found.secret);
      const parse = (tls: typeof data) => parseCredentials(data, tls, `Secret ${keyString(found.key)}`);
      if (isNamed(found.key, user, settings) || hasAuthentication(data))
        return resolved([found], parse(data));
      const certificate = await first(certificateCandidates(found.key, namespace, settings), signal);
      // Without a certificate there is no authentication, which is a problem then.
      if (certificate === undefined) return resolved([found], parse(data));
      return resolved([found, certificate], parse(decodedData(certificate.secret)));
    },
  };
}

interface Found {
  readonly key: SecretKey;
  readonly secret: Secret;
}

function resolved(
  found: readonly [Found, ...Found[]],
  parsed: ReturnType<typeof parseCredentials>,
): ResolvedCredentials {
  const [{ key }] = found;
  const sources = found.map(({ secret }) => secret);
  if ('credentials' in parsed) return { credentials: parsed.credentials, secret: key, sources };
  throw new InvalidCredentialsError(`Secret ${keyString(key)} ${parsed.problem}`, { secret: key });
}

function missing(keys: readonly SecretKey[], proposed: SecretKey): MissingCredentialsError {
  const name = keys.at(-1)?.name ?? '';
  const places = keys.map(keyString).join(', ');
  return new MissingCredentialsError(
    `cannot find credentials of Service Manager: secrets ${JSON.stringify(name)} ${notFoundText(name)} (looked for ${places})`,
    proposed,
  );
}

/** The decoded data of a Secret. */
export type SecretData = Readonly<Record<string, string | undefined>>;

/** Length of one value, in characters. A certificate chain has about 15,000. */
const MAX_VALUE = 64 * 1024;
/** Length of a URL, in characters. */
const MAX_URL = 2048;

/** The credentials, or what is wrong with them, e.g. `has no key sm_url`. Never quotes a value. */
type ParsedCredentials = { readonly credentials: ApiCredentials } | { readonly problem: string };

/** Whether the data has a client secret or a certificate with its key. */
const hasAuthentication = (data: SecretData): boolean => isSet(data.clientsecret) || hasCertificate(data);

const hasCertificate = (data: SecretData): boolean => isSet(data[CERTIFICATE]) && isSet(data[KEY]);

/**
 * Credentials of a binding of the plan service-operator-access, with the keys that the SAP BTP service operator uses. A
 * certificate beside a client secret is presented on all connections, and the secret is sent as well.
 *
 * @param tls the data with `tls.crt` and `tls.key`; usually the same
 * @param source of the credentials, for messages
 */
export function parseCredentials(
  data: SecretData,
  tls: SecretData = data,
  source?: string,
): ParsedCredentials {
  const missing = ['clientid', 'sm_url', 'tokenurl'].find((key) => !isSet(data[key]));
  if (missing !== undefined) return { problem: `has no key ${missing}` };
  const used = [...Object.entries(data), ...Object.entries(tls)].filter(([key]) => known.includes(key));
  const large = used.find(([, value = '']) => value.length > MAX_VALUE)?.[0];
  if (large !== undefined) return { problem: `has a key ${large} of more than ${MAX_VALUE} characters` };
  const { clientid = '', sm_url = '', tokenurl = '', tokenurlsuffix = '' } = data;
  const [baseUrl, tokenUrl] = [urlIn(sm_url), urlIn(tokenurl.trim() + tokenurlsuffix.trim())];
  if (baseUrl === undefined) return { problem: 'has a key sm_url that is not a URL' };
  if (tokenUrl === undefined) return { problem: 'has keys tokenurl and tokenurlsuffix that are not a URL' };
  const found = authenticationIn(data, tls);
  if ('problem' in found) return found;
  return {
    credentials: sealCredentials({
      baseUrl: trimTrailing(baseUrl, '/'),
      tokenUrl,
      clientId: clientid,
      authentication: found,
      ...(source === undefined ? {} : { source }),
    }),
  };
}

const CERTIFICATE = 'tls.crt';
const KEY = 'tls.key';
const known = ['clientid', 'clientsecret', 'sm_url', 'tokenurl', 'tokenurlsuffix', CERTIFICATE, KEY];

function authenticationIn(
  data: SecretData,
  tls: SecretData,
): ApiCredentials['authentication'] | { readonly problem: string } {
  const { [CERTIFICATE]: certificate = '', [KEY]: key = '' } = tls;
  const { clientsecret = '' } = data;
  if (hasCertificate(tls)) {
    const [problem] = clientCertificateProblems(certificate, key);
    if (problem !== undefined)
      return { problem: `has a key ${problem.part === 'key' ? KEY : CERTIFICATE} that ${problem.text}` };
    const pair = { certificate, key };
    if (!isSet(clientsecret)) return { method: 'x509', ...pair };
    return { method: 'client-secret', clientSecret: clientsecret, clientCertificate: pair };
  }
  if (isSet(clientsecret)) return { method: 'client-secret', clientSecret: clientsecret };
  return { problem: `has neither clientsecret nor ${CERTIFICATE} and ${KEY}` };
}

const isSet = (value: string | undefined): value is string => value !== undefined && value.trim() !== '';

/** The text if it is the URL of a server without credentials, query or fragment; without the marks of empty ones. */
function urlIn(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_URL || /\s/.test(trimmed)) return undefined;
  const url = URL.parse(trimmed);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const { username, password, search, hash } = url;
  return [username, password, search, hash].every((part) => part === '')
    ? trimmed.replace(/\??#?$/, '')
    : undefined;
}
