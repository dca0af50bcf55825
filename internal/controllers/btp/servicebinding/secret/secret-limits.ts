/** What the API server refuses in a Secret, checked before with a message for users. Messages quote no value. */

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

function isKey(key: string): boolean {
  return key.length <= MAX_KEY_LENGTH && KEY.test(key) && key !== '.' && !key.startsWith('..');
}

const keyProblem = (key: string): string =>
  `${JSON.stringify(key)} is not a valid key of a Secret: a key has at most ${MAX_KEY_LENGTH} letters, digits, '-', '_' and '.'. ` +
  'Use spec.secretKey, spec.secretRootKey or spec.secretTemplate, so that the credentials have other keys';
