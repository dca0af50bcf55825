/** `provider-kyma-kit package`: everything that is installed of an author's provider. */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { messageOf } from '../../../internal/framework/base/errors/errors.ts';
import { type PackageManifest, readManifest } from '../../bundle/bundled-packages.ts';
import { sbom } from '../../bundle/sbom.ts';
import { buildPackage } from '../../xpkg/build-package.ts';
import { chooseRuntimes, runtimeFlags } from '../../xpkg/choose-runtimes.ts';
import type { ContainerImage } from '../../xpkg/images/image.ts';
import { type KitCommand, KitError, readArgs } from '../kit-command.ts';
import { bundleProvider } from './bundle-provider.ts';

const usage = `Usage: provider-kyma-kit package [--base-image FILE]... [options]

Writes into the output folder, without Docker:
  NAME.mjs           the program and all that it imports, in one file
  NAME.cdx.json      its bill of materials (CycloneDX)
  package.yaml       the objects of the package in one stream
  NAME.xpkg          the Crossplane package, for \`crossplane xpkg push -f\`
  oci/               the same as an OCI layout, for \`crane push\`, \`skopeo copy\`, \`oras copy\`

  --base-image     an image with Node as its entrypoint, for the bundle to be put on: a tarball of \`docker save\` or the folder of an
                   OCI layout, e.g. of \`crane pull --format=oci gcr.io/distroless/nodejs24-debian12:nonroot base\`; may be repeated
                   for several platforms, linux/amd64 is one of them
  --runtime-image  instead: a complete image, whose entrypoint starts the provider
  --entry          the program; default: main.ts
  --meta           the file with the Provider of meta.pkg.crossplane.io; default: package/crossplane.yaml
  --crds           the folder of the CRDs; default: package/crds
  --examples       a folder of manifests for catalogues; default: examples, if it exists
  --output         default: dist
  --version        of the package, without v; default: that of package.json
  --source         where the sources are, for catalogues: https://host/owner/repository
  --revision       commit of the sources`;

const options = {
  ...runtimeFlags,
  entry: { type: 'string', default: 'main.ts' },
  meta: { type: 'string', default: 'package/crossplane.yaml' },
  crds: { type: 'string', default: 'package/crds' },
  examples: { type: 'string' },
  output: { type: 'string', default: 'dist' },
  version: { type: 'string' },
  source: { type: 'string' },
  revision: { type: 'string' },
} as const;

export const packageCommand: KitCommand = {
  usage,
  run: async (args) => {
    const { values } = readArgs(usage, { args, options });
    const root = process.cwd();
    const manifest = await manifestOf(root);
    const name = nameOf(manifest);
    const { version = manifest.version, meta, crds, source, revision } = values;
    const output = join(root, values.output);
    await mkdir(output, { recursive: true });

    const bundle = join(output, `${name}.mjs`);
    const metafile = await bundleProvider({ root, entry: values.entry, output: bundle, version, revision });
    const bill = join(output, `${name}.cdx.json`);
    await writeFile(bill, await sbom({ metafile, root, version }));

    const examples = values.examples ?? ((await exists(join(root, 'examples'))) ? 'examples' : undefined);
    const license = typeof manifest.license === 'string' ? manifest.license : undefined;
    const built = await orKitError(async () =>
      buildPackage({
        root,
        package: {
          name,
          license,
          meta,
          contents: [`${crds}/*.yaml`],
          examples: examples === undefined ? undefined : `${examples}/**/*.yaml`,
        },
        output,
        version,
        runtimes: await runtimesOf(values, name, bundle),
        source,
        revision,
      }),
    );
    for (const file of [bundle, bill, built.packageYaml, ...built.archives])
      console.log(`${relative(root, file)}: ${((await stat(file)).size / 1e6).toFixed(2)} MB`);
    console.log(`${relative(root, built.layout)}: OCI layout`);
    if (values['base-image'].length + values['runtime-image'].length === 0)
      console.log('no runtime image is embedded: Crossplane can install it, no node start it (--base-image)');
    return true;
  },
};

const runtimesOf = (
  flags: Parameters<typeof chooseRuntimes>[0],
  name: string,
  bundle: string,
): Promise<ContainerImage[]> =>
  chooseRuntimes(flags, async () => ({
    name,
    files: [{ name: `${name}.mjs`, bytes: await readFile(bundle) }],
  }));

async function manifestOf(root: string): Promise<PackageManifest> {
  try {
    return await readManifest(root);
  } catch (error) {
    throw new KitError(`cannot package: package.json of the current folder: ${messageOf(error)}`);
  }
}

/** Names files, and the folder of the bundle in the image. */
function nameOf({ name }: PackageManifest): string {
  const own = name?.replace(/^@[^/]*\//, '') ?? '';
  if (/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(own)) return own;
  throw new KitError(
    `cannot package: name ${JSON.stringify(name)} of package.json is not lower-case letters, digits and dashes`,
  );
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** What is wrong with files of the project or with a given image. */
async function orKitError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new KitError(messageOf(error), { cause: error });
  }
}
