/**
 * Every parser of foreign bytes with random inputs (`make test-faults`, part inputs, has a million). A failure prints its
 * input; the same seed and number of runs replay it.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FAULT_PARTS } from '../../hack/faults/parts.ts';
import { collectGarbage } from '../../internal/framework/base/heap.fixture.ts';
import { campaign } from '../campaign/campaign.ts';
import { eventually } from '../environment/eventually.ts';
import { checkInput } from './foreign-input.ts';
import { bindingSecrets } from './parsers/binding-secrets.ts';
import { secretsAndObjects } from './parsers/credentials.ts';
import { answersOfHosts } from './parsers/http-answers.ts';
import { kubernetesInputs } from './parsers/kubernetes.ts';
import { resourceInputs } from './parsers/resources.ts';
import { runtimeInputs } from './parsers/runtimes.ts';
import { settingsInputs } from './parsers/settings.ts';

const { seed, runs, long } = campaign({ seed: 1, runs: 20 });
/** A million inputs take some minutes. */
const TIMEOUT_MS = long ? 3_600_000 : 60_000;

/** For code that is compiled and tables of a fixed size. */
const MAX_RETAINED_BYTES = 32 * 1024 * 1024;

function usedBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Bytes in use after the last collection. */
let kept = 0;

beforeAll(() => {
  collectGarbage();
  kept = usedBytes();
});

/**
 * Memory is collected only where it has grown by more than may be kept: a collection takes long.
 *
 * @param before `kept` before the test
 */
function checkMemory(before: number): void {
  if (usedBytes() - before < MAX_RETAINED_BYTES) return;
  collectGarbage();
  kept = usedBytes();
  expect(kept - before).toBeLessThan(MAX_RETAINED_BYTES);
}

const all = [
  ...kubernetesInputs,
  ...answersOfHosts,
  ...secretsAndObjects,
  ...bindingSecrets,
  ...resourceInputs,
  ...runtimeInputs,
  ...settingsInputs,
];

describe('is read or refused, soon, by a typed error without a secret, and not kept in memory', () => {
  test.each(all.map((input) => [input.name, input] as const))(
    '%s',
    async (_, input) => {
      const before = kept;
      const property = fc.asyncProperty(input.inputs, (each) => checkInput(input, each));
      await fc.assert(property, { seed, numRuns: runs, endOnFailure: !long });
      // Timers of the code under test may still keep memory.
      await eventually(() => checkMemory(before), { timeoutMs: 5000 });
    },
    TIMEOUT_MS,
  );
});

test('the long campaign has a million inputs or more', () => {
  const [part] = FAULT_PARTS.filter(({ name }) => name === 'inputs');
  expect(all.length * (part?.runs ?? 0)).toBeGreaterThan(1_000_000);
});
