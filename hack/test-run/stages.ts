/** Part of `make test` and `make test-all`: an npm script. */
export interface Stage {
  readonly name: string;
  /** Name of the npm script. */
  readonly script: string;
  /** Whether the script is Jest, whose tests are counted one by one. */
  readonly jest?: true;
  /**
   * The most failed files that run once more, each alone, when the rest has ended; default 0. A test that fails only while others use
   * the processor is no fault of the program. The table names those that pass then. If more failed, the stage fails at once.
   */
  readonly again?: number;
  /** Whether others go first where there is not enough processor time for all. */
  readonly yields?: true;
  /** Several times what it takes on two slow cores; what takes longer hangs and is ended. */
  readonly limitMinutes: number;
}

/**
 * Rounds of lanes. The lanes of a round run side by side, the stages of a lane one after the other, all of them even if one fails, so that
 * one run shows all failures. Servers that no cache has are built alone. The container tests wait half of their time, for pods that would
 * delay what integration tests wait for: the unit tests use what they leave. The checks use what the others leave.
 *
 * @param isAll also what `make test` leaves out: long forms and containers
 */
export function roundsOf({ isAll }: { readonly isAll: boolean }): readonly (readonly (readonly Stage[])[])[] {
  const containers: Stage = {
    name: 'container tests',
    script: 'test:containers',
    jest: true,
    limitMinutes: 40,
  };
  return [
    [
      [{ name: 'build', script: 'build', limitMinutes: 5 }],
      [{ name: 'servers', script: 'control-planes', limitMinutes: 40 }],
    ],
    [
      [
        { name: 'lint', script: 'lint', yields: true, limitMinutes: 30 },
        { name: 'types', script: 'typecheck', yields: true, limitMinutes: 30 },
        { name: 'generated files', script: 'check-generated', yields: true, limitMinutes: 30 },
      ],
      ...(isAll ? [[containers]] : []),
      [{ name: 'unit tests', script: 'test:unit', jest: true, yields: true, again: 3, limitMinutes: 20 }],
    ],
    [[{ name: 'integration tests', script: 'test:integration', jest: true, again: 3, limitMinutes: 40 }]],
    [[{ name: 'guards', script: 'check-guards', limitMinutes: 1 }]],
  ];
}
