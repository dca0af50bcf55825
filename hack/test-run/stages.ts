/**
 * What `make test` runs, in order: cheap stages first, all of them even if one fails, so that one run shows all
 * failures. Each is an npm script.
 */
export interface Stage {
  readonly name: string;
  /** Name of the npm script. */
  readonly script: string;
  /** Whether the script is Jest, whose tests are counted one by one. */
  readonly jest?: true;
  /** Several times what it takes on two slow cores; what takes longer hangs and is ended. */
  readonly limitMinutes: number;
}

export const STAGES: readonly Stage[] = [
  { name: 'lint', script: 'lint', limitMinutes: 5 },
  { name: 'types', script: 'typecheck', limitMinutes: 5 },
  { name: 'generated files', script: 'check-generated', limitMinutes: 5 },
  { name: 'build', script: 'build', limitMinutes: 5 },
  { name: 'unit tests', script: 'test:unit', jest: true, limitMinutes: 10 },
  { name: 'integration tests', script: 'test:integration', jest: true, limitMinutes: 40 },
  { name: 'container tests', script: 'test:containers', jest: true, limitMinutes: 25 },
];
