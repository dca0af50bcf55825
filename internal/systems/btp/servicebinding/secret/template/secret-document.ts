/**
 * The YAML document that a template renders: a Secret without name. Unknown fields are ignored. As when Go decodes JSON,
 * the case of names of fields does not count.
 */

import { parseDocument } from 'yaml';
import {
  isDeeperThan,
  type YamlLimits,
  yamlExcess,
} from '../../../../../framework/base/configuration/configuration.ts';
import { isObject } from '../../../../../framework/base/index.ts';
import { encodedData } from '../../../../../framework/kube/object/secret-data.ts';
import { managedByLabel, prefix } from '../../../metadata.ts';

export interface SecretDocument {
  readonly type?: string;
  readonly immutable?: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** base64 values, those of `stringData` included */
  readonly data: Readonly<Record<string, string>>;
}

/** The rendered text is not a Secret that a binding can have. */
export class SecretDocumentError extends Error {}

/** @throws SecretDocumentError, whose message quotes kind and keys of the document, no values */
export function parseSecretDocument(text: string): SecretDocument {
  const root = parseYamlMapping(text);
  if (typeof root === 'string') return refuseYaml(root);
  assertKind(root);
  const metadata = mappingAt(root, 'metadata');
  assertMetadata(metadata);
  const labels = textsAt(metadata, 'labels', 'metadata.labels');
  const annotations = textsAt(metadata, 'annotations', 'metadata.annotations');
  const problem = metadataProblem({ labels, annotations });
  if (problem !== undefined) throw new SecretDocumentError(problem);
  const type = yamlTextAt(root, 'type');
  if (tokenTypes.includes(type))
    throw new SecretDocumentError(`A Secret of type '${type}' cannot be created by a template`);
  const immutable = booleanAt(root, 'immutable');
  return {
    ...(type === '' ? {} : { type }),
    ...(immutable === undefined ? {} : { immutable }),
    labels,
    annotations,
    data: { ...dataAt(root), ...encodedData(textsAt(root, 'stringData')) },
  };
}

/** The control plane writes a token into the first, and accepts the content of the second as one. */
const tokenTypes = ['kubernetes.io/service-account-token', 'bootstrap.kubernetes.io/token'];

function assertKind(root: YamlMapping): void {
  const [kind, apiVersion] = [yamlTextAt(root, 'kind'), yamlTextAt(root, 'apiVersion')];
  if ((kind === '' && apiVersion === '') || (kind === 'Secret' && apiVersion === 'v1')) return;
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  throw new SecretDocumentError(
    `It is of kind '${group}/${version}, Kind=${kind}' but needs to be of kind 'Secret'`,
  );
}

/** Fields of metadata that Kubernetes knows and a template must not set. */
const forbidden = [
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'finalizers',
  'generateName',
  'generation',
  'managedFields',
  'name',
  'namespace',
  'ownerReferences',
  'resourceVersion',
  'selfLink',
  'uid',
];

function assertMetadata(metadata: YamlMapping): void {
  const field = forbidden.find((name) => isSet(fieldAt(metadata, name)));
  if (field === undefined) return;
  throw new SecretDocumentError(`Secret's metadata field '${field}' cannot be edited`);
}

function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function dataAt(root: YamlMapping): Record<string, string> {
  const entries = Object.entries(textsAt(root, 'data')).map(([key, text]) => {
    const value = text.replace(/[\r\n]/g, '');
    if (!BASE64.test(value))
      return refuseYaml(`${entryOf('data', key)} is not base64; use stringData for text`);
    return [key, value] as const;
  });
  return Object.fromEntries(entries);
}

function mappingAt(root: YamlMapping, field: string, path = field): YamlMapping {
  const value = fieldAt(root, field) ?? {};
  return isObject(value) ? value : refuseYaml(`${path} is not a mapping`);
}

/** A mapping of texts; null is an empty text. */
function textsAt(root: YamlMapping, field: string, path = field): Record<string, string> {
  const entries = Object.entries(mappingAt(root, field, path)).map(([key, value]) => {
    if (value !== null && typeof value !== 'string') return refuseYaml(`${entryOf(path, key)} is not a text`);
    return [key, value ?? ''] as const;
  });
  return Object.fromEntries(entries);
}

function yamlTextAt(root: YamlMapping, field: string): string {
  const value = fieldAt(root, field) ?? '';
  return typeof value === 'string' ? value : refuseYaml(`${field} is not a text`);
}

function booleanAt(root: YamlMapping, field: string): boolean | undefined {
  const text = yamlTextAt(root, field).toLowerCase();
  if (text === '') return undefined;
  return text === 'true' || text === 'false' ? text === 'true' : refuseYaml(`${field} is not true or false`);
}

function fieldAt(mapping: YamlMapping, field: string): unknown {
  if (Object.hasOwn(mapping, field)) return mapping[field];
  const name = Object.keys(mapping).find((key) => key.toLowerCase() === field.toLowerCase());
  return name === undefined ? undefined : mapping[name];
}

const entryOf = (path: string, key: string): string => `${path}[${JSON.stringify(key)}]`;

function refuseYaml(why: string): never {
  throw new SecretDocumentError(`It does not result in a valid Secret YAML: ${why}`);
}

/** Mappings, sequences, texts and null. Texts are as written: `0123` and `yes` as well. */
type YamlMapping = Readonly<Record<string, unknown>>;

const limits: YamlLimits = { maxBytes: 2 ** 20, maxDepth: 32, maxTokens: 200_000, maxAnchors: 100 };

const excessTexts = {
  bytes: `it has more than ${limits.maxBytes} bytes`,
  depth: `it is nested deeper than ${limits.maxDepth} levels`,
  tokens: `it has more than ${limits.maxTokens} tokens`,
  anchors: `it has more than ${limits.maxAnchors} anchors and aliases`,
};

/**
 * The one document of an untrusted YAML text; an empty one is an empty mapping. Of equal keys the last one counts.
 *
 * @returns a text if it is not a mapping: why. It quotes nothing, since the YAML has credentials.
 */
function parseYamlMapping(text: string): YamlMapping | string {
  if (!text.isWellFormed()) return 'it is not valid UTF-8';
  const excess = yamlExcess(text, limits);
  if (excess !== undefined) return excessTexts[excess];
  // Warnings of the parser quote the text. With `silent` a second document is no error. The check for equal keys does not
  // take linear time.
  const document = parseDocument(text, {
    schema: 'failsafe',
    customTags: ['null'],
    merge: true,
    logLevel: 'error',
    uniqueKeys: false,
    prettyErrors: false,
  });
  const [error = document.warnings[0]] = document.errors;
  if (error !== undefined) return `${placeOf(text, error.pos[0])}: ${reasonOf(error.code)}`;
  if (isDeeperThan(document.contents, limits.maxDepth)) return excessTexts.depth;
  const value = contentOf(document);
  if (typeof value === 'string') return value;
  return value.root === null ? {} : isObject(value.root) ? value.root : 'it is not a mapping';
}

function contentOf(document: ReturnType<typeof parseDocument>): { readonly root: unknown } | string {
  try {
    const root: unknown = document.toJS({ maxAliasCount: limits.maxAnchors });
    return { root };
  } catch {
    return 'an alias has no anchor, or aliases of aliases make it too large';
  }
}

function placeOf(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}

/** The messages of the parser quote the text; its codes do not. */
function reasonOf(code: string): string {
  switch (code) {
    case 'MULTIPLE_DOCS':
      return 'a second document';
    case 'TAG_RESOLVE_FAILED':
      return 'an unknown tag';
    case 'BLOCK_AS_IMPLICIT_KEY':
      return 'a mapping within a line; quote values that contain ": "';
    default:
      return code.toLowerCase().replaceAll('_', ' ');
  }
}

/** Labels and annotations that the API server refuses, whose messages would quote values, or that have a meaning here. */

interface Marks {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const MAX_NAME = 63;
const MAX_PREFIX = 253;
const MAX_ANNOTATION_BYTES = 256 * 1024;

const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const PREFIX_LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

/** The sentence about the first of them; undefined: there is none. It quotes keys, no values. */
export function metadataProblem({ labels, annotations }: Marks): string | undefined {
  for (const [field, marks] of Object.entries({ labels, annotations })) {
    const reserved = Object.keys(marks).find(isReserved);
    if (reserved !== undefined) {
      return `metadata.${field} has the key ${quoted(reserved)}; keys with ${prefix} are set by the operator only`;
    }
  }
  for (const [key, value] of Object.entries(labels)) {
    if (!isQualifiedName(key))
      return `metadata.labels has the key ${quoted(key)}, which is not a valid key of a label`;
    if (!isLabelValue(value)) {
      return `metadata.labels[${quoted(key)}] is not a valid value of a label: it has at most ${MAX_NAME} letters, digits, '-', '_' and '.', and begins and ends with a letter or digit`;
    }
  }
  const invalid = Object.keys(annotations).find((key) => !isQualifiedName(key.toLowerCase()));
  if (invalid !== undefined) {
    return `metadata.annotations has the key ${quoted(invalid)}, which is not a valid key of an annotation`;
  }
  const bytes = Object.entries(annotations)
    .flat()
    .reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return bytes > MAX_ANNOTATION_BYTES
    ? `metadata.annotations has ${bytes} bytes; the limit is ${MAX_ANNOTATION_BYTES} bytes`
    : undefined;
}

/** Of two writers that each restore their own value, none ends. The label of all Secrets has one value, whatever a template says. */
const isReserved = (key: string): boolean => key !== managedByLabel && key.toLowerCase().startsWith(prefix);

const isLabelValue = (value: string): boolean => value === '' || isName(value);

const isName = (text: string): boolean => text.length <= MAX_NAME && NAME.test(text);

/** A name, or a DNS subdomain, a slash and a name. */
function isQualifiedName(key: string): boolean {
  const slash = key.lastIndexOf('/');
  return isName(key.slice(slash + 1)) && (slash === -1 || isSubdomain(key.slice(0, slash)));
}

const isSubdomain = (text: string): boolean =>
  text.length <= MAX_PREFIX && text.split('.').every((label) => PREFIX_LABEL.test(label));

const quoted = (key: string): string => JSON.stringify(key);
