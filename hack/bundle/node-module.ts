import type { BuildOptions } from 'esbuild';

/** The esbuild options that make one module for Node 24 of a program and all that it imports. */
export const nodeModule = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  // Dependencies written as CommonJS call `require`, which an ES module does not have.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
} as const satisfies BuildOptions;
