/**
 * The text of parts of a JSON text, exactly as it is written: JSON.parse loses the order and form of numbers, escapes and
 * white space. Each function takes linear time and requires a valid JSON text.
 */
import { endOfString } from './bounded-json.ts';

/** The value of the member `name` of an object; of the last one, as for JSON.parse. Undefined: no object, or no member. */
export const rawMember = (text: string, name: string): string | undefined => rawMembers(text)?.get(name);

/** The members of an object; of several with one name the last one, as for JSON.parse. Undefined: no object. */
export function rawMembers(text: string): Map<string, string> | undefined {
  const start = skipSpace(text, 0);
  if (text[start] !== '{') return undefined;
  const members = new Map<string, string>();
  let at = skipSpace(text, start + 1);
  while (text[at] === '"') {
    const keyEnd = endOfString(text, at) + 1;
    const key = String(JSON.parse(text.slice(at, keyEnd)));
    const value = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = endOfValue(text, value);
    members.set(key, text.slice(value, end));
    at = nextElement(text, end);
  }
  return members;
}

/** The elements of an array; empty if it is no array. */
export function rawElements(text: string): string[] {
  const elements: string[] = [];
  const start = skipSpace(text, 0);
  if (text[start] !== '[') return elements;
  let at = skipSpace(text, start + 1);
  while (at < text.length && text[at] !== ']') {
    const end = endOfValue(text, at);
    elements.push(text.slice(at, end));
    at = nextElement(text, end);
  }
  return elements;
}

/** The start of the next element after the comma, or the closing bracket. */
function nextElement(text: string, end: number): number {
  const at = skipSpace(text, end);
  return text[at] === ',' ? skipSpace(text, at + 1) : at;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      at = endOfString(text, at);
      if (depth === 0) return at + 1;
    } else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') {
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (depth === 0 && (char === ',' || isSpace(char))) return at;
  }
  return text.length;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text[at])) at++;
  return at;
}

const isSpace = (char: string | undefined) => char === ' ' || char === '\n' || char === '\r' || char === '\t';
