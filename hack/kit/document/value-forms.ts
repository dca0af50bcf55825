/** Values that requests have in one form and responses in another, although both are texts: a difference that no update ends. */
import { flatSchema } from './object-properties.ts';
import type { JsonObject, OpenapiDocument } from './openapi-document.ts';

export interface OtherForm {
  /** From the field. */
  readonly path: readonly string[];
  /** A value, or the format. */
  readonly sent: string;
  readonly returned: string;
}

const MAX_DEPTH = 4;

/** By what the document shows of both: known values, formats and examples. */
export function otherForms(
  sent: unknown,
  returned: unknown,
  document: Pick<OpenapiDocument, 'resolve'>,
  path: readonly string[] = [],
): readonly OtherForm[] {
  const [a, b] = [flatSchema(sent, document), flatSchema(returned, document)];
  if (a.type === 'string' && b.type === 'string') {
    const found = ofValues(a.own, b.own) ?? ofFormats(a.own, b.own) ?? ofExamples(a.own, b.own);
    return found === undefined ? [] : [{ path, sent: found[0], returned: found[1] }];
  }
  if (path.length > MAX_DEPTH) return [];
  if (a.type === 'array' && b.type === 'array')
    return otherForms(a.own.items ?? {}, b.own.items ?? {}, document, path);
  return [...a.properties].flatMap(([name, part]) =>
    b.properties.has(name) ? otherForms(part, b.properties.get(name), document, [...path, name]) : [],
  );
}

type Forms = readonly [sent: string, returned: string] | undefined;

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

/** `active` and `ACTIVE`. */
function ofValues(sent: JsonObject, returned: JsonObject): Forms {
  const values = textsOf(returned.enum);
  const known = new Map(values.map((each) => [each.toLowerCase(), each]));
  const exact = new Set(values);
  for (const value of textsOf(sent.enum)) {
    const other = known.get(value.toLowerCase());
    if (other !== undefined && !exact.has(value)) return [value, other];
  }
  return undefined;
}

const TIMES = ['date', 'date-time'];

function ofFormats(sent: JsonObject, returned: JsonObject): Forms {
  const [a, b] = [String(sent.format), String(returned.format)];
  return TIMES.includes(a) && TIMES.includes(b) && a !== b ? [a, b] : undefined;
}

const CLASSES: readonly (readonly [string, RegExp])[] = [
  ['number', /^-?\d+(?:\.\d+)?$/],
  ['quantity', /^\d+(?:\.\d+)? ?[a-z%]{1,12}$/i],
  ['date', /^\d{4}-\d\d-\d\d$/],
  ['time', /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/i],
  ['clock', /^\d{1,2}:\d\d(?::\d\d)?$/],
];

/** `1 GB` and `1024`, `a` and `A`. */
function ofExamples({ example: sent }: JsonObject, { example: returned }: JsonObject): Forms {
  if (typeof sent !== 'string' || typeof returned !== 'string' || sent === returned) return undefined;
  const plain = (text: string) => text.trim().toLowerCase().replace(/\/$/, '');
  if (plain(sent) === plain(returned)) return [sent, returned];
  const classOf = (text: string) => CLASSES.find(([, pattern]) => pattern.test(text))?.[0];
  const [a, b] = [classOf(sent), classOf(returned)];
  return a !== undefined && b !== undefined && a !== b ? [sent, returned] : undefined;
}
