import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { adoptKnown } from './informer.ts';
import { createStringInterner, internAndFreeze } from './transform.ts';

const intern = createStringInterner();
const frozen = <T>(value: T): T => internAndFreeze(structuredClone(value), intern);
const adopted = <T>(value: T, known: T | undefined): T => adoptKnown(structuredClone(value), known, intern);

function isFrozenDeeply(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozenDeeply);
}

test('parts that have not changed are those of the known version, also around a change', () => {
  const known = frozen({
    metadata: { name: 'a', labels: { x: '1' } },
    spec: { list: [{ name: 'one' }, { name: 'two', of: [1, 2] }] },
    status: { state: 'Pending' },
  });
  const value = structuredClone(known);
  value.status.state = 'Ready';
  value.spec.list[0] = { name: 'other' };
  const result = adopted(value, known);
  expect(result).toEqual(value);
  expect(result.metadata).toBe(known.metadata);
  expect(result.spec.list[1]).toBe(known.spec.list[1]);
  expect(isFrozenDeeply(result)).toBe(true);
});

test('an object is what was received, frozen, whatever was known', () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  const member = fc.constantFrom('a', 'b', '__proto__', 'constructor', 'length');
  const object = fc.dictionary(member, fc.oneof(json, fc.constantFrom({}, [], [{}], null)));
  fc.assert(
    fc.property(object, object, json, (one, other, shared) => {
      const value = JSON.parse(JSON.stringify({ ...one, shared }));
      const known = internAndFreeze(JSON.parse(JSON.stringify({ ...other, shared })), intern);
      const text = JSON.stringify(value);
      const result = adoptKnown(value, known, intern);
      expect(JSON.stringify(result)).toBe(text);
      expect(isFrozenDeeply(result)).toBe(true);
      if (typeof shared === 'object' && shared !== null)
        expect(JSON.stringify(result.shared)).toBe(JSON.stringify(shared));
    }),
  );
});

test('the nesting that an API server accepts does not overflow the stack', () => {
  const levels = 10_000;
  const text = `${'{"a":['.repeat(levels / 2)}"x"${']}'.repeat(levels / 2)}`;
  const known = internAndFreeze(JSON.parse(text), intern);
  const result = adoptKnown(JSON.parse(text.replace('"x"', '"y"')), known, intern);
  expect(Object.isFrozen(result.a[0].a)).toBe(true);
});
