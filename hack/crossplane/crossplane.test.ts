import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { CROSSPLANE_VERSION, ensureCrossplane, findCrossplane } from './crossplane.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'crossplane-test-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const env = (more: NodeJS.ProcessEnv = {}) => ({ PROVIDER_KYMA_CACHE: join(root, 'cache'), ...more });

async function put(folder: string, content: string): Promise<void> {
  for (const [part, file] of Object.entries({ image: 'index.json', chart: 'Chart.yaml' })) {
    await mkdir(join(folder, part), { recursive: true });
    await writeFile(join(folder, part, file), content);
  }
}
const contentOf = ({ chart }: { readonly chart: string }) => readFile(join(chart, 'Chart.yaml'), 'utf8');
const refuse = async () => {
  throw new Error('no network');
};
const unbuildable = async () => {
  throw new Error('no Go toolchain on PATH');
};

test('CROSSPLANE_ASSETS comes first, and must be complete', async () => {
  const own = join(root, 'own');
  await expect(ensureCrossplane({ env: env({ CROSSPLANE_ASSETS: own }) })).rejects.toThrow(
    'no image and chart',
  );
  await put(own, 'own');
  expect(await contentOf(await ensureCrossplane({ env: env({ CROSSPLANE_ASSETS: own }) }))).toBe('own');
});

test('it is built where it cannot be downloaded, once; before that it is not found', async () => {
  expect(await findCrossplane(env())).toBeUndefined();
  const build = (folder: string) => put(folder, 'built');
  expect(await contentOf(await ensureCrossplane({ env: env(), download: refuse, build }))).toBe('built');
  const again = await ensureCrossplane({ env: env(), download: refuse, build: unbuildable });
  expect(await contentOf(again)).toBe('built');
});

test('where it can be neither, the error has both causes and the way out', async () => {
  await expect(ensureCrossplane({ env: env(), download: refuse, build: unbuildable })).rejects.toThrow(
    /download: no network; build: no Go toolchain on PATH; set CROSSPLANE_ASSETS to a folder/,
  );
});

test('the Go module builds the Crossplane that is downloaded', async () => {
  const module = await readFile(join(import.meta.dirname, 'build/core/go.mod'), 'utf8');
  expect(module).toContain(`github.com/crossplane/crossplane/v2 v${CROSSPLANE_VERSION} `);
});
