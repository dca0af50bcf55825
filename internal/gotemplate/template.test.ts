import { describe, expect, test } from '@jest/globals';
import type { MissingKey } from './exec/execution.ts';
import { type GoldenCase, goldenFiles, readGoldenCases } from './goldens/golden-cases.fixture.ts';
import { parseTemplate } from './template.ts';

function run({ template, data, option }: GoldenCase) {
  const missingKey = option.replace('missingkey=', '') as MissingKey;
  try {
    return { output: parseTemplate('t', template).execute(data, { missingKey }) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

describe.each(goldenFiles().filter((file) => file.startsWith('engine/')))('%s', (file) => {
  test.each(readGoldenCases(file).map((golden) => [golden.name, golden] as const))('%s', (_, golden) => {
    expect(run(golden)).toEqual(golden.expected);
  });
});
