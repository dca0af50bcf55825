import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { type GoldenCase, goldenFiles, readGoldenCases } from '../goldens/golden-cases.fixture.ts';
import { parseTemplate } from '../template.ts';
import { FUNCTION_CATEGORIES, SPRIG_FUNCTIONS } from './categories.ts';

function run({ template, data }: GoldenCase) {
  try {
    return { output: parseTemplate('t', template, { functions: SPRIG_FUNCTIONS }).execute(data) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

const files = goldenFiles().filter((file) => file.startsWith('functions/'));

describe.each(files)('%s', (file) => {
  test.each(readGoldenCases(file).map((golden) => [golden.name, golden] as const))('%s', (_, golden) => {
    expect(run(golden)).toEqual(golden.expected);
  });
});

describe('the list of functions', () => {
  const names = readFileSync(new URL('../../../../hack/gotemplate/functions.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n');

  test('is what templates can use, and nothing else', () => {
    expect(Object.keys(SPRIG_FUNCTIONS).sort()).toEqual(names.toSorted());
    expect(FUNCTION_CATEGORIES.flatMap((category) => category.names).sort()).toEqual(names.toSorted());
  });

  const cases = files.flatMap(readGoldenCases);

  test.each(names)('%s has at least five golden cases', (name) => {
    const own = cases.filter((golden) => golden.name.startsWith(`${name} `));
    expect(own.length).toBeGreaterThanOrEqual(5);
    const call = new RegExp(`[^A-Za-z0-9_"]${name}[^A-Za-z0-9_"]`);
    expect(own.filter(({ template }) => !call.test(template))).toEqual([]);
  });
});
