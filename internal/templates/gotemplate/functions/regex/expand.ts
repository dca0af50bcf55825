import type { Match } from './pattern.ts';

/** A reference in a replacement: `$1`, `$name` or `${name}`. Names are letters, digits and underscores. */
const REFERENCE = /\$(?:\$|([\p{L}\p{Nd}_]+)|\{([\p{L}\p{Nd}_]+)\})/gu;

/** Go reads no larger number. */
const MAX_GROUP = 1e9;

/** Replaces references by groups of the match. What is no reference stays; groups that are none are empty. */
export function expand(replacement: string, match: Match): string {
  return replacement.replace(REFERENCE, (reference, plain?: string, braced?: string) => {
    const name = plain ?? braced;
    if (name === undefined) return reference === '$$' ? '$' : reference;
    const isNumber = /^(?:0|[1-9][0-9]*)$/.test(name) && Number(name) < MAX_GROUP;
    return isNumber ? match.group(Number(name)) : match.named(name);
  });
}
