// Three tiers: unit (beside the code, Node only), integration (real control planes), acceptance comes later.
const shared = {
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json'],
  transform: { '\\.ts$': '<rootDir>/test/jest/strip-types.js' },
  testEnvironment: 'node',
  setupFiles: ['<rootDir>/test/jest/one-realm.ts'],
};

export default {
  // Every file that loads the Kubernetes client re-links about a thousand modules. Jest gives a worker 500 ms to exit: on a
  // busy machine the release of this memory alone can take longer, and Jest then reports that it failed to exit gracefully.
  workerIdleMemoryLimit: '512MB',
  testSequencer: '<rootDir>/test/jest/sequencer.ts',
  // For `make coverage`. A file that no test loads counts, with no line covered.
  coverageProvider: 'v8',
  collectCoverageFrom: [
    'internal/**/*.ts',
    '!**/*.{test,fixture,gen}.ts',
    '!internal/**/{fakes,scenarios,example}/**',
  ],
  coverageReporters: ['json', 'html'],
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/{apis,internal,hack,test}/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/integration/', '<rootDir>/dist/'],
      setupFilesAfterEnv: ['<rootDir>/test/jest/timeout.ts'],
    },
    {
      ...shared,
      displayName: 'integration',
      testMatch: ['<rootDir>/test/integration/**/*.test.ts'],
      setupFilesAfterEnv: ['<rootDir>/test/integration/harness/timeout.ts'],
      globalSetup: '<rootDir>/test/integration/harness/control-planes/global-setup.ts',
      globalTeardown: '<rootDir>/test/integration/harness/control-planes/global-teardown.ts',
    },
  ],
};
