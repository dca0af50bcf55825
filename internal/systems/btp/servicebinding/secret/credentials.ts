import {
  isObject,
  type JsonLimits,
  type NamedValue,
  parseBoundedJson,
} from '../../../../framework/base/index.ts';
import { JsonLimitError, rawElements, rawMembers } from '../../../../framework/base/json/json-text.ts';

/** A Secret has at most 1 MiB; the text may have white space and escapes. */
const limits: JsonLimits = { maxLength: 2 ** 21, maxDepth: 64, maxValues: 100_000 };

/** Shorter numbers are ports and the like, which occur in messages by chance. */
const SHORTEST_NUMBER = 6;

/** The credentials as an object, or why they are none. `problem` quotes nothing. */
export type ParsedCredentials =
  | { readonly object: Readonly<Record<string, unknown>> }
  | { readonly problem: string };

/** @param text as received from Service Manager */
export function parseCredentials(text: string): ParsedCredentials {
  try {
    const value = parseBoundedJson(text, limits);
    if (value === null) return { object: {} };
    return isObject(value)
      ? { object: value }
      : { problem: `the credentials are ${kindOf(value)}, not a JSON object` };
  } catch (error) {
    // The message of a SyntaxError quotes the text.
    return {
      problem: `the credentials are ${error instanceof JsonLimitError ? `a JSON text ${error.message}` : 'no JSON'}`,
    };
  }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a JSON array';
  return `a JSON ${typeof value}`;
}

/** All strings and long numbers in the credentials: what must not occur in messages. */
export function credentialTexts(text: string): (string | NamedValue)[] {
  return 'object' in parseCredentials(text) ? [...textsIn(text.trim())] : [text];
}

/** @param text without white space around it @param name of the field; elements have the name of their array */
function* textsIn(text: string, name = ''): Generator<NamedValue> {
  const members = rawMembers(text);
  if (members !== undefined) for (const [field, part] of members) yield* textsIn(part, field);
  else if (text[0] === '[') for (const part of rawElements(text)) yield* textsIn(part, name);
  else if (text[0] === '"') yield { name, value: String(JSON.parse(text)) };
  else if (text.length >= SHORTEST_NUMBER) yield { name, value: text };
}
