/**
 * Runs a test file with jest-circus, or leaves it out where its result cannot matter. Stryker's runner asks for the tests
 * that reach a mutant by name, for which Jest would load every file of the group, and goes on after a failed test.
 * The file's name contains `jest-circus` because Stryker measures coverage for each test only with that runner.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { createEmptyTestResult } from '@jest/test-result';
import circus from 'jest-circus/runner'; // CommonJS

/** A file without any test counts as an error. */
const LEFT_OUT = {
  ancestorTitles: [],
  failureMessages: [],
  fullName: 'left out',
  status: 'pending',
  title: 'left out',
};

/** The mutant that failed a test of this process last. */
let noticed;

export default async function run(globalConfig, projectConfig, environment, runtime, testPath, send) {
  const namesFile = join(
    projectConfig.rootDir,
    'test-names',
    `${relative(projectConfig.rootDir, testPath)}.json`,
  );
  // Unset in Stryker's first run, which records the tests.
  const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
  if (mutant !== undefined && (mutant === noticed || !selects(globalConfig.testNamePattern, namesFile))) {
    return {
      ...createEmptyTestResult(),
      testFilePath: testPath,
      numPendingTests: 1,
      testResults: [LEFT_OUT],
    };
  }
  const result = await circus.default(globalConfig, projectConfig, environment, runtime, testPath, send);
  if (mutant === undefined) writeNames(namesFile, result);
  else if (result.numFailingTests > 0) noticed = mutant;
  return result;
}

function selects(pattern, namesFile) {
  if (!pattern) return true;
  const selected = new RegExp(pattern, 'i');
  return JSON.parse(readFileSync(namesFile, 'utf8')).some((name) => selected.test(name));
}

/** Other processes run the mutants, so that the names are in a file of the sandbox. */
function writeNames(namesFile, { testResults }) {
  mkdirSync(dirname(namesFile), { recursive: true });
  writeFileSync(namesFile, JSON.stringify(testResults.map(({ fullName }) => fullName)));
}
