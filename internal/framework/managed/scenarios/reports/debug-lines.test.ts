import { describe, expect, test } from '@jest/globals';
import { ProviderError, WaitingError } from '../../../base/errors/errors.ts';
import { apiError } from '../../../kube/fakes/memory-client.ts';
import { createLogger } from '../../../process/telemetry/json-logger.ts';
import { createHarness, type HarnessOptions, namespacedWidgets } from '../../fakes/managed-harness.ts';
import { drifted, existing, failingPuts, withPolicies } from '../scenario.ts';

interface Given extends Omit<HarnessOptions, 'type'> {
  readonly putsFailWith?: Error;
}

/** Runs one reconcile with --debug, and returns what it logs. */
async function logOf({ putsFailWith, ...given }: Given): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({ debug: true, destination: { write: (line) => lines.push(JSON.parse(line)) } });
  const harness = createHarness({ type: namespacedWidgets, ...given, options: { log } });
  if (putsFailWith !== undefined) harness.client.onRequest(failingPuts(putsFailWith));
  await harness.reconcile().catch(() => undefined);
  return lines;
}

const interrupted = {
  metadata: { annotations: { 'crossplane.io/external-create-pending': '2023-12-31T00:00:00Z' } },
};

describe('with --debug each outcome that is no change has a line that says why', () => {
  const table: { outcome: string; given: Given; line: Record<string, unknown> }[] = [
    {
      outcome: 'a difference',
      given: { resource: existing, external: { observe: drifted } },
      line: { msg: 'external resource differs', diff: drifted.diff },
    },
    {
      outcome: 'a difference that the kind does not describe',
      given: { resource: existing, external: { observe: { state: 'present', upToDate: false } } },
      line: { msg: 'external resource differs', diff: '' },
    },
    {
      outcome: 'a difference that the policies leave alone',
      given: { resource: withPolicies('Observe'), external: { observe: drifted } },
      line: { msg: 'external resource differs', diff: drifted.diff },
    },
    {
      outcome: 'an input that does not exist yet',
      given: { external: { connect: new WaitingError('Secret shop/x not found') } },
      line: { msg: 'waiting', for: expect.stringContaining('Secret shop/x not found') },
    },
    {
      outcome: 'another owner',
      given: { external: { connect: new ProviderError('contested', 'it is of another') } },
      line: { msg: 'contested', why: expect.stringContaining('it is of another') },
    },
    {
      outcome: 'a conflict',
      given: { putsFailWith: apiError(409, 'Conflict', 'the object has been modified') },
      line: { msg: 'the object changed meanwhile', error: expect.stringContaining('has been modified') },
    },
    {
      outcome: 'a create whose outcome is unknown',
      given: { resource: interrupted },
      line: { msg: 'the outcome of an earlier create is unknown' },
    },
    {
      outcome: 'a failure',
      given: { external: { connect: new ProviderError('auth', 'wrong password') } },
      line: { msg: 'reconcile failed', kind: 'auth', error: expect.stringContaining('wrong password') },
    },
  ];
  test.each(table)('$outcome', async ({ given, line }) => {
    const lines = await logOf(given);

    expect(lines).toContainEqual(expect.objectContaining({ level: 'debug', request: 'shop/w', ...line }));
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

test('a bug is an error with its stack', async () => {
  const bug = new TypeError('x is not a function');
  const [line] = (await logOf({ external: { connect: bug } })).filter(({ level }) => level === 'error');

  expect(line).toMatchObject({
    msg: 'reconcile failed with a bug',
    error: expect.stringContaining('x is not a function'),
    stack: expect.stringContaining('.test.ts'),
  });
});
