/** Valid values and texts with some damage: most parsers refuse a random value at its first field. */
import fc from 'fast-check';
import { hostileJson, hostileText, jsonText } from './hostile.ts';

type Path = readonly (string | number)[];
type Change = (value: unknown) => { readonly value: unknown } | undefined;

/** What replaces a part; undefined removes it. */
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    arbitrary: hostileJson.map(
      (value): Change =>
        () => ({ value }),
    ),
    weight: 8,
  },
  { arbitrary: fc.constant<Change>(() => undefined), weight: 3 },
  { arbitrary: fc.constant<Change>((value) => ({ value: [value, value] })), weight: 1 },
  { arbitrary: fc.constant<Change>((value) => ({ value: { value } })), weight: 1 },
  { arbitrary: fc.constant<Change>((value) => ({ value: jsonText(value) })), weight: 1 },
  {
    arbitrary: hostileText.map(
      (text): Change =>
        (value) => ({ value: typeof value === 'string' ? value + text : text }),
    ),
    weight: 3,
  },
  {
    arbitrary: fc.tuple(hostileText, hostileJson).map(
      ([name, member]): Change =>
        (value) => ({ value: typeof value === 'object' ? { ...value, [name]: member } : member }),
    ),
    weight: 2,
  },
);

/** The JSON value with up to three parts changed, removed or added. */
export function damagedValue(valid: unknown): fc.Arbitrary<unknown> {
  const paths = fc.constantFrom(...pathsIn(valid));
  return fc
    .array(fc.tuple(paths, change), { maxLength: 3 })
    .map((changes) => changes.reduce((value, [path, apply]) => changedAt(value, path, apply), valid));
}

function pathsIn(value: unknown): Path[] {
  if (typeof value !== 'object' || value === null) return [[]];
  const names = Array.isArray(value) ? value.keys() : Object.keys(value);
  const members = value as Readonly<Record<string | number, unknown>>;
  return [[], ...[...names].flatMap((name) => pathsIn(members[name]).map((path) => [name, ...path]))];
}

/** The value itself if a change before removed the path. */
function changedAt(value: unknown, path: Path, apply: Change): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return apply(value)?.value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, first)) return value;
  const member = (value as Readonly<Record<string | number, unknown>>)[first];
  const changed = changedAt(member, rest, apply);
  if (Array.isArray(value)) {
    return changed === undefined ? value.toSpliced(Number(first), 1) : value.with(Number(first), changed);
  }
  const { [first]: _, ...others } = value as Readonly<Record<string | number, unknown>>;
  return changed === undefined ? others : { ...others, [first]: changed };
}

/** The text as it is, cut, repeated in part, or with something inserted or replaced. */
export function damagedText(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const at = fc.nat({ max: 10_000 });
  return fc.oneof(
    { arbitrary: texts, weight: 6 },
    {
      arbitrary: fc.tuple(texts, at).map(([text, end]) => text.slice(0, end % (text.length + 1))),
      weight: 1,
    },
    {
      arbitrary: fc
        .tuple(texts, at, fc.nat({ max: 8 }), hostileText)
        .map(([text, start, length, inserted]) => {
          const from = start % (text.length + 1);
          return text.slice(0, from) + inserted + text.slice(from + length);
        }),
      weight: 2,
    },
    {
      arbitrary: fc
        .tuple(texts, at, at, fc.nat({ max: 50 }))
        .map(([text, a, b, times]) => text + text.slice(a % (text.length + 1), (a + b) % 200).repeat(times)),
      weight: 1,
    },
    { arbitrary: hostileText, weight: 1 },
  );
}

/** The JSON text of a damaged value, with damage of its own. */
export const damagedJson = (valid: unknown): fc.Arbitrary<string> =>
  damagedText(damagedValue(valid).map(jsonText));
