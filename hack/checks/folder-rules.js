/**
 * Rule for dependency-cruiser: folders do not import each other in a circle. Without tests and their parts: the fakes
 * depend on the framework, and its tests on the fakes.
 */
export default {
  forbidden: [
    { name: 'no-cycles-of-folders', severity: 'error', scope: 'folder', from: {}, to: { circular: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(node_modules|dist|scenarios)/|[.](test|fixture)[.]ts$' },
    tsPreCompilationDeps: true,
    skipAnalysisNotInRules: true,
  },
};
