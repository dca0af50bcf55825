import { STATUS_CODES } from 'node:http';

/** The text of a status, or that something without a name is not found. */
const BARE = /^\W*(404\W*)?((page|route|resource|path|url) )?not found\W*$/i;
const STATUS_TEXTS = new Set(Object.values(STATUS_CODES).map((text) => text?.toLowerCase()));

/**
 * Whether a mothership, of Go or of this program, has answered with this error: `error` with a text of its own, and nothing else.
 * Gateways have other members, or a text that names no object.
 */
export function isErrorOfMothership({ error, ...others }: Readonly<Record<string, unknown>>): boolean {
  if (typeof error !== 'string' || Object.keys(others).length > 0) return false;
  return !BARE.test(error) && !STATUS_TEXTS.has(error.trim().toLowerCase());
}
