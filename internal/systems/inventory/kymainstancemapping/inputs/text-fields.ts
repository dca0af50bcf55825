import { stringAt } from '../../../../framework/base/json/json-value.ts';
import type { KubeObject } from '../../../../framework/kube/index.ts';

import { isObjectName } from '../../../../framework/kube/object/object.ts';
import type { Problem } from '../../input/read-input.ts';

/** A field of an input object. */
export interface FieldPlace extends Required<Pick<Problem, 'field'>> {
  readonly path: readonly string[];
  /** The field in messages: `key CLUSTER_ID`. */
  readonly label: string;
}

export type TextRead = { readonly value: string } | { readonly problem: Problem };

/** The limit of Kubernetes names, in characters; IDs of SAP BTP are shorter. */
const MAX_LENGTH = 253;

/** White space, and all that is not visible: control characters, marks of direction, half a character. */
const INVISIBLE = /[\s\p{C}]/u;

/**
 * An ID, without white space around it. It becomes a part of requests, of the external name and of columns of kubectl.
 *
 * @param place `absent` is the text of the problem without the field
 */
export function idAt(object: KubeObject, place: FieldPlace & { readonly absent: string }): TextRead {
  const read = textAt(object, place);
  if (read === undefined) return problemWith(place, 'incomplete', place.absent);
  if ('problem' in read) return read;
  const value = read.value.trim();
  if (value === '') return problemWith(place, 'incomplete', `has an empty ${place.label}`);
  if (INVISIBLE.test(value)) {
    return malformed(place, 'that holds white space or invisible characters, so it is no ID');
  }
  return { value };
}

/** The name of a Secret; `fallback` if the field is absent or empty. */
export function nameAt(object: KubeObject, place: FieldPlace, fallback: string): TextRead {
  const read = textAt(object, place) ?? { value: '' };
  if ('problem' in read) return read;
  if (read.value === '') return { value: fallback };
  return isObjectName(read.value) ? read : malformed(place, 'that is not the name of a Secret');
}

/** Undefined if the field is absent. */
function textAt(object: KubeObject, place: FieldPlace): TextRead | undefined {
  const field = stringAt(object, place.path);
  switch (field.state) {
    case 'absent':
      return undefined;
    case 'wrong-type':
      return malformed(place, `that is not a string but ${article(field.found)}`);
    case 'ok':
      return field.value.length > MAX_LENGTH
        ? malformed(place, `of more than ${MAX_LENGTH} characters, so it is no ID and no name`)
        : { value: field.value };
  }
}

const malformed = (place: FieldPlace, why: string) =>
  problemWith(place, 'malformed', `has a ${place.label} ${why}`);

function problemWith({ field }: FieldPlace, kind: Problem['kind'], text: string): TextRead {
  return { problem: { kind, text, field } };
}

const article = (noun: string) => (/^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`);
