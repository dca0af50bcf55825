import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');

/** `name@version` of every npm package that has code in the bundle, sorted. */
export async function bundledPackages(metafile: Metafile): Promise<string[]> {
  const folders = new Set<string>();
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      // Modules that tree shaking removed are not shipped.
      const folder = bytesInOutput > 0 ? packageFolder(path) : undefined;
      if (folder !== undefined) folders.add(folder);
    }
  }
  const ids = await Promise.all([...folders].map(identity));
  return [...new Set(ids)].sort();
}

/** The innermost package's folder; undefined for our own code. */
function packageFolder(path: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
}

async function identity(folder: string): Promise<string> {
  const text = await readFile(join(ROOT, folder, 'package.json'), 'utf8');
  const { name, version }: { name: string; version: string } = JSON.parse(text);
  return `${name}@${version}`;
}
