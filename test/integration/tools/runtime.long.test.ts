import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, jest, test } from '@jest/globals';

// It starts two control planes beside those of the test run.
jest.setTimeout(240_000);

const MAIN = join(import.meta.dirname, '../../../hack/runtime/main.ts');

test('make runtime: the Runtime of the example becomes Ready with the files of the example, and nothing is left', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'runtime-test-'));
  const env = { ...process.env, TMPDIR: folder, ONCE: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN], { env });
  const states = [...stdout.matchAll(/^# Runtime shop: (\w+)/gm)].map(([, state]) => state);
  expect(states.at(-1)).toBe('Ready');
  expect(new Set(states).has('Failed')).toBe(false);
  expect(stdout).toContain('$ kubectl apply -f examples/infrastructure-manager/runtime.yaml');
  expect(stdout).toMatch(/^export KUBECONFIG=.*\nexport GARDENER_KUBECONFIG=/m);
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});
