import { expect, test } from '@jest/globals';
import { inParts, isSmall, type PartWork } from './in-parts.ts';

const text: PartWork<string> = {
  part: (value) => JSON.stringify(value),
  list: (items) => `[${items.join(',')}]`,
  object: (members) => `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`,
};
const wide = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`k${n}`, [n, { a: null }, 'x']]));
const nested = (levels: number, core: unknown): unknown =>
  levels === 0 ? core : nested(levels - 1, { a: core === undefined ? 1 : core, __proto__: [1] });

test.each([
  ['scalar', 'a'],
  ['small', { a: [1, null, { b: true }], c: {} }],
  ['wide', wide],
  ['list of large ones', [wide, 1, [wide]]],
  ['deep and large', nested(100, wide)],
])('a value in parts becomes what the whole becomes: %s', async (_title, value) => {
  expect(await inParts(value, text, () => undefined)).toBe(JSON.stringify(value));
});

test('a large value gives way after each of its members, and no part is large', async () => {
  const parts: unknown[] = [];
  let turns = 0;
  const part = (value: unknown) => {
    parts.push(value);
    return '';
  };
  await inParts([wide, wide], { ...text, part }, () => {
    turns++;
    return undefined;
  });
  expect(turns).toBeGreaterThan(6000);
  expect(parts.every((value) => isSmall(value))).toBe(true);
});

test('large parts that are nested too deeply are refused', async () => {
  let value: unknown = wide;
  for (let level = 0; level < 600; level++) value = [value];
  await expect(inParts(value, text, () => undefined)).rejects.toThrow('nested deeper than 500 levels');
});
