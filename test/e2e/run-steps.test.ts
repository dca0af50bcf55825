import { expect, test } from '@jest/globals';
import type { Step } from './e2e-context.ts';
import { runSteps } from './run-steps.ts';

const fine: Step<string[]> = { title: 'fine', run: async (ran) => void ran.push('fine') };
const broken: Step<string[]> = {
  title: 'broken',
  run: async () => {
    throw new Error('no such thing');
  },
};

test('all steps run in order and hold', async () => {
  const ran: string[] = [];
  const lines: string[] = [];

  expect(await runSteps([fine, fine], ran, (line) => lines.push(line))).toBe(true);
  expect(ran).toEqual(['fine', 'fine']);
  expect(lines).toEqual([expect.stringMatching(/^ok {6}fine/), expect.stringMatching(/^ok {6}fine/)]);
});

test('a failed step is the last one, with its reason, and diagnosis is called', async () => {
  const ran: string[] = [];
  const lines: string[] = [];
  const diagnose = async () => void lines.push('diagnosis');

  expect(await runSteps([broken, fine], ran, (line) => lines.push(line), diagnose)).toBe(false);
  expect(ran).toEqual([]);
  expect(lines).toEqual([
    expect.stringMatching(/^FAILED {2}broken .*: no such thing$/),
    'not run fine',
    'diagnosis',
  ]);
});
