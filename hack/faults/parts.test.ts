import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { FAULT_PARTS } from './parts.ts';

const files = globSync('{internal,test}/**/*.test.ts', { cwd: join(import.meta.dirname, '../..') });

test.each(FAULT_PARTS)('each path of the part $name leads to tests', ({ jestArgs }) => {
  const leadsNowhere = jestArgs.filter((path) => !files.some((file) => file.startsWith(path)));
  expect(leadsNowhere).toEqual([]);
});
