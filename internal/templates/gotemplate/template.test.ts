import { describe, expect, test } from '@jest/globals';
import type { MissingKey } from './exec/execution.ts';
import { type GoldenCase, goldenFiles, readGoldenCases } from './goldens/golden-cases.fixture.ts';
import { parseTemplate } from './template.ts';

/** The options of Go; `invalid` is another name of the default. */
const MISSING_KEYS: Record<string, MissingKey | undefined> = {
  'missingkey=default': 'default',
  'missingkey=invalid': 'default',
  'missingkey=zero': 'zero',
  'missingkey=error': 'error',
};

function run({ template, data, option }: GoldenCase): GoldenCase['expected'] {
  const missingKey = MISSING_KEYS[option];
  try {
    return { output: parseTemplate('t', template).execute(data, missingKey && { missingKey }) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

describe('templates give what Go gives', () => {
  test.each(goldenFiles().filter((file) => file.startsWith('engine/')))('%s', (file) => {
    const cases = readGoldenCases(file);
    const actual = cases.map((golden) => ({ name: golden.name, ...run(golden) }));
    expect(actual).toEqual(cases.map(({ name, expected }) => ({ name, ...expected })));
  });
});
