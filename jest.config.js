import { availableParallelism } from 'node:os';
import { join } from 'node:path';

// Workers, and the processes that tests start from sources, keep compiled modules from one start to the next.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

// Two tiers: unit (beside the code, Node only) and integration (real control planes).
const shared = {
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json'],
  transform: {},
  runtime: '<rootDir>/test/jest/shared-modules/runtime.ts',
  testEnvironment: '<rootDir>/test/jest/shared-modules/environment.ts',
};

export default {
  testSequencer: '<rootDir>/test/jest/sequencer.ts',
  // Not in the scripts: given twice, Jest takes `--maxWorkers` for 100 workers. Integration tests mostly wait for their servers, and
  // one unit test in eight waits for a child process or a time.
  maxWorkers: process.argv.includes('integration') ? 6 : availableParallelism() + 1,
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/{apis,internal,hack,test}/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/integration/', '<rootDir>/dist/'],
      setupFilesAfterEnv: ['<rootDir>/test/jest/timeout.ts', '<rootDir>/test/guards/setup.ts'],
    },
    {
      ...shared,
      displayName: 'integration',
      testMatch: ['<rootDir>/test/integration/**/*.test.ts'],
      // Long forms run by night, before a release and by their paths (test/README.md).
      testPathIgnorePatterns: [
        '/node_modules/',
        ...(process.env.SHORT_TESTS === '1' ? ['\\.long\\.test\\.ts$'] : []),
      ],
      setupFilesAfterEnv: ['<rootDir>/test/integration/harness/timeout.ts', '<rootDir>/test/guards/setup.ts'],
      globalSetup: '<rootDir>/test/integration/harness/global/global-setup.ts',
      globalTeardown: '<rootDir>/test/integration/harness/global/global-teardown.ts',
    },
  ],
};
