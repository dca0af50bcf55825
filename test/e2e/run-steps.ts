import { messageOf } from '../../internal/framework/base/errors/errors.ts';
import type { Step } from './e2e-context.ts';

/**
 * Runs steps in order and prints each; steps after a failed one are not run. Returns whether all held.
 *
 * @param diagnose called after a failure, to collect what may explain it
 */
export async function runSteps<C>(
  steps: readonly Step<C>[],
  context: C,
  print: (line: string) => void,
  diagnose: () => Promise<void> = async () => undefined,
): Promise<boolean> {
  for (const [position, step] of steps.entries()) {
    const startedAt = performance.now();
    const seconds = () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
    try {
      await step.run(context);
      print(`ok      ${step.title} (${seconds()})`);
    } catch (error) {
      print(`FAILED  ${step.title} (${seconds()}): ${messageOf(error)}`);
      for (const { title } of steps.slice(position + 1)) print(`not run ${title}`);
      await diagnose();
      return false;
    }
  }
  return true;
}
