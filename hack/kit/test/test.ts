import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { messageOf } from '../../../internal/framework/base/errors/errors.ts';
import { similar } from '../../../internal/framework/base/text/nearest.ts';
import { wordsOf } from '../document/structural-schema.ts';
import { readProviderFile } from '../format/read-provider-file.ts';
import { unknownName } from '../format/yaml-shape.ts';
import { PROVIDER_FILE } from '../generate/read-project.ts';
import { type KitCommand, KitError, readArgs } from '../kit-command.ts';

const usage = `Usage: provider-kyma-kit test [--kind KIND] [--only TEXT] [--control-plane]

Tests all kinds of kinds.gen.ts in both scopes with the test runner of Node: create, late initialization, changes of each field,
references, import, policies, lost responses, errors of the API, deletion. The API server is in memory, and the API is simulated. Tests
of the author (*.test.ts) run too.

  --kind KIND      only tests of this kind
  --only TEXT      only tests whose names match this pattern; it is an error if there is none
  --control-plane  tests on a real API server with the CRDs of package/crds, which is started for them. The first start on a machine
                   downloads or builds its programs`;

const GENERATED = 'kinds.gen.test.ts';
const CRDS = 'package/crds';

export const testCommand: KitCommand = {
  usage,
  run: async (args) => {
    const options = {
      kind: { type: 'string' },
      only: { type: 'string' },
      'control-plane': { type: 'boolean', default: false },
    } as const;
    const { kind, only, 'control-plane': isReal } = readArgs(usage, { args, options }).values;
    if (!existsSync(GENERATED)) throw new KitError(`${GENERATED} is missing: run provider-kyma-kit generate`);
    if (kind !== undefined) await requireKind(kind);
    if (only !== undefined) requirePattern(only);

    // Node matches the names of a test and of what it is in.
    const parts = [...(kind === undefined ? [] : [`^${kind}, `]), ...(only === undefined ? [] : [only])];
    const pattern = parts.length === 0 ? undefined : parts.join('.*');
    const isGeneratedOnly = kind !== undefined || isReal;
    const command = [
      '--test',
      ...(pattern === undefined ? [] : [`--test-name-pattern=${pattern}`]),
      ...(isGeneratedOnly ? [GENERATED] : []),
    ];
    if (only !== undefined && pattern !== undefined) {
      const names = await generatedNames(isReal);
      const isKnown = names.some((name) => new RegExp(pattern).test(name));
      if (!isKnown && (isGeneratedOnly || !(await hasOwnTests(command)))) throw noTest(only, names);
    }
    return isReal ? onControlPlane(command) : runNode(command);
  },
};

/** Of a kind that there is not, Node would run no test, and succeed. */
async function requireKind(kind: string): Promise<void> {
  const { partial } = readProviderFile(PROVIDER_FILE, await readFile(PROVIDER_FILE, 'utf8'));
  const known = Object.keys(partial?.kinds ?? {});
  if (!known.includes(kind)) throw new KitError(`--kind: ${unknownName('kind', kind, known)}`);
}

function requirePattern(only: string): void {
  try {
    new RegExp(only);
  } catch (error) {
    throw new KitError(`--only: ${messageOf(error)}`, { cause: error });
  }
}

const MAX_OUTPUT = 64 * 1024 * 1024;

/** `Folder, cluster is created …`, as Node matches them. */
async function generatedNames(isReal: boolean): Promise<readonly string[]> {
  const env = { ...process.env, REST_TEST_LIST: 'true', ...(isReal ? { REST_TEST_KUBECONFIG: 'none' } : {}) };
  const run = promisify(execFile)(process.execPath, [GENERATED], { env, maxBuffer: MAX_OUTPUT });
  return JSON.parse((await run).stdout);
}

/** Whether a command runs a test of the author. */
async function hasOwnTests(command: readonly string[]): Promise<boolean> {
  const args = ['--test-reporter=tap', ...command];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: MAX_OUTPUT }).catch(
    ({ stdout: printed }: { stdout?: string }) => ({ stdout: printed ?? '' }),
  );
  // A file without any is a test itself, with its name.
  return stdout.split('\n').some((line) => line.startsWith('# Subtest: ') && !/\.[cm]?[jt]s$/.test(line));
}

const MAX_NEAR = 5;

/** The nearest names share the most words with the pattern. */
function noTest(only: string, names: readonly string[]): KitError {
  const words = wordsOf(only);
  const unique = [...new Set(names.map((name) => name.replace(/^\w+, \w+ /, '')))];
  const shared = (name: string) => {
    const own = wordsOf(name);
    return words.filter((word) => similar(word, own) !== undefined).length;
  };
  const near = unique
    .map((name) => ({ name, count: shared(name) }))
    .toSorted((a, b) => b.count - a.count)
    .filter(({ count }, _, [first]) => count > 0 && count * 2 > (first?.count ?? 0))
    .slice(0, MAX_NEAR)
    .map(({ name }) => `\n  ${name}`);
  const text = near.length === 0 ? '' : `; the nearest are${near.join('')}`;
  return new KitError(`--only: no test has a name that matches ${only}${text}`);
}

async function onControlPlane(command: readonly string[]): Promise<boolean> {
  const { startControlPlane } = await import('../testing/control-plane.ts');
  const servers = await startControlPlane({ crds: [CRDS], report: (line) => console.error(line) });
  try {
    return await runNode(command, { REST_TEST_KUBECONFIG: servers.kubeconfigPath });
  } finally {
    await servers.stop();
  }
}

/** Runs Node in the current folder with its output. */
function runNode(command: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, command, { stdio: 'inherit', env: { ...process.env, ...env } });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code === 0));
  });
}
