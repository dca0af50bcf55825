import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Metafile } from 'esbuild';
import { bundledPackages, type PackageManifest, readManifest } from './bundled-packages.ts';

/** A CycloneDX document (1.5). */
export interface Sbom {
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.5';
  readonly version: 1;
  readonly serialNumber: string;
  readonly metadata: { readonly component: SbomComponent };
  readonly components: readonly SbomComponent[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

export interface SbomComponent {
  /** `name@version` */
  readonly 'bom-ref': string;
  readonly type: 'application' | 'library';
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly purl: string;
  readonly licenses?: readonly object[];
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

export interface SbomOptions {
  /** The inputs that esbuild reports for the bundle. */
  readonly metafile: Metafile;
  /** To which its paths are relative: the folder with package.json and, for the digests, the lock file of npm. */
  readonly root: string;
  readonly version: string;
}

/**
 * The software bill of materials of a bundle, as CycloneDX JSON: the packages whose code is in the bundle. It has neither time nor a
 * random number, so that equal bundles have equal bills. Throws if the bundle has a package that the lock file does not name: an
 * installation then has something to do.
 */
export async function sbom({ metafile, root, version }: SbomOptions): Promise<string> {
  const packages = await bundledPackages(metafile, root);
  const integrity = await readIntegrity(root);
  const unknown = packages.filter(({ folder }) => integrity(folder) === 'unknown');
  if (unknown.length > 0)
    throw new Error(
      `cannot write the SBOM: package-lock.json does not have ${unknown.map(({ id }) => id).join(', ')}`,
    );
  const own = { ...(await readManifest(root)), version };
  const ids = new Map(packages.map(({ folder, id }) => [folder, id]));
  const dependencies = new Map<string, Set<string>>();
  const components = new Map<string, SbomComponent>();
  for (const { id, folder, manifest } of packages) {
    const digest = integrity(folder);
    const hashes = digest === undefined || digest === 'unknown' ? {} : { hashes: [hashOf(digest)] };
    components.set(id, { ...component(manifest, 'library'), ...hashes });
    const needed = dependencies.get(id) ?? new Set();
    for (const each of resolved(manifest, folder, ids)) needed.add(each);
    dependencies.set(id, needed);
  }
  const application = component(own, 'application');
  const direct = [...new Set(resolved(own, '', ids))];
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    serialNumber: '',
    metadata: { component: application },
    components: [...components.values()],
    dependencies: [
      { ref: application['bom-ref'], dependsOn: direct.sort() },
      ...[...dependencies].map(([ref, needed]) => ({ ref, dependsOn: [...needed].sort() })),
    ],
  } satisfies Sbom;
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify(bill))}`;
  return `${JSON.stringify({ ...bill, serialNumber } satisfies Sbom, null, 2)}\n`;
}

function component(manifest: PackageManifest, type: SbomComponent['type']): SbomComponent {
  const { name, version, description } = manifest;
  const license = typeof manifest.license === 'object' ? manifest.license.type : manifest.license;
  return {
    'bom-ref': `${name}@${version}`,
    type,
    name,
    version,
    ...(description ? { description } : {}),
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(license ? { licenses: [licenseOf(license)] } : {}),
  };
}

/** An SPDX ID, an expression of several, or a text that is none, e.g. `SEE LICENSE IN LICENSE`. */
function licenseOf(license: string): object {
  if (/^[A-Za-z0-9.+-]+$/.test(license) && license !== 'UNLICENSED') return { license: { id: license } };
  return / (AND|OR|WITH) /.test(license) ? { expression: license } : { license: { name: license } };
}

/** The packages of the bundle that the imports of a package find, by Node's rules: the nearest `node_modules`. */
function resolved(manifest: PackageManifest, folder: string, ids: ReadonlyMap<string, string>): string[] {
  const { dependencies, optionalDependencies, peerDependencies } = manifest;
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  return names.flatMap((name) => {
    for (let from: string | undefined = folder; from !== undefined; from = outer(from)) {
      const id = ids.get(posix.join(from, 'node_modules', name));
      if (id !== undefined) return [id];
    }
    return [];
  });
}

/** The folder around the innermost `node_modules` of a path; undefined if there is none. */
function outer(folder: string): string | undefined {
  const end = folder.lastIndexOf('node_modules/');
  return end === -1 ? undefined : folder.slice(0, end).replace(/\/$/, '');
}

/** Of the package in a folder; `unknown` if the lock file should have it; undefined without a lock file, and for linked packages. */
type Integrity = (folder: string) => string | 'unknown' | undefined;

async function readIntegrity(root: string): Promise<Integrity> {
  for (const file of ['package-lock.json', 'node_modules/.package-lock.json']) {
    const text = await readFile(join(root, file), 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const { packages }: { packages: Record<string, { integrity?: string }> } = JSON.parse(text);
    return (folder) =>
      folder.startsWith('../') ? undefined : (packages[folder] ?? { integrity: 'unknown' }).integrity;
  }
  return () => undefined;
}

/** @param integrity as npm has it: `sha512-<base64>` */
function hashOf(integrity: string): { alg: string; content: string } {
  const [algorithm = '', digest = ''] = integrity.split('-', 2);
  return {
    alg: algorithm.toUpperCase().replace('SHA', 'SHA-'),
    content: Buffer.from(digest, 'base64').toString('hex'),
  };
}

/** A UUID (version 8, RFC 9562) from the first 128 bits of a text's digest. */
function uuidOf(text: string): string {
  const hex = hash('sha256', text);
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
