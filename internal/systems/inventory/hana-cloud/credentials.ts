import { isObject, ownMember, parseBoundedJson } from '../../../framework/base/index.ts';

import { trimTrailing } from '../../../framework/base/text/text.ts';
import {
  type ApiCredentials,
  clientCertificateProblems,
  sealCredentials,
} from '../../../framework/http/index.ts';

/**
 * The credentials of an admin binding of a HANA Cloud instance, for the Administration API at `baseUrl`. Printing or
 * serialising them shows no secret.
 */
export type AdminCredentials = ApiCredentials;

/** A problem of one field. Never quotes a value. */
export interface CredentialProblem {
  /** `incomplete`: missing or empty, may still be filled in; `malformed`: must be fixed by a user. */
  readonly kind: 'incomplete' | 'malformed';
  /** `uaa.clientid`; after the key, if one key contains all as JSON. */
  readonly field: string;
  /** Completes `Secret x/y …`: `has no key uaa`. */
  readonly text: string;
}

export type ParsedCredentials =
  | { readonly credentials: AdminCredentials }
  | { readonly problems: readonly CredentialProblem[] };

/** Length of one value, in characters. Credentials with a certificate chain have about 15,000. */
const MAX_VALUE = 64 * 1024;
/** Keys of a Secret; a binding has about ten. */
const MAX_KEYS = 100;
/** Keys in one message. */
const MAX_NAMED = 5;
/** Length of `baseurl` and the token endpoint, in characters. */
const MAX_URL = 2048;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Parses the decoded data of a binding's Secret, in each of its forms: keys `baseurl` (or `url`) and `uaa`, the latter as
 * JSON; or one key with all as JSON (a binding with `secretKey`). `uaa` contains a client secret, or `certificate`, `key`
 * and `certurl`. Returns all problems at once.
 *
 * @param source of the credentials, for messages
 */
export function parseAdminCredentials(
  data: Readonly<Record<string, string>>,
  source?: string,
): ParsedCredentials {
  return parseFrom((report) => (isModest(data, report) ? rootOf(data, report) : undefined), source);
}

/** Parses one key with all as JSON, whatever its name is. */
export function parseCredentialsKey(key: string, text: string, source?: string): ParsedCredentials {
  return parseFrom(
    (report) => (isModest({ [key]: text }, report) ? rootUnder(key, text, report) : undefined),
    source,
  );
}

function parseFrom(
  findRoot: (report: Report) => CredentialsObject | undefined,
  source: string | undefined,
): ParsedCredentials {
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
  return {
    credentials: sealCredentials({
      baseUrl,
      clientId,
      ...access,
      ...(source === undefined ? {} : { source }),
    }),
  };
}

type Report = (kind: CredentialProblem['kind'], path: readonly string[], text: string) => void;

/** An object in the data, with its path for messages. */
interface CredentialsObject {
  readonly path: readonly string[];
  readonly fields: Fields;
}

/** Limits, checked before anything is parsed. */
function isModest(data: Readonly<Record<string, string>>, report: Report): boolean {
  const keys = Object.keys(data);
  if (keys.length > MAX_KEYS) report('malformed', [], `has more than ${MAX_KEYS} keys`);
  const large = keys.find((key) => (data[key]?.length ?? 0) > MAX_VALUE);
  if (large !== undefined)
    report('malformed', [large], `has a key ${large} of more than ${MAX_VALUE / 1024} KiB`);
  return keys.length <= MAX_KEYS && large === undefined;
}

/** The object with `baseurl` and `uaa`: the data itself, or the JSON of the one key. */
function rootOf(data: Readonly<Record<string, string>>, report: Report): CredentialsObject | undefined {
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
  // A JSON object in the only key is meant to be credentials. Any other text belongs to another Secret.
  return only !== undefined && entries.length === 1 && /^\s*\{/.test(only[1])
    ? rootUnder(...only, report)
    : { path: [], fields: data };
}

function rootUnder(key: string, text: string, report: Report): CredentialsObject | undefined {
  const fields = parseObject(text);
  if (text.trim() === '') report('incomplete', [key], `has an empty key ${key}`);
  else if (fields === undefined) report('malformed', [key], `has a key ${key} that is not a JSON object`);
  return fields && (wrapped([key], fields)[0] ?? { path: [key], fields });
}

/** The object itself if it has the fields of credentials; else one level down, where `secretRootKey` puts them. */
function wrapped(path: readonly string[], fields: Fields | undefined, depth = 0): CredentialsObject[] {
  if (fields === undefined) return [];
  if (Object.hasOwn(fields, 'uaa') || Object.hasOwn(fields, 'baseurl')) return [{ path, fields }];
  if (depth > 0) return [];
  return Object.entries(fields).flatMap(([key, value]) =>
    wrapped([...path, key], asObject(value), depth + 1),
  );
}

function usesX509(uaa: CredentialsObject): boolean {
  const { fields } = uaa;
  if (fields.clientsecret !== undefined) return false;
  return (
    fields['credential-type'] === 'x509' ||
    ['certificate', 'key', 'certurl'].some((key) => Object.hasOwn(fields, key))
  );
}

type Access = Pick<AdminCredentials, 'tokenUrl' | 'authentication'>;

function secretAccess(uaa: CredentialsObject, report: Report): Access | undefined {
  const url = urlField(uaa, 'url', report);
  const clientSecret = textField(uaa, 'clientsecret', report);
  if (url === undefined || clientSecret === undefined) return undefined;
  return { tokenUrl: tokenEndpoint(url), authentication: { method: 'client-secret', clientSecret } };
}

function x509Access(uaa: CredentialsObject, report: Report): Access | undefined {
  const url = urlField(uaa, 'certurl', report);
  const certificate = pemField(uaa, 'certificate', report);
  const key = pemField(uaa, 'key', report);
  if (url === undefined || certificate === undefined || key === undefined) return undefined;
  if (!matchingPair(uaa, certificate, key, report)) return undefined;
  return { tokenUrl: tokenEndpoint(url), authentication: { method: 'x509', certificate, key } };
}

function matchingPair(uaa: CredentialsObject, certificate: string, key: string, report: Report): boolean {
  const problems = clientCertificateProblems(certificate, key);
  for (const { part, text } of problems) {
    report('malformed', [...uaa.path, part], `has a ${nameIn(uaa, part)} that ${text}`);
  }
  return problems.length === 0;
}

function tokenEndpoint(url: string): string {
  return url.endsWith('/oauth/token') ? url : `${url}/oauth/token`;
}

/** Accepts PEM with line ends that were escaped twice, as some tools write it. */
function pemField(at: CredentialsObject, name: string, report: Report): string | undefined {
  return textField(at, name, report)?.replaceAll('\\n', '\n');
}

function urlField(at: CredentialsObject, name: string, report: Report): string | undefined {
  const text = textField(at, name, report)?.trim();
  if (text === undefined) return undefined;
  if (text.length > MAX_URL) {
    report('malformed', [...at.path, name], `has a ${nameIn(at, name)} of more than ${MAX_URL} characters`);
    return undefined;
  }
  const url = attempt(() => new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`));
  const fault = /\s/.test(text) || url === undefined ? 'is not a host name or an https URL' : faultOf(url);
  if (url !== undefined && fault === undefined) return url.origin + trimTrailing(url.pathname, '/');
  report('malformed', [...at.path, name], `has a ${nameIn(at, name)} that ${fault}`);
  return undefined;
}

function faultOf(url: URL): string | undefined {
  if (url.protocol !== 'https:') return 'is not https';
  if (url.username !== '' || url.password !== '') return 'holds a user name or password';
  if (url.search !== '' || url.hash !== '') return 'has a query or a fragment';
  return undefined;
}

function textField(at: CredentialsObject, name: string, report: Report): string | undefined {
  const value = ownMember(at.fields, name);
  const path = [...at.path, name];
  if (value === undefined || value === null) report('incomplete', path, `has no ${nameIn(at, name)}`);
  else if (typeof value !== 'string') {
    report('malformed', path, `has a ${nameIn(at, name)} that is not a string`);
  } else if (value.trim() === '') report('incomplete', path, `has an empty ${nameIn(at, name)}`);
  else return value;
  return undefined;
}

function objectField(at: CredentialsObject, name: string, report: Report): CredentialsObject | undefined {
  const value = ownMember(at.fields, name);
  const path = [...at.path, name];
  if (value === undefined || value === null) report('incomplete', path, `has no ${nameIn(at, name)}`);
  else if (typeof value === 'string' && value.trim() === '') {
    report('incomplete', path, `has an empty ${nameIn(at, name)}`);
  } else {
    const fields = asObject(value);
    if (fields !== undefined) return { path, fields };
    report('malformed', path, `has a ${nameIn(at, name)} that is not a JSON object`);
  }
  return undefined;
}

/** `key uaa`, or `clientid in key uaa`. */
function nameIn(at: CredentialsObject, name: string): string {
  const [key, ...inner] = [...at.path, name];
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

/** Undefined if `fn` throws. The error is dropped, since it may quote its input. */
function attempt<T>(fn: () => T): T | undefined {
  try {
    return fn();
  } catch {
    return undefined;
  }
}
