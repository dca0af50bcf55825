import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, jest, test } from '@jest/globals';
import { createPageCommands, makeProgram } from '../../docs/page-commands.ts';
import { noKubectlBecause } from '../harness/user-shell/user-shell.ts';

// It starts two control planes beside those of the test run.
jest.setTimeout(300_000);

const ROOT = join(import.meta.dirname, '../../..');
const SCRIPT = 'hack/runtime/main.ts';

const missing = noKubectlBecause();
if (missing !== undefined) process.stderr.write(`left out: the page of make runtime; ${missing}\n`);
const withKubectl = missing === undefined ? test : test.skip;

test('make runtime: the Runtime of the example becomes Ready with the files of the example, and nothing is left', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'runtime-test-'));
  const env = { ...process.env, TMPDIR: folder, ONCE: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, [join(ROOT, SCRIPT)], { env });
  const states = [...stdout.matchAll(/^# Runtime shop: (\w+)/gm)].map(([, state]) => state);
  expect(states.at(-1)).toBe('Ready');
  expect(new Set(states).has('Failed')).toBe(false);
  expect(stdout).toContain('$ kubectl apply -f examples/infrastructure-manager/runtime.yaml');
  expect(stdout).toMatch(/^export KUBECONFIG=.*\nexport GARDENER_KUBECONFIG=/m);
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

withKubectl(
  'the page of the example: a Runtime is Ready, its cluster is reached, doctor explains one that is not',
  async () => {
    const page = await createPageCommands('examples/infrastructure-manager/README.md', {
      programs: { make: makeProgram({ runtime: SCRIPT }) },
    });
    try {
      await symlink(join(ROOT, 'examples'), join(page.folder, 'examples'));
      const running = page.begin('make runtime');
      for (const name of ['KUBECONFIG', 'GARDENER_KUBECONFIG']) {
        const [, value = ''] = await running.printed(new RegExp(`^export ${name}=(.+)$`, 'm'));
        page.env[name] = value;
      }
      await running.printed(/Ctrl-C ends everything/);
      const shown = await page.execute('kubeconfig=shop.kubeconfig');
      expect(shown).toMatch(/^runtime\S*\/shop +aws +\S+ +Ready /m);
      expect(shown).toMatch(/^kyma-system +Active /m);
      expect(shown).toMatch(/"kind":"Shoot"/);

      await page.execute('subaccount-id');
      await expect(page.execute('doctor runtime/shop')).rejects.toThrow('kyma-project.io/subaccount-id');
      expect(await page.execute('kubectl -n kcp-system wait')).toMatch(/shop condition met$/m);
      expect(await page.execute('doctor runtime/shop')).toContain('every check succeeds');
    } finally {
      await page.close();
    }
  },
);
