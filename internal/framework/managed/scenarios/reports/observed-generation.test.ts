import { expect } from '@jest/globals';
import type { Harness } from '../../fakes/managed-harness.ts';
import { boom, done, existing, poll, requeue, runScenarios, upToDate, withPolicies } from '../scenario.ts';

const isStated = (harness: Harness) => {
  const { metadata, status } = harness.stored() ?? {};
  expect(metadata?.generation).toBe(42);
  expect(status?.observedGeneration).toBe(42);
};
const looked = { ...existing, status: { observedGeneration: 41 } };

runScenarios('status.observedGeneration', () => [
  {
    title: '(ours) a reconcile that succeeds states its generation',
    reason: 'kstatus believes no condition before',
    given: { resource: looked, external: { observe: upToDate } },
    want: { result: poll, check: isStated },
  },
  {
    title: '(ours) so does a reconcile that fails',
    reason: 'else a failure would look like work in progress for ever',
    given: {
      resource: looked,
      external: {
        observe: async () => {
          throw boom;
        },
      },
    },
    want: { result: requeue, check: isStated },
  },
  {
    title: '(ours) and a reconcile of a paused resource',
    reason: 'its condition has the generation that is not reconciled',
    given: { resource: { ...withPolicies(), status: { observedGeneration: 41 } } },
    want: { result: done, check: isStated },
  },
]);
