/** The documents of a template's output: what is between lines that begin with `---`. Empty ones are left out. */
export function splitManifests(text: string): string[] {
  return text
    .replace(LEADING_SPACE, '')
    .split(/^---[ \t]*/m)
    .map((document) => document.replace(LEADING_SPACE, ''))
    .filter((document) => document !== '');
}

/** White space as Go defines it. */
const LEADING_SPACE = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
