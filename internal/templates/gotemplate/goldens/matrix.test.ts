import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { SPRIG_FUNCTIONS } from '../functions/categories.ts';
import { parseTemplate } from '../template.ts';
import { differences, type FunctionResults, isStable, resultsOf } from './matrix.fixture.ts';

const recorded: Readonly<Record<string, FunctionResults>> = JSON.parse(
  readFileSync(new URL('./matrix.json', import.meta.url), 'utf8'),
);

function run(template: string) {
  try {
    return { output: parseTemplate('t', template, { functions: SPRIG_FUNCTIONS }).execute(null) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

test('functions of Secret templates give for each type of argument what Go gives', () => {
  const names = Object.keys(SPRIG_FUNCTIONS).filter(isStable).sort();
  const own = Object.fromEntries(names.map((name) => [name, resultsOf(name, run)]));
  expect(differences(own, recorded)).toEqual([]);
});
