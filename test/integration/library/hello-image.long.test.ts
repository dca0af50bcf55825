/** The package of the example for provider authors, whose image is a provider as well: on a control plane of its own, since another file has the same CRD. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { type Greeter, startGreeter } from '../../../examples/hello-provider/greeter.ts';
import { type ControlPlane, startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import { readDockerArchive, writeDockerArchive } from '../../../hack/xpkg/images/docker-archive.ts';
import { archiveOf, type ContainerImage } from '../../../hack/xpkg/images/image.ts';
import { readTar } from '../../../hack/xpkg/images/tar-archive.ts';
import {
  namespaces,
  type ResourceType,
  secrets,
} from '../../../internal/framework/kube/object/resource-type.ts';
import type { Managed } from '../../../internal/framework/managed/resource/managed.ts';
import { eventually } from '../../environment/eventually.ts';
import { installCrds } from '../../environment/install-crds.ts';
import { namespaceManifest } from '../../environment/manifests.ts';
import { type Objects, objectsOf } from '../../environment/objects.ts';
import { nodeBaseImage } from '../harness/provider/node-base-image.ts';
import { exampleManifest, startExample } from './example-process.ts';

const greetings: ResourceType<Managed> = {
  group: 'hello.example.org',
  version: 'v1alpha1',
  kind: 'Greeting',
  plural: 'greetings',
  namespaced: true,
};

const key = { namespace: 'hello', name: 'image' };

let plane: ControlPlane;
let greeter: Greeter;
let objects: Objects;

const manifest = (file: string) => exampleManifest('hello-provider', file);

beforeAll(async () => {
  plane = await startControlPlane({ name: 'hello' });
  objects = objectsOf(plane);
  await installCrds(plane, [await manifest('package/crds/hello.example.org_greetings.yaml')]);
  await objects.apply(namespaces, namespaceManifest(key.namespace));
  await objects.apply(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: key.namespace, name: 'greeter' },
    data: { token: Buffer.from('s3cret').toString('base64') },
  });
  greeter = await startGreeter(0);
}, 120_000);

afterAll(async () => {
  greeter?.close();
  await plane?.stop();
});

test('its package has the CRD, and an image whose program does the same without node_modules', async () => {
  let image: ContainerImage | undefined;
  const packaged = await startExample('hello-provider', {
    plane,
    ready: 'serving',
    env: async () => ({ GREETER_URL: greeter.url }),
    program: async (author, folder) => {
      const base = join(author.path, 'base.tar');
      await writeFile(base, await writeDockerArchive(await nodeBaseImage()));
      expect(await author.kit(['package', '--base-image', base], folder)).toMatchObject({ code: 0 });
      const stream = await readFile(join(folder, 'dist/package.yaml'), 'utf8');
      expect(parseAllDocuments(stream).map((document) => document.get('kind'))).toEqual(
        expect.arrayContaining(['Provider', 'CustomResourceDefinition']),
      );
      [image] = await readDockerArchive(await readFile(join(folder, 'dist/hello-provider.xpkg')));
      const [node, ...args] = image?.config.config?.Entrypoint ?? [];
      expect(node).toBe('/nodejs/bin/node');
      const files = join(author.path, 'image');
      await mkdir(files);
      return programIn(image, args, files);
    },
  });
  try {
    await objects.apply(greetings, { ...(await manifest('greeting.yaml')), metadata: key });
    await eventually(async () => expect(greeter.texts.get(`${key.namespace}.image`)).toBe('Hello, world'));
    await objects.delete(greetings, key);
    await eventually(async () => expect(await objects.find(greetings, key)).toBeUndefined());
    expect(greeter.texts.size).toBe(0);
    packaged.server.signal('SIGTERM');
    expect(await packaged.server.gone).toBe('it ended with 0');
    expect(image?.config.config?.User).toBe('2000:2000');
  } finally {
    await packaged.stop();
  }
});

/** Writes the files of an image's program into a folder; the arguments of Node then name them there. */
async function programIn(image: ContainerImage | undefined, args: readonly string[], folder: string) {
  const written = new Map<string, string>();
  for (const layer of image?.layers ?? []) {
    for (const [name, bytes] of await readTar(archiveOf(layer))) {
      if (!name.endsWith('.mjs')) continue;
      const file = join(folder, basename(name));
      await writeFile(file, bytes);
      written.set(`/${name}`, file);
    }
  }
  return args.map((arg) => written.get(arg) ?? arg);
}
