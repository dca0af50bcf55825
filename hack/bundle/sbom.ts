import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Metafile } from 'esbuild';
import { bundledPackages } from './bundled-packages.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The used part of a CycloneDX document (1.5); everything else is kept as npm writes it. */
export interface Sbom {
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: string;
  readonly serialNumber: string;
  readonly metadata: {
    readonly timestamp?: string;
    readonly component: SbomComponent;
  };
  readonly components: readonly SbomComponent[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

export interface SbomComponent {
  /** `name@version` */
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly object[];
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

export interface SbomOptions {
  /** The inputs that esbuild reports for the bundle. */
  readonly metafile: Metafile;
  readonly version: string;
}

/**
 * The software bill of materials of a bundle, as CycloneDX JSON: npm's own document of the lock file, cut down to the
 * packages whose code is in the bundle. It has neither time nor a random number, so that equal bundles have equal bills.
 * Throws if the bundle has a package that the lock file does not name: `make install` then has something to do.
 */
export async function sbom({ metafile, version }: SbomOptions): Promise<string> {
  const all = await lockFileSbom();
  const bundled = new Set(await bundledPackages(metafile));
  const components = all.components
    .filter((component) => bundled.has(component['bom-ref']))
    // Whether the lock file counts it as a tool does not matter: it is shipped.
    .map((component) => ({ ...component, scope: 'required', properties: [] }));
  const named = new Set(components.map((component) => component['bom-ref']));
  const unknown = [...bundled].filter((id) => !named.has(id));
  if (unknown.length > 0) {
    throw new Error(`cannot write the SBOM: package-lock.json does not have ${unknown.join(', ')}`);
  }
  const own = all.metadata.component['bom-ref'];
  const ref = `provider-kyma@${version}`;
  const dependencies = all.dependencies
    .filter((entry) => entry.ref === own || named.has(entry.ref))
    .map((entry) => ({
      ref: entry.ref === own ? ref : entry.ref,
      dependsOn: (entry.dependsOn ?? []).filter((id) => named.has(id)),
    }));
  const { timestamp: _, ...metadata } = all.metadata;
  const component = {
    ...metadata.component,
    'bom-ref': ref,
    // npm takes the name of the folder.
    name: 'provider-kyma',
    version,
    purl: `pkg:npm/${ref}`,
  };
  const bill = { ...all, metadata: { ...metadata, component }, components, dependencies };
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify({ ...bill, serialNumber: '' }))}`;
  return `${JSON.stringify({ ...bill, serialNumber } satisfies Sbom, null, 2)}\n`;
}

async function lockFileSbom(): Promise<Sbom> {
  // All packages: npm's --omit=dev drops packages that some development tool needs in another version.
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: ROOT, maxBuffer: 64e6 });
  return JSON.parse(stdout);
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
