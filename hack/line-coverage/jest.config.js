// The unit tests for `make coverage`. A file that no test loads counts, with no line covered.
import { join } from 'node:path';
import jest from '../../jest.config.js';
import { isolated } from '../../test/jest/isolated/isolated.js';

const rootDir = join(import.meta.dirname, '../..');

export default {
  ...jest,
  rootDir,
  projects: jest.projects
    .filter(({ displayName }) => displayName === 'unit')
    .map((project) => ({ ...isolated(project), rootDir })),
  // Each file re-links up to a thousand modules.
  workerIdleMemoryLimit: '512MB',
  coverageProvider: 'v8',
  collectCoverageFrom: [
    'internal/**/*.ts',
    '!**/*.{test,fixture,gen}.ts',
    '!internal/**/{fakes,scenarios,example}/**',
  ],
  coverageReporters: ['json', 'html'],
};
