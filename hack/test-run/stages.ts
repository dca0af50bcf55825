/**
 * What `make test` runs, in order: cheap things first, all of them whatever happens to the others, so that one
 * run shows all there is to mend. Each is an npm script, the very one that daily work uses.
 */
export interface Stage {
  readonly name: string;
  /** Name of the npm script, and the arguments added to it. */
  readonly script: string;
  readonly args?: readonly string[];
  /** Whether the script is Jest, whose tests are counted one by one. */
  readonly jest?: true;
}

export const STAGES: readonly Stage[] = [
  { name: 'lint', script: 'lint' },
  { name: 'types', script: 'typecheck' },
  { name: 'generated files', script: 'check-generated' },
  { name: 'build', script: 'build' },
  { name: 'unit tests', script: 'test:unit', jest: true },
  { name: 'integration tests', script: 'test:integration', jest: true },
];
