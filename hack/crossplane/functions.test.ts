import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { temporaryFolders } from '../../internal/framework/base/temporary-folder.fixture.ts';
import type { ContainerImage } from '../xpkg/images/image.ts';
import { writeOciLayout } from '../xpkg/images/oci-layout.ts';
import { ensureFunction, functionPackage, functionProgram } from './functions.ts';

const NAME = 'function-auto-ready';
const reference = `xpkg.example.org/team/${NAME}:v0.7.0`;

const root = temporaryFolders('functions-test-');
beforeEach(async () => {
  await mkdir(join(root(), 'sources/package/input'), { recursive: true });
  await writeFile(
    join(root(), 'sources/package/crossplane.yaml'),
    `apiVersion: meta.pkg.crossplane.io/v1\nkind: Function\nmetadata: { name: ${NAME} }\n`,
  );
  await writeFile(
    join(root(), 'sources/package/input/input.yaml'),
    'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: inputs.fn.example.org }\n',
  );
});

const layersOf = ([image]: readonly ContainerImage[]) => image?.layers.map(({ diffId }) => diffId);

test('a package has the program, its metadata and the CRD of its input', async () => {
  await writeFile(join(root(), 'program'), 'x');
  const [image] = await functionPackage(join(root(), 'program'), join(root(), 'sources'));
  expect(image?.config.config).toMatchObject({ Entrypoint: ['/function'] });
  expect(image?.layers[1]?.annotations).toEqual({ 'io.crossplane.xpkg': 'base' });
});

test('a function that no Go module pins is not built', async () => {
  const other = functionProgram('xpkg.example.org/team/function-other:v1.0.0');
  await expect(other.build(root(), () => undefined)).rejects.toThrow('no Go module pins it');
});

test('FUNCTION_PACKAGES may have a package as an OCI layout', async () => {
  const folder = join(root(), 'own', NAME);
  await writeFile(join(root(), 'program'), 'own');
  const images = await functionPackage(join(root(), 'program'), join(root(), 'sources'));
  await writeOciLayout(folder, images, { annotations: {}, tag: 'v0.7.0' });
  const env = { FUNCTION_PACKAGES: join(root(), 'own') };
  expect(layersOf(await ensureFunction(reference, { env }))).toEqual(layersOf(images));
});
