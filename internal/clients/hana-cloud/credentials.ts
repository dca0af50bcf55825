import { createPrivateKey, X509Certificate } from 'node:crypto';
import { inspect } from 'node:util';
import { parseBoundedJson } from '../../base/json/bounded-json.ts';
import { ownMember } from '../../base/json/json-field.ts';
import { trimTrailing } from '../../base/text/text.ts';
import type { ApiCredentials } from '../../http/index.ts';

/**
 * What an admin binding of a HANA Cloud instance gives access to: the Administration API at `baseUrl`. Printing or
 * serialising it shows no secret.
 */
export type AdminCredentials = ApiCredentials;

/** What is wrong with one field. Never quotes a value. */
export interface CredentialProblem {
  /** `incomplete`: missing or empty, others may still fill it in; `malformed`: somebody has to mend it. */
  readonly kind: 'incomplete' | 'malformed';
  /** `uaa.clientid`; in one JSON value that holds all, after the key of that value. */
  readonly field: string;
  /** Completes `Secret x/y …`: `has no key uaa`. */
  readonly text: string;
}

export type ParsedCredentials =
  | { readonly credentials: AdminCredentials }
  | { readonly problems: readonly CredentialProblem[] };

/** Of one value, in characters. Credentials with a certificate chain take some 15,000. */
const MAX_VALUE = 64 * 1024;
/** Of a Secret; a binding has about ten. */
const MAX_KEYS = 100;
/** Keys that one message names. */
const MAX_NAMED = 5;
/** Of `baseurl` and the token endpoint, in characters. */
const MAX_URL = 2048;
/** Of an RSA key: signing with a longer one keeps the process from all else for a tenth of a second and more. */
const MAX_RSA_BITS = 4096;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the data of a binding's Secret, decoded, in any of its forms: keys `baseurl` (or `url`) and `uaa`, the
 * latter JSON; or one key whose JSON holds all (a binding with `secretKey`). `uaa` holds a client secret, or
 * `certificate`, `key` and `certurl`. All problems are told at once. Rule: hana-inventory, Connect, step 3.
 */
export function parseAdminCredentials(data: Readonly<Record<string, string>>): ParsedCredentials {
  return parseFrom((report) => (isModest(data, report) ? rootOf(data, report) : undefined));
}

/** Reads one key whose JSON holds all, whatever the key is called. */
export function parseCredentialsKey(key: string, text: string): ParsedCredentials {
  return parseFrom((report) =>
    isModest({ [key]: text }, report) ? rootUnder(key, text, report) : undefined,
  );
}

function parseFrom(findRoot: (report: Report) => Place | undefined): ParsedCredentials {
  const problems: CredentialProblem[] = [];
  const report: Report = (kind, path, text) => {
    problems.push({ kind, field: path.join('.'), text });
  };
  const root = findRoot(report);
  if (root === undefined) return { problems };
  const baseUrl = urlField(
    root,
    root.fields.baseurl === undefined && Object.hasOwn(root.fields, 'url') ? 'url' : 'baseurl',
    report,
  );
  const uaa = objectField(root, 'uaa', report);
  if (uaa === undefined) return { problems };
  const clientId = textField(uaa, 'clientid', report);
  const access = usesX509(uaa) ? x509Access(uaa, report) : secretAccess(uaa, report);
  if (baseUrl === undefined || clientId === undefined || access === undefined || problems.length > 0) {
    return { problems };
  }
  return { credentials: sealed({ baseUrl, clientId, ...access }) };
}

type Report = (kind: CredentialProblem['kind'], path: readonly string[], text: string) => void;

interface Place {
  readonly path: readonly string[];
  readonly fields: Fields;
}

/** What is larger than credentials can be is not parsed. */
function isModest(data: Readonly<Record<string, string>>, report: Report): boolean {
  const keys = Object.keys(data);
  if (keys.length > MAX_KEYS) report('malformed', [], `has more than ${MAX_KEYS} keys`);
  const large = keys.find((key) => (data[key]?.length ?? 0) > MAX_VALUE);
  if (large !== undefined)
    report('malformed', [large], `has a key ${large} of more than ${MAX_VALUE / 1024} KiB`);
  return keys.length <= MAX_KEYS && large === undefined;
}

/** The place where `baseurl` and `uaa` stand: the data itself, or the JSON of the one key that holds all. */
function rootOf(data: Readonly<Record<string, string>>, report: Report): Place | undefined {
  if (['baseurl', 'uaa', 'url'].some((key) => Object.hasOwn(data, key))) return { path: [], fields: data };
  const entries = Object.entries(data);
  const [only] = entries;
  const candidates = entries.flatMap(([key, value]) => wrapped([key], parseObject(value)));
  const [found, second] = candidates;
  if (found !== undefined && second !== undefined) {
    const keys = candidates
      .slice(0, MAX_NAMED)
      .map(({ path }) => path.join('.'))
      .join(', ');
    report('malformed', found.path, `holds credentials under more than one key: ${keys}`);
    return undefined;
  }
  if (found !== undefined) return found;
  return only !== undefined && entries.length === 1 ? rootUnder(...only, report) : { path: [], fields: data };
}

function rootUnder(key: string, text: string, report: Report): Place | undefined {
  const fields = parseObject(text);
  if (text.trim() === '') report('incomplete', [key], `has an empty key ${key}`);
  else if (fields === undefined) report('malformed', [key], `has a key ${key} that is not a JSON object`);
  return fields && (wrapped([key], fields)[0] ?? { path: [key], fields });
}

/** The object itself if it looks like credentials; else one level down, where `secretRootKey` puts them. */
function wrapped(path: readonly string[], fields: Fields | undefined, depth = 0): Place[] {
  if (fields === undefined) return [];
  if (Object.hasOwn(fields, 'uaa') || Object.hasOwn(fields, 'baseurl')) return [{ path, fields }];
  if (depth > 0) return [];
  return Object.entries(fields).flatMap(([key, value]) =>
    wrapped([...path, key], asObject(value), depth + 1),
  );
}

function usesX509(uaa: Place): boolean {
  const { fields } = uaa;
  if (fields.clientsecret !== undefined) return false;
  return (
    fields['credential-type'] === 'x509' ||
    ['certificate', 'key', 'certurl'].some((key) => Object.hasOwn(fields, key))
  );
}

type Access = Pick<AdminCredentials, 'tokenUrl' | 'authentication'>;

function secretAccess(uaa: Place, report: Report): Access | undefined {
  const url = urlField(uaa, 'url', report);
  const clientSecret = textField(uaa, 'clientsecret', report);
  if (url === undefined || clientSecret === undefined) return undefined;
  return { tokenUrl: tokenEndpoint(url), authentication: { method: 'client-secret', clientSecret } };
}

function x509Access(uaa: Place, report: Report): Access | undefined {
  const url = urlField(uaa, 'certurl', report);
  const certificate = pemField(uaa, 'certificate', report);
  const key = pemField(uaa, 'key', report);
  if (url === undefined || certificate === undefined || key === undefined) return undefined;
  if (!matchingPair(uaa, certificate, key, report)) return undefined;
  return { tokenUrl: tokenEndpoint(url), authentication: { method: 'x509', certificate, key } };
}

/** Checked here, where the field at fault has a name, rather than in a TLS handshake that can only fail. */
function matchingPair(uaa: Place, certificate: string, key: string, report: Report): boolean {
  const parsedCertificate = attempt(() => new X509Certificate(certificate));
  const parsedKey = attempt(() => createPrivateKey(key));
  const malformed = (name: string, what: string) =>
    report('malformed', [...uaa.path, name], `has a ${nameIn(uaa, name)} that ${what}`);
  if (parsedCertificate === undefined) malformed('certificate', 'is not a PEM certificate');
  if (parsedKey === undefined) malformed('key', 'is not a PEM private key without a passphrase');
  if (parsedCertificate === undefined || parsedKey === undefined) return false;
  if ((parsedKey.asymmetricKeyDetails?.modulusLength ?? 0) > MAX_RSA_BITS) {
    malformed('key', `is an RSA key of more than ${MAX_RSA_BITS} bits`);
    return false;
  }
  const matches = attempt(() => parsedCertificate.checkPrivateKey(parsedKey)) ?? false;
  if (!matches) malformed('key', 'does not belong to the certificate');
  return matches;
}

function tokenEndpoint(url: string): string {
  return url.endsWith('/oauth/token') ? url : `${url}/oauth/token`;
}

/** PEM in which line ends were escaped twice, as some tools leave it, is taken as it was meant. */
function pemField(place: Place, name: string, report: Report): string | undefined {
  return textField(place, name, report)?.replaceAll('\\n', '\n');
}

function urlField(place: Place, name: string, report: Report): string | undefined {
  const text = textField(place, name, report)?.trim();
  if (text === undefined) return undefined;
  if (text.length > MAX_URL) {
    report(
      'malformed',
      [...place.path, name],
      `has a ${nameIn(place, name)} of more than ${MAX_URL} characters`,
    );
    return undefined;
  }
  const url = attempt(() => new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`));
  const fault = /\s/.test(text) || url === undefined ? 'is not a host name or an https URL' : faultOf(url);
  if (url !== undefined && fault === undefined) return url.origin + trimTrailing(url.pathname, '/');
  report('malformed', [...place.path, name], `has a ${nameIn(place, name)} that ${fault}`);
  return undefined;
}

function faultOf(url: URL): string | undefined {
  if (url.protocol !== 'https:') return 'is not https';
  if (url.username !== '' || url.password !== '') return 'holds a user name or password';
  if (url.search !== '' || url.hash !== '') return 'has a query or a fragment';
  return undefined;
}

function textField(place: Place, name: string, report: Report): string | undefined {
  const value = ownMember(place.fields, name);
  const path = [...place.path, name];
  if (value === undefined || value === null) report('incomplete', path, `has no ${nameIn(place, name)}`);
  else if (typeof value !== 'string') {
    report('malformed', path, `has a ${nameIn(place, name)} that is not a string`);
  } else if (value.trim() === '') report('incomplete', path, `has an empty ${nameIn(place, name)}`);
  else return value;
  return undefined;
}

function objectField(place: Place, name: string, report: Report): Place | undefined {
  const value = ownMember(place.fields, name);
  const path = [...place.path, name];
  if (value === undefined || value === null) report('incomplete', path, `has no ${nameIn(place, name)}`);
  else if (typeof value === 'string' && value.trim() === '') {
    report('incomplete', path, `has an empty ${nameIn(place, name)}`);
  } else {
    const fields = asObject(value);
    if (fields !== undefined) return { path, fields };
    report('malformed', path, `has a ${nameIn(place, name)} that is not a JSON object`);
  }
  return undefined;
}

/** `key uaa`, or `clientid in key uaa`. */
function nameIn(place: Place, name: string): string {
  const [key, ...inner] = [...place.path, name];
  return inner.length === 0 ? `key ${key}` : `${inner.join('.')} in key ${key}`;
}

/** An object, or the JSON text of one. */
function asObject(value: unknown): Fields | undefined {
  if (typeof value === 'string') return parseObject(value);
  return isObject(value) ? value : undefined;
}

function parseObject(text: string): Fields | undefined {
  const value = attempt<unknown>(() => parseBoundedJson(text, { maxLength: MAX_VALUE }));
  return isObject(value) ? value : undefined;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined where `fn` throws; what it threw may quote the text it was given, so nobody gets to see it. */
function attempt<T>(fn: () => T): T | undefined {
  try {
    return fn();
  } catch {
    return undefined;
  }
}

/** A stray log of the credentials must not become a leak: JSON and inspect show what is no secret. */
function sealed(credentials: AdminCredentials): AdminCredentials {
  const { baseUrl, tokenUrl, clientId } = credentials;
  const shown = () => ({ baseUrl, tokenUrl, clientId });
  Object.defineProperty(credentials, 'toJSON', { value: shown });
  Object.defineProperty(credentials, inspect.custom, { value: shown });
  return Object.freeze(credentials);
}
