import type { Selection } from '../client/client.ts';
import type { KubeObject } from '../object/object.ts';

/** Equality and existence over labels; `metadata.name` and `metadata.namespace` over fields. */
export function selects(selection: Selection, object: KubeObject): boolean {
  const { namespace, labelSelector = '', fieldSelector = '' } = selection;
  const fields: Readonly<Record<string, string | undefined>> = {
    'metadata.name': object.metadata.name,
    'metadata.namespace': object.metadata.namespace,
  };
  return (
    (namespace === undefined || object.metadata.namespace === namespace) &&
    termsOf(labelSelector).every((term) => holds(term, object.metadata.labels ?? {})) &&
    termsOf(fieldSelector).every((term) => holds(term, fields))
  );
}

const termsOf = (selector: string) => selector.split(',').filter(Boolean);

function holds(term: string, values: Readonly<Record<string, string | undefined>>): boolean {
  const match = /^(!?)([\w./-]+)(?:(==?|!=)(.*))?$/.exec(term);
  if (match === null) throw new RangeError(`the memory client does not understand the selector ${term}`);
  const [, not, name = '', operator, value] = match;
  if (operator === undefined) return name in values !== (not === '!');
  return (values[name] === value) !== (operator === '!=');
}
