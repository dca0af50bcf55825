import { referenceNames } from '../schema/reference-fields.ts';
import type { Kind } from '../source/kinds.ts';
import type { FieldReference, Form, Schema, Source } from '../source/source.ts';
import { SourceError } from '../source/source-error.ts';

/**
 * The table of the references of a kind, for `resolveFieldReferences`; empty for a kind without any.
 *
 * @throws SourceError if a referenced kind is unknown, or has no form that the kind can refer to
 */
export function kindReferences(source: Source, kinds: readonly Kind[]): string {
  if (!source.managed) return '';
  const fieldsOf = (schema: Schema, path: readonly string[]): string[] =>
    Object.entries(schema.properties ?? {}).flatMap(([name, { $reference, ...field }]) => {
      const inner = [...path, name];
      if ($reference === undefined) return fieldsOf(field.items ?? field, inner);
      const { ref, selector } = referenceNames(name, field);
      const target = targetOf(source, $reference, kinds);
      const value =
        $reference.value === undefined ? '"external-name"' : JSON.stringify($reference.value.split('.'));
      const within = path.length === 0 ? '' : `        within: ${JSON.stringify(path)},\n`;
      return [
        `    {
${within}        field: "${name}",
        ref: "${ref}",
        selector: "${selector}",
        many: ${field.type === 'array'},
        value: ${value},
        to: ${typesOf(source, $reference, target)},
    },
`,
      ];
    });
  const fields = fieldsOf(source.forProvider, []);
  if (fields.length === 0) return '';
  const constant = `${source.kind.slice(0, 1).toLowerCase()}${source.kind.slice(1)}References`;
  return `
/** Fields of \`spec.forProvider\`, and of objects and lists within it, that references fill. */
export const ${constant} = [
${fields.join('')}] as const;
`;
}

function targetOf(source: Source, { kind, group, at }: FieldReference, kinds: readonly Kind[]): Source {
  const found = kinds.filter(
    ({ stored }) =>
      stored.kind === kind && (group === undefined || stored.forms.some((form) => form.group === group)),
  );
  const [only, other] = found;
  if (only !== undefined && other === undefined) return only.stored;
  const problem =
    only === undefined ? 'is no kind of this project' : 'are several kinds of this project: state the group';
  throw new SourceError(
    source.file,
    at,
    `$reference: ${kind}${group === undefined ? '' : `.${group}`} ${problem}`,
  );
}

/** The form that each form of the source refers to: of the same scope, or cluster-scoped. */
function typesOf(source: Source, { kind, at }: FieldReference, target: Source): string {
  const emitted = target.forms.filter(({ emit }) => emit);
  const of = (scope: Form['scope']) => emitted.find((form) => form.scope === scope);
  const entries = source.forms.flatMap((form) => {
    if (!form.emit) return [];
    const to = of(form.scope) ?? of('Cluster');
    if (to === undefined)
      throw new SourceError(
        source.file,
        at,
        `$reference: a cluster-scoped resource cannot refer to ${kind}, which has namespaces only`,
      );
    const key = form.scope === 'Cluster' ? 'cluster' : 'namespaced';
    return [`            ${key}: ${typeText(target, to)},\n`];
  });
  return `{\n${[...new Set(entries)].join('')}        }`;
}

const typeText = ({ version }: Source, { group, kind, plural, scope }: Form) =>
  `{ group: "${group}", version: "${version}", kind: "${kind}", plural: "${plural}", namespaced: ${scope === 'Namespaced'} }`;
