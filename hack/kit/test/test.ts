import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type KitCommand, KitError, readArgs } from '../kit-command.ts';

const usage = `Usage: provider-kyma-kit test [--kind KIND] [--only TEXT]

Tests all kinds of kinds.gen.ts in both scopes with the test runner of Node: create, late initialization, changes of each field,
references, import, policies, lost responses, errors of the API, deletion. The API server is in memory, and the API is simulated. Tests
of the author (*.test.ts) run too.

  --kind KIND  only tests of this kind
  --only TEXT  only tests whose names match this pattern`;

const GENERATED = 'kinds.gen.test.ts';

export const testCommand: KitCommand = {
  usage,
  run: async (args) => {
    const options = { kind: { type: 'string' }, only: { type: 'string' } } as const;
    const { values } = readArgs(usage, { args, options });
    if (!existsSync(GENERATED)) throw new KitError(`${GENERATED} is missing: run provider-kyma-kit generate`);
    const { kind, only } = values;
    if (kind !== undefined && !/^[A-Za-z0-9]+$/.test(kind)) throw new KitError(`--kind: ${kind} is no kind`);
    // Node matches the names of a test and of what it is in.
    const pattern = [
      ...(kind === undefined ? [] : [`^${kind}, `]),
      ...(only === undefined ? [] : [only]),
    ].join('.*');
    return runNode([
      '--test',
      ...(pattern === '' ? [] : [`--test-name-pattern=${pattern}`]),
      ...(kind === undefined ? [] : [GENERATED]),
    ]);
  },
};

/** Runs Node in the current folder with its output. */
function runNode(args: readonly string[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code === 0));
  });
}
