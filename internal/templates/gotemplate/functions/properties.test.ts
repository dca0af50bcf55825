import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../../test/campaign/any-character.ts';
import { propertyCampaign } from '../../../../test/campaign/campaign.ts';
import { systemClock } from '../../../framework/base/time/clock.ts';
import { createBudget, DEFAULT_LIMITS } from '../budget.ts';
import { TemplateLimitError } from '../errors.ts';
import { fromBytes, normalize } from '../values/text.ts';
import {
  dict,
  FunctionError,
  GoInteger,
  GoMap,
  GoObject,
  GoSlice,
  INTEGER_TYPES,
  type IntegerType,
  list,
  stringMap,
  strings,
  type Value,
} from '../values/value.ts';
import { SPRIG_FUNCTIONS } from './categories.ts';
import { parseVersion, versionValue } from './semver/version.ts';
import { unixTime } from './time/go-time.ts';
import { timeValue } from './time/values.ts';

const MEMORY = 1024 * 1024;
const LIMITS = { ...DEFAULT_LIMITS, memoryBytes: MEMORY, timeMs: 10_000 };

const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.uint8Array({ maxLength: 20 }).map(fromBytes),
  fc.constantFrom(
    '',
    'a,b',
    '1.2.3',
    '>=1.2',
    '^[a-z]+$',
    '(',
    '2006-01-02',
    '1h30m',
    'Europe/Berlin',
    '{"a":[1]}',
  ),
  fc.constantFrom('-1', '0x1f', '1e9', '/a/../b', 'https://u:p@h:1/p?q#f', 'YWJj', '$1', 'a b\nc'),
);

const integer = fc
  .tuple(
    fc.constantFrom<IntegerType>(...Object.values(INTEGER_TYPES)),
    fc.oneof(fc.bigInt({ min: -5n, max: 20n }), fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n })),
  )
  .map(([type, value]) => new GoInteger(type, value));

const int = fc
  .oneof(fc.bigInt({ min: -5n, max: 20n }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))
  .map((value) => new GoInteger(INTEGER_TYPES.int, value));

const scalar: fc.Arbitrary<Value> = fc.oneof(
  text,
  int,
  integer,
  fc.constant(null),
  fc.boolean(),
  fc.double(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((seconds) => timeValue(unixTime(seconds))),
  fc.constantFrom('1.2.3', '0.0.1-a').map((version) => versionValue(parseVersion(version))),
);

const { value: anyValue } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }).map(list),
    fc.array(text, { maxLength: 4 }).map(strings),
    fc.array(fc.tuple(text, tie('value')), { maxLength: 4 }).map(dict),
    fc.array(fc.tuple(text, text), { maxLength: 3 }).map(stringMap),
    fc.constant(new GoSlice('interface {}', [], true)),
    fc.constant(new GoMap('interface {}', new Map(), true)),
  ),
}));

/** A dictionary that contains itself, which `set` can make. */
const cyclic = fc.constant(null).map(() => {
  const map = dict([['a', 'b']]);
  map.entries.set('self', map);
  return map;
});

const aList = fc.oneof(
  fc.array(anyValue, { maxLength: 5 }).map(list),
  fc.array(text, { maxLength: 5 }).map(strings),
);
const aDict = fc.oneof(fc.array(fc.tuple(text, anyValue), { maxLength: 4 }).map(dict), cyclic);
const time = fc
  .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  .map((seconds) => timeValue(unixTime(seconds)));

/** Arguments of any type, and of the types that functions have. */
const someArguments: fc.Arbitrary<readonly Value[]> = fc.oneof(
  fc.array(anyValue, { maxLength: 5 }),
  fc.array(text, { minLength: 1, maxLength: 3 }),
  fc.tuple(int, text),
  fc.tuple(int, text, text),
  fc.tuple(int, int, text),
  fc.tuple(text, int, text),
  fc.tuple(text, text, int),
  fc.array(int, { minLength: 1, maxLength: 4 }),
  fc.tuple(fc.double(), int, fc.double()),
  fc.tuple(aList),
  fc.tuple(aList, anyValue),
  fc.tuple(fc.oneof(int, text), aList),
  fc.tuple(aList, int, int),
  fc.tuple(aDict),
  fc.tuple(aDict, aDict),
  fc.tuple(aDict, text, anyValue),
  fc.tuple(text, text, aDict),
  fc.tuple(text, time, text),
  fc.tuple(text, time),
);

/** Characters, items and entries in a value. */
function sizeOf(value: Value, depth = 0): number {
  if (typeof value === 'string') return value.length;
  if (depth > 20) return 0;
  if (value instanceof GoSlice)
    return value.items.reduce<number>((sum, item) => sum + sizeOf(item, depth + 1), value.items.length);
  if (value instanceof GoMap) {
    return [...value.entries].reduce(
      (sum, [key, item]) => sum + key.length + sizeOf(item, depth + 1),
      value.entries.size,
    );
  }
  return 1;
}

function isValue(value: unknown): value is Value {
  return (
    value === null ||
    ['boolean', 'number', 'string'].includes(typeof value) ||
    value instanceof GoInteger ||
    value instanceof GoSlice ||
    value instanceof GoMap ||
    value instanceof GoObject
  );
}

describe.each(Object.entries(SPRIG_FUNCTIONS))('%s', (name, called) => {
  test('takes any arguments: it gives a value within the budget, or one of the errors of templates', () => {
    fc.assert(
      fc.property(someArguments, (args) => {
        const before = args.reduce<number>((sum, arg) => sum + sizeOf(arg), 0);
        const budget = createBudget(LIMITS, systemClock);
        try {
          const result = called.call(args, { budget, clock: systemClock, random: Math.random });
          expect(isValue(result)).toBe(true);
          expect(sizeOf(result)).toBeLessThanOrEqual(MEMORY + before + 100);
          if (typeof result === 'string') expect(normalize(result)).toBe(result);
        } catch (error) {
          const isExpected =
            error instanceof TemplateLimitError ||
            (error instanceof FunctionError && name.startsWith('must'));
          if (!isExpected) throw error;
        }
      }),
      // Of each function.
      propertyCampaign(40),
    );
  });
});
