import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { FAULT_PARTS } from './parts.ts';

const root = join(import.meta.dirname, '../..');
const files = globSync('{internal,test}/**/*.test.ts', { cwd: root });

test.each(FAULT_PARTS)('each path of the part $name leads to tests', ({ jestArgs }) => {
  const leadsNowhere = jestArgs.filter((path) => !files.some((file) => file.startsWith(path)));
  expect(leadsNowhere).toEqual([]);
});

test('each part runs by night', () => {
  const { jobs } = parse(readFileSync(join(root, '.github/workflows/nightly.yml'), 'utf8'));
  const parts: string[] = jobs.faults.strategy.matrix.part;
  expect(parts.flatMap((names) => names.split(' ')).sort()).toEqual(
    FAULT_PARTS.map(({ name }) => name).sort(),
  );
});
