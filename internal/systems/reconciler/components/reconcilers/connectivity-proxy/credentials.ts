import { isObject, ProviderError, parseBoundedJson, valueAt } from '../../../../../framework/base/index.ts';

import type { Secret } from '../../../../../framework/kube/index.ts';
import { secretText } from '../objects.ts';

/** The credentials of a binding, with the parts that are JSON texts as values. */
export type Credentials = Readonly<Record<string, unknown>>;

const LIMITS = { maxLength: 256 * 1024 };
/** Where the BTP operator has JSON in a text. */
const nestedKeys: readonly string[] = ['connectivity_service', 'tags'];

/**
 * The credentials in the Secret of a binding.
 *
 * @param secretRootKey the key with all of them, if there is one
 * @throws ProviderError of kind `terminal`, which quotes nothing of the Secret
 */
export function credentialsOf(secret: Secret, secretRootKey: string | undefined): Credentials {
  if (secretRootKey === undefined) {
    const texts = Object.keys(secret.data ?? {}).map((key) => [key, secretText(secret, key) ?? ''] as const);
    return nested(Object.fromEntries(texts));
  }
  const root = parsed(secretText(secret, secretRootKey));
  if (!isObject(root)) throw unusable(`no JSON object under ${secretRootKey}`);
  return nested(root);
}

function nested(credentials: Credentials): Credentials {
  return Object.fromEntries(
    Object.entries(credentials).map(([key, value]) =>
      nestedKeys.includes(key) && typeof value === 'string' ? [key, parsed(value) ?? value] : [key, value],
    ),
  );
}

/** Undefined for what is no JSON. */
export function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return parseBoundedJson(text, LIMITS);
  } catch {
    return undefined;
  }
}

/** @throws ProviderError of kind `terminal` if it is missing */
export function credentialText(credentials: Credentials, ...path: readonly string[]): string {
  const value = valueAt(credentials, path);
  if (typeof value === 'string' && value !== '') return value;
  throw unusable(`no ${path.join('.')}`);
}

const unusable = (why: string): ProviderError =>
  new ProviderError('terminal', `the Secret of the binding to the Connectivity service has ${why}`);
