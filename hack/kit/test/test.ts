import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { readProviderFile } from '../format/read-provider-file.ts';
import { unknownName } from '../format/yaml-shape.ts';
import { PROVIDER_FILE } from '../generate/read-project.ts';
import { type KitCommand, KitError, readArgs } from '../kit-command.ts';

const usage = `Usage: provider-kyma-kit test [--kind KIND] [--only TEXT] [--control-plane]

Tests all kinds of kinds.gen.ts in both scopes with the test runner of Node: create, late initialization, changes of each field,
references, import, policies, lost responses, errors of the API, deletion. The API server is in memory, and the API is simulated. Tests
of the author (*.test.ts) run too.

  --kind KIND      only tests of this kind
  --only TEXT      only tests whose names match this pattern
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
    // Node matches the names of a test and of what it is in.
    const parts = [...(kind === undefined ? [] : [`^${kind}, `]), ...(only === undefined ? [] : [only])];
    const command = [
      '--test',
      ...(parts.length === 0 ? [] : [`--test-name-pattern=${parts.join('.*')}`]),
      ...(kind !== undefined || isReal ? [GENERATED] : []),
    ];
    return isReal ? onControlPlane(command) : runNode(command);
  },
};

/** Of a kind that there is not, Node would run no test, and succeed. */
async function requireKind(kind: string): Promise<void> {
  const { partial } = readProviderFile(PROVIDER_FILE, await readFile(PROVIDER_FILE, 'utf8'));
  const known = Object.keys(partial?.kinds ?? {});
  if (!known.includes(kind)) throw new KitError(`--kind: ${unknownName('kind', kind, known)}`);
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
