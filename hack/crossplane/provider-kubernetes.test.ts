import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ensureProviderKubernetes, PROVIDER_KUBERNETES_VERSION } from './provider-kubernetes.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'provider-kubernetes-test-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const env = (more: NodeJS.ProcessEnv = {}) => ({ PROVIDER_KYMA_CACHE: join(root, 'cache'), ...more });
async function put(folder: string, content: string): Promise<void> {
  await mkdir(join(folder, 'crds'), { recursive: true });
  await writeFile(join(folder, 'program'), content);
}
const contentOf = ({ program }: { readonly program: string }) => readFile(program, 'utf8');
const unbuildable = async () => {
  throw new Error('no Go toolchain on PATH');
};

test('PROVIDER_KUBERNETES comes first, and must be complete', async () => {
  const own = env({ PROVIDER_KUBERNETES: join(root, 'own') });
  await expect(ensureProviderKubernetes({ env: own })).rejects.toThrow('has no program and crds');
  await put(join(root, 'own'), 'own');
  expect(await contentOf(await ensureProviderKubernetes({ env: own }))).toBe('own');
});

test('it is built once; where it cannot be built, the error has the cause and the way out', async () => {
  await expect(ensureProviderKubernetes({ env: env(), build: unbuildable })).rejects.toThrow(
    /no Go toolchain on PATH; set PROVIDER_KUBERNETES to a folder/,
  );
  const build = (folder: string) => put(folder, 'built');
  expect(await contentOf(await ensureProviderKubernetes({ env: env(), build }))).toBe('built');
  expect(await contentOf(await ensureProviderKubernetes({ env: env(), build: unbuildable }))).toBe('built');
});

test('the Go module builds the version that the example installs', async () => {
  const module = await readFile(join(import.meta.dirname, 'build/provider-kubernetes/go.mod'), 'utf8');
  const example = await readFile(
    join(import.meta.dirname, '../../examples/composition/kyma-runtime/provider-kubernetes.yaml'),
    'utf8',
  );
  expect(module).toContain(`provider-kubernetes v${PROVIDER_KUBERNETES_VERSION} `);
  expect(example).toContain(`provider-kubernetes:v${PROVIDER_KUBERNETES_VERSION}\n`);
});
