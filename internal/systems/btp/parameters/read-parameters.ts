import { createHash } from 'node:crypto';
import {
  cutText,
  isObject,
  type JsonLimits,
  type NamedValue,
  ownMember,
  ProviderError,
  type ProviderErrorOptions,
  parseBoundedJson,
} from '../../../framework/base/index.ts';
import { JsonLimitError } from '../../../framework/base/json/json-text.ts';
import { countValues } from '../../../framework/base/json/json-value.ts';
import {
  isNotFound,
  type KubeClient,
  keyString,
  notFoundText,
  type ObjectWatcher,
  type Secret,
  secrets,
} from '../../../framework/kube/index.ts';
import type { Parameters } from '../service-manager/index.ts';
import type { ServiceResource } from '../status/service-resource.ts';

/** The parameters of an instance or binding, from its spec and from Secrets. */
export interface ReadParameters {
  /** Undefined: there are none, and none are sent. */
  readonly parameters: Parameters | undefined;
  /** Of Secrets. To be masked in texts. */
  readonly confidential: readonly NamedValue[];
  /** The Secrets, each once. */
  readonly secrets: readonly Secret[];
}

export interface ReadParametersOptions {
  readonly client: KubeClient;
  readonly objectWatcher: Pick<ObjectWatcher, 'target'>;
  readonly signal: AbortSignal;
}

/**
 * Reads the Secrets in the order of `parametersFrom`, each once.
 *
 * @throws ParametersError, whose targets report when a missing Secret is created or an invalid one is changed
 */
export async function readParameters(
  object: ServiceResource,
  options: ReadParametersOptions,
): Promise<ReadParameters> {
  const { parametersFrom = [], parameters } = object.spec;
  const inlineValues = countValues(parameters, MAX_VALUES + 1);
  if (inlineValues > MAX_VALUES) throw new ParametersError(tooManyValues);
  const read = new Map<string, Secret>();
  let bytes = 0;
  for (const { secretKeyRef } of parametersFrom) {
    const { name } = secretKeyRef;
    if (read.has(name)) continue;
    const secret = await readSecret(object, secretKeyRef, options);
    bytes += bytesOf(secret);
    if (bytes > MAX_SECRET_BYTES) throw new ParametersError(tooLarge('the Secrets have', MAX_SECRET_BYTES));
    read.set(name, secret);
  }
  const found = [...read.values()];
  try {
    const sources = parseSources(parametersFrom, read, MAX_VALUES - inlineValues);
    const confidential = [...new Set(sources)].flatMap((source) => [...texts(source)]);
    return { parameters: mergeParameters(sources, parameters), confidential, secrets: found };
  } catch (error) {
    if (!(error instanceof ParametersError)) throw error;
    const targets = found.map((secret) =>
      targetOf(secret.metadata, secret.metadata.resourceVersion, options),
    );
    throw new ParametersError(error.message, {
      targets,
      ...(error.source === undefined ? {} : { source: error.source }),
    });
  }
}

type Sources = NonNullable<ServiceResource['spec']['parametersFrom']>;

/**
 * The parameters of each source. A key that several sources name is parsed once.
 *
 * @param maxValues of all sources together
 */
function parseSources(sources: Sources, read: ReadonlyMap<string, Secret>, maxValues: number): Parameters[] {
  const parsed = new Map<string, Parameters>();
  let bytes = 0;
  let values = 0;
  return sources.map(({ secretKeyRef: { name, key } }) => {
    const source = `${name}/${key}`;
    const known = parsed.get(source);
    if (known !== undefined) return known;
    const secret = read.get(name);
    const text = secret && textOf(secret, key);
    bytes += Buffer.byteLength(text ?? '');
    if (bytes > MAX_BYTES) throw new ParametersError(tooLarge('the values have', MAX_BYTES));
    const parameters = parseParameters(text, name, key);
    values += countValues(parameters, maxValues + 1);
    if (values > maxValues) throw new ParametersError(tooManyValues);
    parsed.set(source, parameters);
    return parameters;
  });
}

/** Of all values together, before they are parsed: the limit of one Secret. */
const MAX_BYTES = 2 ** 20;
/** Of all Secrets together, which are in memory at once. */
const MAX_SECRET_BYTES = 8 * 2 ** 20;

/** Of `parameters` and all Secrets together: they are hashed, sorted and compared while nothing else runs. */
const MAX_VALUES = 20_000;
const tooManyValues = `the parameters have more than ${MAX_VALUES} fields and elements`;

const tooLarge = (what: string, limit: number): string =>
  `cannot read parametersFrom: ${what} more than ${limit} bytes`;

const bytesOf = ({ data = {} }: Secret): number =>
  Object.values(data).reduce((sum, encoded) => sum + Buffer.byteLength(encoded, 'base64'), 0);

async function readSecret(
  { metadata: { namespace } }: ServiceResource,
  source: ParametersSource,
  options: ReadParametersOptions,
): Promise<Secret> {
  const { name } = source;
  const key = { namespace, name };
  try {
    const secret = await options.client.get(secrets, key, { signal: options.signal });
    if (secret.metadata.deletionTimestamp === undefined) return secret;
    const targets = [targetOf(key, secret.metadata.resourceVersion, options)];
    throw new ParametersError(`secret ${name} is marked for deletion`, { targets });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const targets = [targetOf(key, undefined, options)];
    const place = `spec.parametersFrom names Secret ${keyString(key)}`;
    throw new ParametersError(`secrets ${JSON.stringify(name)} ${notFoundText(keyString(key))} (${place})`, {
      targets,
      source,
    });
  }
}

const targetOf = (
  { name, namespace = '' }: { readonly name: string; readonly namespace?: string },
  version: string | undefined,
  { objectWatcher }: ReadParametersOptions,
) => objectWatcher.target(secrets, { name, namespace }, version ?? 'absent');

function textOf({ data }: Secret, key: string): string | undefined {
  const encoded = ownMember(data, key);
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}

/** All strings in the values, with the names of their fields. Elements have the name of their array. */
function* texts(value: unknown, name = ''): Generator<NamedValue> {
  if (typeof value === 'string') yield { name, value };
  else if (Array.isArray(value)) for (const element of value) yield* texts(element, name);
  else if (typeof value === 'object' && value !== null)
    for (const [field, member] of Object.entries(value)) yield* texts(member, field);
}

/** The versions of Secrets, as one text that differs when one of them changed. */
export function versionsOf(read: readonly Secret[]): string {
  const versions = read.map(
    ({ metadata: { uid = '', resourceVersion = '' } }) => `${uid}/${resourceVersion}`,
  );
  return createHash('sha256').update(versions.sort().join(' ')).digest('hex').slice(0, 32);
}

/** `namespace/name` of the Secrets that the object refers to. */
export function secretKeysOf({ metadata: { namespace }, spec }: ServiceResource): string[] {
  return (spec.parametersFrom ?? []).map(({ secretKeyRef: { name } }) => keyString({ namespace, name }));
}

/** The parameters cannot be built. The message quotes no value of a Secret. */
export class ParametersError extends ProviderError {
  /** The source at fault, if it is one. */
  readonly source: ParametersSource | undefined;

  constructor(message: string, options: ProviderErrorOptions & { readonly source?: ParametersSource } = {}) {
    super('transient', message, options);
    this.source = options.source;
  }
}

/** An entry of `spec.parametersFrom`: a key of a Secret. */
export interface ParametersSource {
  readonly name: string;
  readonly key: string;
}

/** The limit of a Secret is 1 MiB. */
const limits: JsonLimits = { maxLength: 2 ** 20, maxDepth: 64, maxValues: 50_000 };

/** In characters. */
const MAX_NAME_IN_MESSAGE = 100;

/** A parameter of that name in a Secret is ignored: Service Manager does not share in an update with other members. */
const SHARED = 'shared';

/**
 * The value of a key of a Secret, a JSON object.
 *
 * @param text undefined: the Secret has no such key
 * @throws ParametersError
 */
export function parseParameters(text: string | undefined, secret: string, key: string): Parameters {
  const refuse = (cause: string): never => {
    const source = { name: secret, key };
    throw new ParametersError(`failed to unmarshal parameters as JSON object: ${cause}`, { source });
  };
  const what = `key ${key} of secret ${secret}`;
  if (text === undefined) return refuse(`${what} does not exist`);
  const value = parsed(text, (why) => refuse(`${what} ${why}`));
  if (value === null) return {};
  return isObject(value) ? value : refuse(`${what} has another JSON value`);
}

function parsed(text: string, refuse: (why: string) => never): unknown {
  try {
    return parseBoundedJson(text, limits);
  } catch (error) {
    // The message of a SyntaxError quotes the text.
    return refuse(error instanceof JsonLimitError ? `has a JSON text ${error.message}` : 'has no JSON');
  }
}

/**
 * All parameters in one object; undefined if there are none.
 *
 * @throws ParametersError if two sources have a parameter of the same name
 */
export function mergeParameters(
  fromSecrets: readonly Parameters[],
  inline: Parameters = {},
): Parameters | undefined {
  const merged = new Map<string, unknown>();
  const add = (name: string, value: unknown) => {
    if (merged.has(name)) {
      const quoted = JSON.stringify(cutText(name, MAX_NAME_IN_MESSAGE));
      throw new ParametersError(`conflict: duplicate entry for parameter ${quoted}`);
    }
    merged.set(name, value);
  };
  for (const source of fromSecrets) {
    for (const [name, value] of Object.entries(source)) if (name !== SHARED) add(name, value);
  }
  for (const [name, value] of Object.entries(inline)) add(name, value);
  if (merged.size === 0) return undefined;
  return Object.fromEntries([...merged].sort(([a], [b]) => (a < b ? -1 : 1)));
}
