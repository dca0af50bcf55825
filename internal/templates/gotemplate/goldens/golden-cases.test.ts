import { describe, expect, test } from '@jest/globals';
import { goldenFiles, readGoldenCases } from './golden-cases.fixture.ts';

describe('golden cases', () => {
  test.each(goldenFiles())('the results of %s were made from its cases', (file) => {
    expect(readGoldenCases(file).length).toBeGreaterThan(0);
  });
});
