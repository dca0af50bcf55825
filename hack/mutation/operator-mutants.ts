import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sitesIn } from '../guards/plant/find-sites.ts';
import { plant } from '../guards/plant/operators.ts';
import { ROOT, runTests } from '../guards/plant/run-tests.ts';
import { filesOf, type MutationGroup } from './groups.ts';
import type { MutationScore } from './score.ts';

/**
 * Plants faults of ownership, preconditions, guards, cleanups and triggers in the files of a group, one at a time, and runs its tests.
 *
 * @param report called for each fault that no test notices
 */
export async function measureOperators(
  group: MutationGroup,
  report: (line: string) => void,
): Promise<MutationScore> {
  const tests = (await filesOf(group.tests)).join(' ');
  let detected = 0;
  let undetected = 0;
  for (const file of await filesOf(group.mutate)) {
    const source = readFileSync(join(ROOT, file), 'utf8');
    for (const { kind, function: name, operator } of sitesIn(source)) {
      const { success } = await runTests(tests, { file, source: plant(source, name, operator) });
      if (!success) {
        detected++;
        continue;
      }
      undetected++;
      report(`${file}#${name}: ${kind}: ${JSON.stringify(operator)}`);
    }
  }
  const all = detected + undetected;
  return { detected, undetected, timedOut: 0, percent: all === 0 ? 100 : (100 * detected) / all };
}
