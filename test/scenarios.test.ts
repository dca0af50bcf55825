import { glob, readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { checkScenarios } from './scenarios/scenario-list.ts';

const root = new URL('../', import.meta.url);
const read = (path: string) => readFile(new URL(path, root), 'utf8');

test('every scenario of the contract has its test, or a reason why there is none', async () => {
  const sources = new Map<string, string>();
  for await (const path of glob('{internal,test}/**/*.{test,suite}.ts', { cwd: root })) {
    if (!path.startsWith('test/scenarios')) sources.set(path, await read(path));
  }
  expect(sources.size).toBeGreaterThan(100);
  expect(checkScenarios(await read('test/scenarios.yaml'), sources)).toEqual([]);
});
