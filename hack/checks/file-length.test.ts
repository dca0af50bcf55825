import { expect, test } from '@jest/globals';
import { checkFileLength } from './file-length.ts';

test.each([
  ['internal/a.ts', 600, 0],
  ['internal/a.ts', 601, 1],
  ['hack/a.ts', 601, 1],
  // A table of cases is as long as it is, and so is what is generated.
  ['internal/a.test.ts', 2000, 0],
  ['apis/a.gen.ts', 2000, 0],
  ['docs/a.md', 2000, 0],
])('%s with %i lines', (path, lines, problems) => {
  expect(checkFileLength(new Map([[path, '\n'.repeat(lines)]]))).toHaveLength(problems);
});
