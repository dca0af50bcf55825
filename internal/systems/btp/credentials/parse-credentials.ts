import { trimTrailing } from '../../../framework/base/text/text.ts';
import {
  type ApiCredentials,
  clientCertificateProblems,
  sealCredentials,
} from '../../../framework/http/index.ts';

/** The decoded data of a Secret. */
export type SecretData = Readonly<Record<string, string | undefined>>;

/** Length of one value, in characters. A certificate chain has about 15,000. */
const MAX_VALUE = 64 * 1024;
/** Length of a URL, in characters. */
const MAX_URL = 2048;

/** The credentials, or what is wrong with them, e.g. `has no key sm_url`. Never quotes a value. */
export type ParsedCredentials = { readonly credentials: ApiCredentials } | { readonly problem: string };

/** Whether the data has a client secret or a certificate with its key. */
export const hasAuthentication = (data: SecretData): boolean =>
  isSet(data.clientsecret) || hasCertificate(data);

export const hasCertificate = (data: SecretData): boolean => isSet(data[CERTIFICATE]) && isSet(data[KEY]);

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

/** The text if it is the URL of a server without credentials, query or fragment. */
function urlIn(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_URL || /\s/.test(trimmed)) return undefined;
  const url = URL.parse(trimmed);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const { username, password, search, hash } = url;
  return [username, password, search, hash].every((part) => part === '') ? trimmed : undefined;
}
