// The project of the unit tests alone: Stryker's runner reads no list of projects.
import jest from '../../jest.config.js';
import { isolated } from '../../test/jest/isolated/isolated.js';

const { displayName, setupFilesAfterEnv, ...unit } =
  jest.projects.find((project) => project.displayName === 'unit') ?? {};

export default {
  ...isolated(unit),
  rootDir: '../..',
  testRunner: '<rootDir>/hack/mutation/jest-circus-runner.js',
  // In place of the limit of a usual run: a mutant that makes a test wait for ever costs as long. The first run, without
  // mutants, fails if a test needs more.
  testTimeout: 10_000,
};
