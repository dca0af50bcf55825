import { parse } from 'yaml';

export interface CliPackage {
  readonly meta: PackageObject;
  readonly objects: readonly PackageObject[];
}

interface PackageObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/**
 * Reads the archive of a package's base layer as `crossplane resource validate` and `crossplane xpkg get-crds` do
 * (extractPackageContent in cmd/crossplane/validate/image.go of the CLI): the archive itself, member header and padding
 * included, is one YAML stream. The first line and the last document are dropped unread.
 */
export function readAsCli(archive: Uint8Array): CliPackage {
  const documents = Buffer.from(archive)
    .toString('latin1')
    .split(/^---[ \t]*\n/m)
    .filter((document) => document !== '');
  const [first = '', ...rest] = documents;
  return {
    meta: parse(first.slice(first.indexOf('\n') + 1)),
    objects: rest.slice(0, -1).map((document) => parse(document)),
  };
}
