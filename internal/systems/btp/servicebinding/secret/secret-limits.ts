/** What the API server refuses in a Secret, checked before with a message for users. Messages quote no value. */

import { nameProblem } from '../../../../framework/kube/object/object-name.ts';

/** Values of a Secret together. */
const MAX_BYTES = 1024 * 1024;
const MAX_KEY_LENGTH = 253;

const KEY = /^[-._a-zA-Z0-9]+$/;

/**
 * The sentence about the first entry that a Secret cannot have; undefined: there is none.
 *
 * @param data base64 values by key
 */
export function dataProblem(data: Readonly<Record<string, string>>): string | undefined {
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
