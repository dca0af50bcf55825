import { join } from 'node:path';
import type { MutationGroup } from './groups.ts';

export interface StrykerPaths {
  /** Path of the package of Stryker's runner for Jest. */
  readonly runner: string;
  /** Folder of the reports. */
  readonly reports: string;
}

/** What the tests of a group load. All else stays out of the copy of the repository that Stryker instruments. */
const NEEDED = [
  'apis/**/*.ts',
  'internal/**',
  'test/campaign/**',
  'test/contract/service-manager/**',
  'test/jest/**',
  'test/simulators/**',
  'hack/control-planes/**/*.ts',
  'hack/mutation/jest.config.js',
  'hack/mutation/jest-circus-runner.js',
  'jest.config.js',
  'package.json',
];

/** The configuration of one run, as Stryker reads it from a JSON file. */
export const strykerOptions = (group: MutationGroup, concurrency: number, paths: StrykerPaths): object => ({
  mutate: group.mutate,
  ignorePatterns: ['**', ...NEEDED.map((pattern) => `!${pattern}`)],
  concurrency,
  coverageAnalysis: 'perTest',
  // A mutant hangs if the tests take ten times as long as without it, and five seconds more. Generous: on a busy machine the
  // durations vary much, and a mutant that is only slow would count as noticed.
  timeoutFactor: 10,
  timeoutMS: 5000,
  plugins: [paths.runner],
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  jest: {
    configFile: 'hack/mutation/jest.config.js',
    enableFindRelatedTests: false,
    config: {
      testMatch: group.tests.map((pattern) => `<rootDir>/${pattern}`),
      // Jest reads these folders anew for each mutant.
      roots: [...new Set(group.tests.map((pattern) => `<rootDir>/${folderOf(pattern)}`))],
    },
  },
  // Stryker rewrites tsconfig.json with TypeScript 5. The tests need none: Node strips the types.
  tsconfigFile: 'none.json',
  tempDirName: 'dist/mutation/sandbox',
  reporters: ['progress-append-only', 'clear-text', 'json', 'html'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: join(paths.reports, `${group.name}.json`) },
  htmlReporter: { fileName: join(paths.reports, `${group.name}.html`) },
  allowEmpty: false,
});

/** The folder of a pattern, up to its first wildcard. */
const folderOf = (pattern: string): string =>
  pattern.slice(0, pattern.search(/[^/]*[*{]|[^/]*$/)).replace(/\/$/, '');
