import type { Selection } from '../client/client.ts';
import type { KubeObject } from '../object/object.ts';

/**
 * Whether an object is selected: labels by equality, existence and sets, fields by equality of `metadata.name` and
 * `metadata.namespace`.
 *
 * @param refuse called for a selector that an API server refuses
 * @throws RangeError for `>` and `<`
 */
export function selectorOf(
  { namespace, labelSelector = '', fieldSelector = '' }: Selection,
  refuse: (message: string) => never,
): (object: KubeObject) => boolean {
  const labels = termsOf(labelSelector, refuse);
  const fields = termsOf(fieldSelector, refuse);
  for (const { name } of fields)
    if (name !== 'metadata.name' && name !== 'metadata.namespace')
      refuse(`field label not supported: ${name}`);
  return ({ metadata }) =>
    (namespace === undefined || metadata.namespace === namespace) &&
    labels.every(({ name, holds }) => holds(metadata.labels?.[name])) &&
    fields.every(({ name, holds }) => holds(name === 'metadata.name' ? metadata.name : metadata.namespace));
}

interface Term {
  readonly name: string;
  readonly holds: (value: string | undefined) => boolean;
}

function termsOf(selector: string, refuse: (message: string) => never): Term[] {
  // A comma in parentheses separates values.
  const terms = selector.split(/,(?![^(]*\))/).map((term) => term.trim());
  return terms
    .filter((term) => term !== '')
    .map((term) => termOf(term) ?? refuse(`cannot parse the selector ${term}`));
}

function termOf(term: string): Term | undefined {
  if (/[<>]/.test(term)) throw new RangeError(`the memory client does not compare numbers: ${term}`);
  const equality = /^([\w./-]+) *(==?|!=) *([\w./-]*)$/.exec(term);
  if (equality !== null) {
    const [, name = '', operator, wanted] = equality;
    return { name, holds: (value) => (value === wanted) !== (operator === '!=') };
  }
  const set = /^([\w./-]+) +(in|notin) *\(([^()]*)\)$/.exec(term);
  if (set !== null) {
    const [, name = '', operator, list = ''] = set;
    const values = list.split(',').map((value) => value.trim());
    return {
      name,
      holds: (value) => (value !== undefined && values.includes(value)) !== (operator === 'notin'),
    };
  }
  const existence = /^(!?) *([\w./-]+)$/.exec(term);
  if (existence === null) return undefined;
  const [, not, name = ''] = existence;
  return { name, holds: (value) => (value !== undefined) !== (not === '!') };
}
