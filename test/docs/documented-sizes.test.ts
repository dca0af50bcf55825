/** Sizes that pages name are those of the program: a size without a row fails, and one that differs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { DOCUMENTED_SIZES } from './documented-sizes.ts';

const ROOT = join(import.meta.dirname, '../..');
const UNITS = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 } as const;
const SIZE = /(\d[\d.,]*) (KiB|MiB|GiB)\b/g;

/** `2 * 1024 ** 2`, `8 * MIB`, `MIB / 4`, 16_384. */
const product = (text: string): number =>
  text.split(/ (?=[*/] )/).reduce((sofar, part) => {
    const [, isDivision, base = '', exponent = '1'] =
      /^(?:\* |(\/ ))?(\w[\w.]*)(?: \*\* (\d+))?$/.exec(part) ?? [];
    const value = (base === 'MIB' ? UNITS.MiB : Number(base.replaceAll('_', ''))) ** Number(exponent);
    return isDivision ? sofar / value : sofar * value;
  }, 1);

/** @param reference `file#name.name / divisor` */
function bytesOf(reference: string): number {
  const [constant = '', divisor = '1'] = reference.split(' / ');
  const [file = '', path = ''] = constant.split('#');
  const source = readFileSync(join(ROOT, 'internal', file), 'utf8');
  const names = path.split('.');
  const pattern = names.map((name) => `\\b${name}\\b(?:: [^=;,{}]+)? ?[:=] `).join('[^]*?');
  const [, value] = new RegExp(`${pattern}((?:\\d|MIB)[^,;}]*)`).exec(source) ?? [];
  if (value === undefined) throw new Error(`there is no ${constant}`);
  return (product(value.trim()) * (names.at(-1)?.endsWith('MB') ? UNITS.MiB : 1)) / Number(divisor);
}

describe.each(Object.entries(DOCUMENTED_SIZES))('%s', (page, rows) => {
  const lines = readFileSync(join(ROOT, page), 'utf8')
    .split('\n')
    // The last column of the tables about security names tests.
    .map((line) => (page === 'docs/security.md' ? line.split(' | ').slice(0, -1).join(' | ') : line));
  const sizesIn = (line: string) => [...line.matchAll(SIZE)].map(([text]) => text);
  const inBytes = (text: string) => {
    const [value = '', unit] = text.split(' ');
    return Number(value.replaceAll(',', '')) * UNITS[unit as keyof typeof UNITS];
  };

  test('has no other sizes', () => {
    const named = lines.filter((line) => sizesIn(line).length > 0);
    expect(named.filter((line) => !Object.keys(rows).some((row) => line.includes(row)))).toEqual([]);
  });

  test.each(Object.entries(rows))('%s: as in the program', (row, references) => {
    const [line = '', ...others] = lines.filter((each) => each.includes(row));
    expect(others).toEqual([]);
    const sizes = sizesIn(line);
    expect(sizes).toHaveLength(references.length);
    const documented = sizes.map((text, index) => ({ of: references[index], bytes: inBytes(text) }));
    expect(documented.filter(({ of, bytes }) => of !== undefined && bytes !== bytesOf(of))).toEqual([]);
  });
});
