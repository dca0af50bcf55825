import { glob, readFile } from 'node:fs/promises';
import { basename, join, matchesGlob } from 'node:path';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { unpackTar } from 'modern-tar';
import { parseAllDocuments } from 'yaml';
import { temporaryFolder } from '../../internal/framework/base/temporary-folder.fixture.ts';
import { type BuildPackageOptions, type BuiltPackage, buildPackage } from './build-package.ts';
import { readDockerArchive } from './images/docker-archive.ts';
import { archiveOf, imageBlob } from './images/image.ts';
import { type ImageManifest, mediaTypes, readOciLayout } from './images/oci-layout.ts';
import { amd64, arm64, sampleImage } from './images/sample-image.fixture.ts';
import { readTar } from './images/tar-archive.ts';
import { readDocuments } from './kubernetes-documents.ts';
import { ownPackage } from './own-program.ts';
import { packageStream } from './package-stream.ts';
import { readAsCli } from './read-as-cli.fixture.ts';

/** Whole builds, possibly on a busy machine. */
jest.setTimeout(120_000);

const ROOT = join(import.meta.dirname, '../..');

const folder = temporaryFolder('xpkg-');

const build = async (
  name: string,
  runtimes: BuildPackageOptions['runtimes'] = [],
  options: Partial<BuildPackageOptions> = {},
) =>
  buildPackage({
    root: ROOT,
    package: ownPackage,
    output: join(folder, name),
    version: '1.2.3',
    runtimes,
    source: 'https://h/o/r',
    revision: '0123abc',
    ...options,
  });

/** Labels of the image that these describe, as registries and catalogues show them. */
const described = {
  'org.opencontainers.image.title': 'provider-kyma',
  'org.opencontainers.image.version': '1.2.3',
  'org.opencontainers.image.licenses': 'Apache-2.0',
  'org.opencontainers.image.source': 'https://h/o/r',
  'org.opencontainers.image.revision': '0123abc',
};

describe('without a runtime image', () => {
  let built: BuiltPackage;
  beforeAll(async () => {
    built = await build('plain');
  });

  test('the tarball has config, layers and manifest, in this order and without paths of the build machine', async () => {
    const [archive = ''] = built.archives;
    const entries = await unpackTar(await readFile(archive), { strict: true });
    const headers = entries.map(({ header }) => header);

    expect(headers.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      expect.stringMatching(/^[0-9a-f]{64}\.tar\.gz$/),
      expect.stringMatching(/^[0-9a-f]{64}\.tar\.gz$/),
      'manifest.json',
    ]);
    for (const { mtime, uid, gid, uname, gname } of headers) {
      expect({ mtime: mtime?.getTime(), uid, gid, owner: `${uname ?? ''}${gname ?? ''}` }).toEqual({
        mtime: 0,
        uid: 0,
        gid: 0,
        owner: '',
      });
    }
    // Each member is named after the digest of its content.
    for (const { header, data } of entries.slice(0, -1)) {
      const { digest } = imageBlob(data ?? new Uint8Array());
      expect([digest, `${digest.slice(7)}.tar.gz`]).toContain(header.name);
    }
    const [config, base, examples, manifest] = entries;
    expect(JSON.parse(Buffer.from(manifest?.data ?? '').toString())).toEqual([
      { Config: config?.header.name, RepoTags: null, Layers: [base?.header.name, examples?.header.name] },
    ]);
  });

  test('the config is for no platform, and its labels name the layers and the version', async () => {
    const [image] = await readDockerArchive(await readFile(built.archives[0] ?? ''));
    const [base, examples] = image?.layers ?? [];

    expect(image?.config).toEqual({
      architecture: '',
      os: '',
      config: {
        Labels: {
          ...described,
          [`io.crossplane.xpkg:${base?.blob.digest}`]: 'base',
          [`io.crossplane.xpkg:${examples?.blob.digest}`]: 'upbound',
        },
      },
      rootfs: { type: 'layers', diff_ids: [base?.diffId, examples?.diffId] },
      history: [expect.anything(), expect.anything()],
    });
  });

  test('each layer has exactly its one file', async () => {
    const [image] = await readDockerArchive(await readFile(built.archives[0] ?? ''));
    const files = await Promise.all((image?.layers ?? []).map((layer) => readTar(archiveOf(layer))));

    expect(files.map((layer) => [...layer.keys()])).toEqual([['package.yaml'], ['.up/examples.yaml']]);
    const examples = Buffer.from(files[1]?.get('.up/examples.yaml') ?? '').toString();
    expect(examples).toContain('kind: KymaInstanceMapping');
    // The example of a provider is not for a catalogue.
    expect(examples).not.toContain('kind: CustomResourceDefinition');
    expect(Buffer.from(files[0]?.get('package.yaml') ?? '').toString()).toBe(
      await readFile(built.packageYaml, 'utf8'),
    );
  });

  test('the examples are those of this provider, not the one for authors of others', async () => {
    const [image] = await readDockerArchive(await readFile(built.archives[0] ?? ''));
    const [, layer] = image?.layers ?? [];
    const file = layer && (await readTar(archiveOf(layer))).get('.up/examples.yaml');
    const examples = Buffer.from(file ?? '').toString();

    expect(examples).toContain('kind: KymaInstanceMapping');
    expect(examples).not.toContain('hello.example.org');
  });

  test('the OCI layout has the layers annotated, and the same layers and config as the tarball', async () => {
    const index = JSON.parse(await readFile(join(built.layout, 'index.json'), 'utf8'));
    const blob = (digest: string) => readFile(join(built.layout, 'blobs', ...digest.split(':')), 'utf8');
    const manifest: ImageManifest = JSON.parse(await blob(index.manifests[0].digest));

    expect(manifest.layers.map(({ annotations }) => annotations)).toEqual([
      { 'io.crossplane.xpkg': 'base' },
      { 'io.crossplane.xpkg': 'upbound' },
    ]);
    expect(new Set(manifest.layers.map(({ mediaType }) => mediaType))).toEqual(new Set([mediaTypes.layer]));
    expect(manifest.annotations).toEqual(described);
    expect(await readOciLayout(built.layout)).toEqual(
      await readDockerArchive(await readFile(built.archives[0] ?? '')),
    );
  });

  test('the Crossplane CLI finds the meta object and every CRD', async () => {
    const [image] = await readDockerArchive(await readFile(built.archives[0] ?? ''));
    const [base] = image?.layers ?? [];
    if (base === undefined) throw new Error('there is no layer');

    const { meta, objects } = readAsCli(archiveOf(base));

    expect(meta).toMatchObject({ kind: 'Provider', metadata: { name: 'provider-kyma' } });
    const crds = await readDocuments(ROOT, 'package/crds/*.yaml');
    expect(objects.map(({ metadata }) => metadata.name)).toEqual(crds.map(({ name }) => name));
  });

  test('each version has a tarball of its own, though its objects are those of another', async () => {
    const [mine, other] = await Promise.all(
      [built, await build('next', [], { version: '1.2.4' })].map(({ archives }) =>
        readFile(archives[0] ?? ''),
      ),
    );

    expect(mine?.equals(other ?? Buffer.of())).toBe(false);
  });

  test('package.yaml has one meta object, safe-start, and CRDs with a description of every field', async () => {
    const documents = parseAllDocuments(await readFile(built.packageYaml, 'utf8'));
    // The stream ends with a separator, so that one more document is empty.
    expect(documents.pop()?.toJS()).toBeNull();
    const objects = documents.map((document) => {
      expect(document.errors).toEqual([]);
      return document.toJS();
    });

    const [meta, ...crds] = objects;
    expect(meta).toMatchObject({
      apiVersion: 'meta.pkg.crossplane.io/v1',
      kind: 'Provider',
      spec: { capabilities: ['safe-start'] },
    });
    expect(crds.length).toBeGreaterThan(3);
    expect(new Set(crds.map(({ kind }) => kind))).toEqual(new Set(['CustomResourceDefinition']));
    const undescribed = crds.flatMap(({ metadata, spec }) =>
      spec.versions.flatMap((version: { schema: { openAPIV3Schema: Schema } }) =>
        withoutDescription(version.schema.openAPIV3Schema, metadata.name),
      ),
    );
    expect(undescribed).toEqual([]);
  });
});

describe('with runtime images', () => {
  test('there is a package for each platform, and both are in the layout', async () => {
    const runtimes = [await sampleImage(amd64, 'x'), await sampleImage(arm64, 'y')];
    const built = await build('both', runtimes);

    expect(built.archives.map((path) => basename(path))).toEqual([
      'provider-kyma.xpkg',
      'provider-kyma-linux-arm64-v8.xpkg',
    ]);
    const images = await readOciLayout(built.layout);
    expect(images).toHaveLength(2);
    for (const [position, { config, layers }] of images.entries()) {
      const runtime = runtimes[position];
      expect(layers.slice(0, 1)).toEqual(runtime?.layers);
      expect(layers).toHaveLength(3);
      // Command and user of the image stay; labels are added to those it has.
      const { Labels, ...rest } = config.config ?? {};
      const { Labels: own, ...ownRest } = runtime?.config.config ?? {};
      expect(rest).toEqual(ownRest);
      expect(Labels).toMatchObject({ ...own, ...described });
      expect(Labels?.[`io.crossplane.xpkg:${layers[1]?.blob.digest}`]).toBe('base');
      expect(config.rootfs.diff_ids).toEqual(layers.map(({ diffId }) => diffId));
      expect(config.architecture).toBe(runtime?.config.architecture);
      const archive = await readFile(built.archives[position] ?? '');
      expect(await readDockerArchive(archive)).toEqual([{ config, layers }]);
    }
  });

  test('a package as the runtime of the next one leaves just one layer that counts as the base', async () => {
    const [older] = await build('older', [await sampleImage(amd64)]).then(({ layout }) =>
      readOciLayout(layout),
    );
    if (older === undefined) throw new Error('there is no image');
    const Labels = { ...older.config.config?.Labels, 'io.crossplane.xpkg:sha256:0': 'base' };
    const runtime = { ...older, config: { ...older.config, config: { ...older.config.config, Labels } } };

    const [newer] = await build('newer', [runtime]).then(({ layout }) => readOciLayout(layout));

    const kinds = Object.entries(newer?.config.config?.Labels ?? {}).filter(([name]) =>
      name.includes('xpkg:'),
    );
    expect(kinds).toEqual([
      [`io.crossplane.xpkg:${newer?.layers.at(-2)?.blob.digest}`, 'base'],
      [`io.crossplane.xpkg:${newer?.layers.at(-1)?.blob.digest}`, 'upbound'],
    ]);
  });

  test('annotations of the base image do not become those of the package', async () => {
    const base = await sampleImage(amd64);
    const Labels = {
      'org.opencontainers.image.version': '24.04',
      'org.opencontainers.image.source': 'https://example.org/base',
      'org.opencontainers.image.vendor': 'another vendor',
      'org.example.base': 'sample',
    };
    const runtime = { ...base, config: { ...base.config, config: { ...base.config.config, Labels } } };

    const { layout } = await build('labelled', [runtime], { source: undefined });

    const [image] = await readOciLayout(layout);
    const { 'org.opencontainers.image.source': _, ...withoutSource } = described;
    const entries = Object.entries(image?.config.config?.Labels ?? {});
    const own = entries.filter(([name]) => !name.startsWith('io.crossplane.xpkg:'));
    expect(Object.fromEntries(own)).toEqual({ ...withoutSource, 'org.example.base': 'sample' });
  });

  test('an earlier build’s packages for other platforms are gone', async () => {
    await build('again', [await sampleImage(amd64), await sampleImage(arm64)]);
    const { archives } = await build('again', [await sampleImage(amd64)]);

    await expect(readFile(join(folder, 'again/provider-kyma-linux-arm64-v8.xpkg'))).rejects.toThrow('ENOENT');
    expect(archives).toHaveLength(1);
  });
});

test('two builds of the same sources are the same to the byte', async () => {
  const runtimes = [await sampleImage(amd64, 'x'), await sampleImage(arm64, 'y')];
  const [first, second] = [await build('first', runtimes), await build('second', runtimes)];

  for (const [position, archive] of first.archives.entries()) {
    expect(imageBlob(await readFile(archive)).digest).toBe(
      imageBlob(await readFile(second.archives[position] ?? '')).digest,
    );
  }
  expect(await readFile(join(first.layout, 'index.json'), 'utf8')).toBe(
    await readFile(join(second.layout, 'index.json'), 'utf8'),
  );
});

test('`crossplane xpkg build` can build the folder, without what its documentation ignores', async () => {
  const readme = await readFile(join(ROOT, 'package/README.md'), 'utf8');
  const ignored = /--ignore='([^']+)'/.exec(readme)?.[1]?.split(',') ?? [];
  const paths: string[] = [];
  for await (const path of glob('**/*.{yaml,yml}', { cwd: join(ROOT, 'package') }))
    if (!ignored.some((pattern) => matchesGlob(path, pattern))) paths.push(`package/${path}`);
  const documents = await readDocuments(ROOT, `{${paths.join(',')}}`);

  expect(documents.length).toBeGreaterThan(3);
  expect(() => packageStream(documents)).not.toThrow();
  expect(paths.filter((path) => /monitoring|btp|infrastructure-manager|reconciler/.test(path))).toEqual([]);
});

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
}

/** Paths of the fields without a description for `kubectl explain`. The API server describes metadata. */
function withoutDescription(schema: Schema, path: string): string[] {
  const own = schema.description || path.endsWith('[]') || path.endsWith('{}') ? [] : [path];
  return [
    ...own,
    ...Object.entries(schema.properties ?? {}).flatMap(([name, value]) =>
      name === 'metadata' ? [] : withoutDescription(value, `${path}.${name}`),
    ),
    ...(schema.items ? withoutDescription(schema.items, `${path}[]`) : []),
    ...(typeof schema.additionalProperties === 'object'
      ? withoutDescription(schema.additionalProperties, `${path}{}`)
      : []),
  ];
}
