/**
 * A project of `jest.config.js` with Jest's own way to load modules: a realm and all modules anew for each test file. Tools
 * that measure the modules need it: line coverage, and Stryker, which sets globals of that realm.
 */
export const isolated = ({ runtime, ...project }) => ({
  ...project,
  transform: { '\\.ts$': '<rootDir>/test/jest/isolated/strip-types.js' },
  testEnvironment: 'node',
  setupFiles: ['<rootDir>/test/jest/isolated/one-realm.ts'],
});
