/**
 * The Secret of a ServiceBinding, from the credentials of Service Manager, the spec of the binding and its instance. Pure:
 * the same input has the same result, except for templates that use time or random numbers.
 */
import type { ServiceBinding } from '../../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { createScrubber, cutText } from '../../../../framework/base/index.ts';
import { rawElements, rawMembers } from '../../../../framework/base/json/json-text.ts';
import { nameProblem } from '../../../../framework/kube/object/object.ts';
import { encodedData } from '../../../../framework/kube/object/secret-data.ts';
import { compareText } from '../../../../templates/gotemplate/values/text.ts';
import { managedByLabel, staleLabel } from '../../metadata.ts';
import { goJson } from '../../parameters/go-json.ts';
import type { ServiceInstance } from '../../serviceinstance/resource.ts';
import { credentialTexts, parseCredentials } from './credentials.ts';
import { DESCRIPTION } from './description.ts';
import { createFailedText, invalidTemplateText, SecretContentError } from './errors.ts';
import { type InstanceInfo, infoEntries, instanceInfo, type Property } from './instance-info.ts';
import type { SecretDocument } from './template/secret-document.ts';

export interface SecretSource {
  readonly binding: ServiceBinding;
  readonly instance: ServiceInstance;
  /** The JSON text exactly as received; undefined: there are none. Secret. */
  readonly credentials: string | undefined;
}

/** What `storeSecret` writes. */
export interface SecretContent {
  readonly type: string;
  /** Default false. */
  readonly immutable?: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** base64 values */
  readonly data: Readonly<Record<string, string>>;
}

/** Annotation of the Secret: the name of its binding. */
const bindingAnnotation = 'binding';

/** Renders the template of a binding. @throws SecretContentError, whose message may quote credentials */
type RenderTemplate = (source: SecretSource) => SecretDocument;

/**
 * Without the code of templates, which is large: most bindings have none.
 *
 * @param render of a binding with a template
 * @throws SecretContentError, whose message has no credential in plain text, base64 or escaped
 */
export function assembleContent(source: SecretSource, render: RenderTemplate): SecretContent {
  try {
    return content(source, render);
  } catch (error) {
    if (!(error instanceof SecretContentError)) throw error;
    const scrub = createScrubber(credentialTexts(source.credentials ?? '{}'));
    // Cut afterwards: a part of a credential is not found. Without the cause, whose text has values.
    throw new SecretContentError(cutText(scrub(error.message), MAX_MESSAGE), error.kind);
  }
}

/** In characters. */
const MAX_MESSAGE = 2000;

function content(source: SecretSource, render: RenderTemplate): SecretContent {
  const { metadata, spec } = source.binding;
  const rendered = spec.secretTemplate ? render(source) : undefined;
  const data = dataOf(source, rendered);
  const stale = metadata.labels?.[staleLabel];
  return {
    type: rendered?.type ?? 'Opaque',
    ...(rendered?.immutable ? { immutable: true } : {}),
    labels: { ...rendered?.labels, [managedByLabel]: 'true', ...(stale ? { [staleLabel]: stale } : {}) },
    annotations: { ...rendered?.annotations, [bindingAnnotation]: metadata.name },
    data,
  };
}

/** A template without entries leaves them to the other formats. */
function dataOf(
  { binding, instance, credentials }: SecretSource,
  rendered: SecretDocument | undefined,
): SecretContent['data'] {
  const isRendered = rendered !== undefined && Object.keys(rendered.data).length > 0;
  const data = isRendered
    ? rendered.data
    : encodedData(defaultData(credentials, instanceInfo(instance), binding.spec));
  const problem = dataProblem(data);
  if (problem === undefined) return data;
  throw new SecretContentError(isRendered ? invalidTemplateText(problem) : createFailedText(problem));
}

// The entries of a Secret without a template. Three formats:
//
// - an entry for each credential
// - `spec.secretKey`: one entry with all credentials, as received
// - `spec.secretRootKey`: one entry with everything, a JSON object of strings

/** Values by key; not encoded. */
type SecretEntries = Readonly<Record<string, string>>;

interface SecretFormat {
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
function defaultData(
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

// What the API server refuses in a Secret, checked before with a message for users. Messages quote no value.

/** Values of a Secret together. */
const MAX_BYTES = 1024 * 1024;
const MAX_KEY_LENGTH = 253;

const KEY = /^[-._a-zA-Z0-9]+$/;

/**
 * The sentence about the first entry that a Secret cannot have; undefined: there is none.
 *
 * @param data base64 values by key
 */
function dataProblem(data: Readonly<Record<string, string>>): string | undefined {
  const invalid = Object.keys(data).find((key) => !isKey(key));
  if (invalid !== undefined) return keyProblem(invalid);
  const bytes = Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value, 'base64'), 0);
  return bytes > MAX_BYTES
    ? `the Secret would have ${bytes} bytes of data; the limit is ${MAX_BYTES} bytes`
    : undefined;
}

/** The part of a spec that names the Secret and its keys. */
export interface SecretNames {
  readonly secretName?: string;
  readonly secretKey?: string;
  readonly secretRootKey?: string;
}

/**
 * The sentence about the first name that no Secret, or no key of one, can have, with its field; undefined: there is none. Checked before
 * a binding is created: until then users can correct it without a loss.
 */
export function secretNamesProblem({
  secretName,
  secretKey,
  secretRootKey,
}: SecretNames): string | undefined {
  const ofSecret = secretName ? nameProblem(secretName, 'a Secret') : undefined;
  if (ofSecret !== undefined) return `spec.secretName: ${ofSecret}`;
  // With a root key, the other one is a member of its JSON.
  const field = secretRootKey === undefined ? 'secretKey' : 'secretRootKey';
  const key = secretRootKey ?? secretKey;
  return key === undefined || isKey(key) ? undefined : `spec.${field}: ${invalidKey(key)}`;
}

function isKey(key: string): boolean {
  return key.length <= MAX_KEY_LENGTH && KEY.test(key) && key !== '.' && !key.startsWith('..');
}

const invalidKey = (key: string): string =>
  `${JSON.stringify(key)} is not a valid key of a Secret: a key has at most ${MAX_KEY_LENGTH} letters, digits, '-', '_' and '.'`;

const keyProblem = (key: string): string =>
  `${invalidKey(key)}. ` +
  'Use spec.secretKey, spec.secretRootKey or spec.secretTemplate, so that the credentials have other keys';
