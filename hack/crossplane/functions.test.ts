import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { ContainerImage } from '../xpkg/images/image.ts';
import { writeOciLayout } from '../xpkg/images/oci-layout.ts';
import { ensureFunction, functionPackage } from './functions.ts';

const NAME = 'function-auto-ready';
const reference = `xpkg.example.org/team/${NAME}:v0.7.0`;

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'functions-test-'));
  await mkdir(join(root, 'sources/package/input'), { recursive: true });
  await writeFile(
    join(root, 'sources/package/crossplane.yaml'),
    `apiVersion: meta.pkg.crossplane.io/v1\nkind: Function\nmetadata: { name: ${NAME} }\n`,
  );
  await writeFile(
    join(root, 'sources/package/input/input.yaml'),
    'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: inputs.fn.example.org }\n',
  );
});
afterEach(() => rm(root, { recursive: true, force: true }));

const env = (more: NodeJS.ProcessEnv = {}) => ({ PROVIDER_KYMA_CACHE: join(root, 'cache'), ...more });

/** Puts a package whose program has this content into a folder. */
async function put(folder: string, content: string): Promise<void> {
  await writeFile(join(root, 'program'), content);
  const images = await functionPackage(join(root, 'program'), join(root, 'sources'));
  await writeOciLayout(folder, images, { annotations: {}, tag: 'v0.7.0' });
}
const layersOf = ([image]: readonly ContainerImage[]) => image?.layers.map(({ diffId }) => diffId);
const packageOf = async (content: string) => {
  await writeFile(join(root, 'program'), content);
  return layersOf(await functionPackage(join(root, 'program'), join(root, 'sources')));
};

const refuse = async () => {
  throw new Error('no network');
};
const unbuildable = async () => {
  throw new Error('no Go toolchain on PATH');
};

test('a package has the program, its metadata and the CRD of its input', async () => {
  await writeFile(join(root, 'program'), 'x');
  const [image] = await functionPackage(join(root, 'program'), join(root, 'sources'));
  expect(image?.config.config).toMatchObject({ Entrypoint: ['/function'] });
  expect(image?.layers[1]?.annotations).toEqual({ 'io.crossplane.xpkg': 'base' });
});

test('FUNCTION_PACKAGES comes first', async () => {
  await put(join(root, 'own', NAME), 'own');
  const found = await ensureFunction(reference, {
    env: env({ FUNCTION_PACKAGES: join(root, 'own') }),
    download: refuse,
  });
  expect(layersOf(found)).toEqual(await packageOf('own'));
});

test('it is built where it cannot be downloaded, once', async () => {
  const build = async (_name: string, _tag: string, folder: string) => put(folder, 'built');
  expect(layersOf(await ensureFunction(reference, { env: env(), download: refuse, build }))).toEqual(
    await packageOf('built'),
  );
  const again = await ensureFunction(reference, { env: env(), download: refuse, build: unbuildable });
  expect(layersOf(again)).toEqual(await packageOf('built'));
});

test('where it can be neither, the error has both causes and the way out', async () => {
  await expect(
    ensureFunction(reference, { env: env(), download: refuse, build: unbuildable }),
  ).rejects.toThrow(
    'cannot provide function-auto-ready v0.7.0: download: no network; build: no Go toolchain on PATH; set ' +
      'FUNCTION_PACKAGES to a folder with function-auto-ready.xpkg',
  );
});

test('a function that no Go module pins is not built', async () => {
  const other = 'xpkg.example.org/team/function-other:v1.0.0';
  await expect(ensureFunction(other, { env: env(), download: refuse })).rejects.toThrow(
    'no Go module pins it',
  );
});

test('the Go module builds the version that the compositions use', async () => {
  const module = await readFile(join(import.meta.dirname, 'build', NAME, 'go.mod'), 'utf8');
  const functions = await readFile(
    join(import.meta.dirname, '../../examples/composition/functions.yaml'),
    'utf8',
  );
  const [, tag = 'none'] = new RegExp(`${NAME}:(\\S+)`).exec(functions) ?? [];
  expect(module).toContain(` ${tag}\n`);
});
