/**
 * The entries of a Secret without a template. Three formats:
 *
 * - an entry for each credential
 * - `spec.secretKey`: one entry with all credentials, as received
 * - `spec.secretRootKey`: one entry with everything, a JSON object of strings
 */
import { rawElements, rawMembers } from '../../../../framework/base/json/raw-json.ts';
import { compareText } from '../../../../templates/gotemplate/values/text.ts';
import { goJson } from '../../parameters/go-json.ts';
import { parseCredentials } from './credentials.ts';
import { DESCRIPTION } from './description.ts';
import { createFailedText, SecretContentError } from './errors.ts';
import { type InstanceInfo, infoEntries, type Property } from './instance-info.ts';

/** Values by key; not encoded. */
export type SecretEntries = Readonly<Record<string, string>>;

export interface SecretFormat {
  readonly secretKey?: string;
  readonly secretRootKey?: string;
}

/**
 * Data of the instance replaces a credential of the same name, as in Secrets of the SAP BTP service operator; libraries find
 * the binding by it. `.metadata` then has no credential of that name.
 *
 * @param credentials the JSON text as received; undefined: there are none
 * @throws SecretContentError
 */
export function defaultData(
  credentials: string | undefined,
  instance: InstanceInfo,
  { secretKey, secretRootKey }: SecretFormat,
): SecretEntries {
  const found = credentials === undefined ? undefined : credentialEntries(credentials, secretKey);
  const info = infoEntries(instance);
  const entries = { ...found?.entries, ...info.entries };
  if (secretRootKey !== undefined) return { [secretRootKey]: goJson(wellFormed(entries)) };
  const properties = found?.properties.filter(({ name }) => !Object.hasOwn(info.entries, name));
  return { ...entries, [DESCRIPTION]: metadataText(properties, info.properties) };
}

interface CredentialEntries {
  readonly entries: SecretEntries;
  readonly properties: readonly Property[];
}

function credentialEntries(credentials: string, secretKey: string | undefined): CredentialEntries {
  if (secretKey !== undefined) {
    return {
      entries: { [secretKey]: credentials },
      properties: [{ name: secretKey, container: true, format: 'json' }],
    };
  }
  const parsed = parseCredentials(credentials);
  if ('problem' in parsed) throw new SecretContentError(createFailedText(parsed.problem));
  const members = [...(rawMembers(credentials) ?? [])].sort(([a], [b]) => compareText(a, b));
  const entries = new Map<string, { readonly value: string; readonly format: Property['format'] }>();
  for (const [name, text] of members) {
    const key = name.replaceAll(' ', '_');
    // A space sorts before an underscore, so that the credential whose name has no space is used.
    entries.set(
      key,
      text[0] === '"'
        ? { value: String(JSON.parse(text)), format: 'text' }
        : { value: goJsonText(text), format: 'json' },
    );
  }
  return {
    entries: Object.fromEntries([...entries].map(([key, { value }]) => [key, value])),
    properties: [...entries].map(([name, { format }]) => ({ name, format })),
  };
}

const wellFormed = (entries: SecretEntries): SecretEntries =>
  Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, value.toWellFormed()]));

/** Null instead of credentials: there are none. Fields in the order of the SAP BTP service operator. */
function metadataText(credentials: readonly Property[] | undefined, instance: readonly Property[]): string {
  const list = (properties: readonly Property[]) => `[${properties.map(propertyText).join(',')}]`;
  return `{"credentialProperties":${credentials === undefined ? 'null' : list(credentials)},"metaDataProperties":${list(instance)}}`;
}

const propertyText = ({ name, container, format }: Property): string =>
  `{"name":${goJson(name)},${container ? '"container":true,' : ''}"format":"${format}"}`;

/**
 * A JSON text as Go's encoding/json writes its value: no white space, keys in the order of their bytes, escapes for the
 * characters that HTML reserves. Numbers stay as they are written, so that no digit is lost.
 *
 * @param text valid JSON of limited depth: each level is read once more
 */
function goJsonText(text: string): string {
  switch (text.trimStart()[0]) {
    case '{':
      return `{${[...(rawMembers(text) ?? [])]
        .sort(([a], [b]) => compareText(a, b))
        .map(([name, value]) => `${goString(name)}:${goJsonText(value)}`)
        .join(',')}}`;
    case '[':
      return `[${rawElements(text).map(goJsonText).join(',')}]`;
    case '"':
      return goString(String(JSON.parse(text)));
    default:
      return text.trim();
  }
}

/** Go decodes half of a surrogate pair to U+FFFD. */
const goString = (text: string): string => goJson(text.toWellFormed());
