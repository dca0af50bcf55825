import { createHmac, randomBytes } from 'node:crypto';
import { sortTexts } from '../../../templates/gotemplate/values/text.ts';

/**
 * A JSON value as Go's encoding/json writes a map: keys in the order of their bytes, no white space, and escapes for the
 * characters that HTML reserves.
 *
 * Two values differ from Go: an integer beyond 2^53, which has lost digits when it was parsed, and half of a surrogate
 * pair, which is escaped instead of replaced.
 */
export function goJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  if (typeof value === 'string') return escapeHtml(JSON.stringify(value));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const members: string[] = [];
  for (const name of sortTexts(Object.keys(value))) {
    const member: unknown = (value as Readonly<Record<string, unknown>>)[name];
    if (member !== undefined) members.push(`${goJson(name)}:${goJson(member)}`);
  }
  return `{${members.join(',')}}`;
}

const reserved = /[<>&\u2028\u2029]/;
const escapeHtml = (text: string): string =>
  reserved.test(text)
    ? text.replace(
        /[<>&\u2028\u2029]/g,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
    : text;

/** A hash without a key would allow to guess what is in a Secret. */
const key = randomBytes(32);

/** Equal for equal JSON values, within this process. */
export const fingerprint = (value: unknown): string =>
  createHmac('sha256', key).update(goJson(value)).digest('base64');
