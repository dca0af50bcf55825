import {
  cutText,
  isObject,
  type JsonLimits,
  ProviderError,
  type ProviderErrorOptions,
  parseBoundedJson,
} from '../../../framework/base/index.ts';

import { JsonLimitError } from '../../../framework/base/json/json-text.ts';
import type { Parameters } from '../service-manager/index.ts';

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
