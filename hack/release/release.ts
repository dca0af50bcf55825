import { copyFile, glob, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Metafile } from 'esbuild';
import type { BuildInfo } from '../../internal/framework/base/telemetry/build-info.ts';
import { bundle, bundleFiles } from '../bundle/bundle.ts';
import { sbom } from '../bundle/sbom.ts';
import { buildPackage } from '../xpkg/build-package.ts';
import { chooseRuntimes, type RuntimeFlags } from '../xpkg/choose-runtimes.ts';
import { writeTar } from '../xpkg/images/tar-archive.ts';
import { readDocuments } from '../xpkg/kubernetes-documents.ts';
import { ownPackage, ownProgram } from '../xpkg/own-program.ts';
import { yamlStream } from '../xpkg/package-stream.ts';
import type { RuntimeProgram } from '../xpkg/runtime-image.ts';
import { changelog } from './changelog.ts';
import { packageChart } from './chart.ts';
import { checksums } from './checksums.ts';
import { readGitHistory } from './git-history.ts';
import type { ReleaseVersion } from './release-version.ts';
import { signBytes } from './signature.ts';

export interface ReleaseOptions {
  readonly root: string;
  readonly version: ReleaseVersion;
  /** Folder for the files; what is in it goes. */
  readonly output: string;
  readonly runtime: RuntimeFlags;
  /** PEM; without it nothing is signed. */
  readonly signingKey?: string | undefined;
  readonly passphrase?: string | undefined;
  /** Where the sources are: `https://host/owner/repository`. */
  readonly source?: string | undefined;
  /** Releases a work tree that differs from its commit; the recorded revision then ends with `-dirty`. */
  readonly allowUncommitted?: boolean;
}

/** Folders of `package` with a chart. */
const CHARTS = ['btp', 'infrastructure-manager', 'reconciler'];

/** Names of the files of a release, besides the package's, which depend on its platforms, and the charts'. */
const releaseFiles = {
  bundle: 'provider-kyma.mjs',
  sbom: 'provider-kyma.cdx.json',
  crds: 'crds.yaml',
  layout: 'provider-kyma-oci.tar',
  changelog: 'CHANGELOG.md',
  checksums: 'SHA256SUMS',
  signature: 'SHA256SUMS.sig',
  publicKey: 'provider-kyma.pub',
} as const;

/** Makes everything that is published, and returns its file names. The same commit gives the same bytes. */
export async function release(options: ReleaseOptions): Promise<string[]> {
  const { root, version, output, signingKey, source } = options;
  const history = await readGitHistory(root, version.tag);
  const changed = history.uncommitted.length;
  if (changed > 0 && !options.allowUncommitted) {
    throw new Error(`cannot release ${version.tag}: ${changed} files differ from the commit (git status)`);
  }
  await rm(output, { recursive: true, force: true });
  const work = join(output, 'work');
  await mkdir(work, { recursive: true });
  const file = (name: keyof typeof releaseFiles) => join(output, releaseFiles[name]);

  const revision = changed > 0 ? `${history.revision}-dirty` : history.revision;
  const build = { version: version.version, revision };
  const metafile = await bundleInOneFile(build, work, file('bundle'));
  await writeFile(file('sbom'), await sbom({ metafile, root, version: version.version }));

  const { archives, packageYaml, layout } = await buildPackage({
    root,
    package: ownPackage,
    output: work,
    version: version.version,
    runtimes: await chooseRuntimes(options.runtime, () => bundleInParts(build, work)),
    source,
    revision,
  });
  for (const path of [...archives, packageYaml]) await copyFile(path, join(output, basename(path)));
  await writeFile(file('layout'), await tarOf(layout));
  await writeFile(file('crds'), yamlStream(await readDocuments(root, 'package/crds/*.yaml')));
  const charts = await Promise.all(
    CHARTS.map((folder) => packageChart(join(root, 'package', folder, 'chart'), version)),
  );
  for (const chart of charts) await writeFile(join(output, chart.file), chart.bytes);
  await writeFile(file('changelog'), changelog(version.tag, history));
  await rm(work, { recursive: true });

  const { crds, bundle: code, sbom: bill, layout: oci, changelog: changes } = releaseFiles;
  const names = [...archives, packageYaml].map((path) => basename(path));
  names.push(code, bill, crds, oci, changes, ...charts.map((chart) => chart.file));
  const sums = await checksums(output, names);
  await writeFile(file('checksums'), sums);
  names.push(releaseFiles.checksums);
  if (signingKey !== undefined) {
    const { signature, publicKey } = signBytes(Buffer.from(sums), signingKey, options.passphrase);
    await writeFile(file('signature'), signature);
    await writeFile(file('publicKey'), publicKey);
    names.push(releaseFiles.signature, releaseFiles.publicKey);
  }
  return names.sort();
}

/**
 * The bundle for use without a package: what is loaded on demand is in the same file. The map, whose paths depend on the folder, is
 * not published.
 */
async function bundleInOneFile(build: BuildInfo, work: string, output: string): Promise<Metafile> {
  const whole = join(work, 'whole', releaseFiles.bundle);
  const metafile = await bundle({ ...build, output: whole, parts: false });
  await copyFile(whole, output);
  return metafile;
}

/** The bundle for images. */
async function bundleInParts(build: BuildInfo, work: string): Promise<RuntimeProgram> {
  const output = join(work, releaseFiles.bundle);
  await bundle({ ...build, output });
  return ownProgram(await bundleFiles(output));
}

/** A folder as one archive, to be published as one file. */
async function tarOf(folder: string): Promise<Uint8Array> {
  const names: string[] = [];
  for await (const name of glob('**', { cwd: folder })) {
    if ((await stat(join(folder, name))).isFile()) names.push(name.replaceAll('\\', '/'));
  }
  return writeTar(
    await Promise.all(
      names.sort().map(async (name) => ({ name, bytes: await readFile(join(folder, name)) })),
    ),
  );
}
