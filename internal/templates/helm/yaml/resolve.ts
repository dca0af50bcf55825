/** The types of plain scalars, by the rules of YAML 1.1 as the library of Helm has them. */
import { matchesLayout, parseFloat64, parseMagnitude } from '../../gotemplate/index.ts';
import { YamlError } from './cursor.ts';

const TAG_PREFIX = 'tag:yaml.org,2002:';

/** A scalar with its type. Integers are bigint, floats number. */
export interface Resolved {
  /** Short: `str`, `int`, `float`, `bool`, `null`, `timestamp`, `merge`; another tag as it is. */
  readonly tag: string;
  readonly value: null | boolean | number | bigint | string;
}

const words = (tag: string, value: Resolved['value'], ...texts: readonly string[]): [string, Resolved][] =>
  texts.map((text) => [text, { tag, value }]);

const WORDS: ReadonlyMap<string, Resolved> = new Map([
  ...words('bool', true, 'y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'),
  ...words('bool', false, 'n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'),
  ...words('null', null, '', '~', 'null', 'Null', 'NULL'),
  ...words('float', Number.NaN, '.nan', '.NaN', '.NAN'),
  ...words('float', Infinity, '.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'),
  ...words('float', -Infinity, '-.inf', '-.Inf', '-.INF'),
  ...words('merge', '<<', '<<'),
]);

const RESOLVABLE: ReadonlySet<string> = new Set(['', 'str', 'bool', 'int', 'float', 'null', 'timestamp']);

/** @param tag long form, empty if none @throws YamlError if the text does not fit the tag */
export function resolveScalar(tag: string, text: string): Resolved {
  const wanted = tag.startsWith(TAG_PREFIX) ? tag.slice(TAG_PREFIX.length) : tag;
  if (!RESOLVABLE.has(wanted)) return { tag: wanted, value: text };
  if (wanted === 'str') return { tag: 'str', value: text };
  const found = resolveText(text, wanted);
  if (wanted === '' || wanted === found.tag) return found;
  if (wanted === 'float' && typeof found.value === 'bigint')
    return { tag: 'float', value: Number(found.value) };
  throw new YamlError(`cannot decode !!${found.tag} \`${text}\` as a !!${wanted}`);
}

function resolveText(text: string, wanted: string): Resolved {
  const word = WORDS.get(text);
  if (word) return word;
  const first = text.charAt(0);
  if (first === '.') {
    const value = parseFloat64(text);
    if (value !== undefined) return { tag: 'float', value };
  } else if (/[-+\d]/.test(first)) {
    if ((wanted === '' || wanted === 'timestamp') && isTimestamp(text))
      return { tag: 'timestamp', value: text };
    const number = resolveNumber(text.replaceAll('_', ''));
    if (number) return number;
  }
  return { tag: 'str', value: text };
}

const TIMESTAMP_LAYOUTS = [
  '2006-1-2T15:4:5.999999999Z07:00',
  '2006-1-2t15:4:5.999999999Z07:00',
  '2006-1-2 15:4:5.999999999',
  '2006-1-2',
];

const isTimestamp = (text: string): boolean =>
  /^\d{4}-/.test(text) && TIMESTAMP_LAYOUTS.some((layout) => matchesLayout(layout, text));

const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;

function resolveNumber(text: string): Resolved | undefined {
  const isNegative = text.startsWith('-');
  const hasSign = /^[-+]/.test(text);
  const magnitude = parseMagnitude(hasSign ? text.slice(1) : text);
  if (magnitude !== undefined) {
    const limit = isNegative ? MAX_INT64 + 1n : hasSign ? MAX_INT64 : MAX_UINT64;
    if (magnitude <= limit) return { tag: 'int', value: isNegative ? -magnitude : magnitude };
  }
  if (!/^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/.test(text)) return undefined;
  const value = parseFloat64(text);
  return value === undefined ? undefined : { tag: 'float', value };
}

const BASE_60_FLOAT = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/** Whether a text that is written without quotes is read as a string again, also by other libraries. That of merge keys is, in Go. */
export const canBePlain = (text: string): boolean =>
  ['str', 'merge'].includes(resolveScalar('', text).tag) && !BASE_60_FLOAT.test(text);
