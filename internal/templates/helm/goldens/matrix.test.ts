import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import {
  differences,
  type FunctionResults,
  isStable,
  resultsOf,
} from '../../gotemplate/goldens/matrix.fixture.ts';
import { parseTemplate } from '../../gotemplate/index.ts';
import { HELM_FUNCTIONS } from '../engine/functions.ts';

const recorded: Readonly<Record<string, FunctionResults>> = JSON.parse(
  readFileSync(new URL('./matrix.json', import.meta.url), 'utf8'),
);

function run(template: string) {
  try {
    return { output: parseTemplate('t', template, { functions: HELM_FUNCTIONS }).execute(null) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** One that is no more is to be taken from the list. */
const KNOWN = [
  'fromToml $v bytes',
  'mustToToml $v version',
  'toToml $v version',
  'toYamlPretty $v bytes',
  'toYamlPretty $v time',
  'toYamlPretty $v version',
];

test('functions of charts give for each type of argument what Helm gives', () => {
  const names = Object.keys(HELM_FUNCTIONS).filter(isStable).sort();
  const own = Object.fromEntries(names.map((name) => [name, resultsOf(name, run)]));
  expect(differences(own, recorded)).toEqual(KNOWN);
});
