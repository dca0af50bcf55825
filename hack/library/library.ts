import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');

/** Where `exports` of package.json look. */
export const LIBRARY = join(ROOT, 'dist', 'lib');

/**
 * Writes JavaScript and declarations of the framework, as far as the entries lead to them, into `folder`. A file for
 * each of ours: whoever steps into it with a debugger finds the code that is in the repository.
 *
 * Throws with what the compiler says if the code is wrong.
 */
export async function buildLibrary(folder = LIBRARY): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const project = join(import.meta.dirname, 'tsconfig.json');
  try {
    await promisify(execFile)(process.execPath, [compiler(), '-p', project, '--outDir', folder]);
  } catch (error) {
    const { stdout } = error as { stdout?: string };
    throw new Error(`cannot build the library: ${stdout || error}`);
  }
}

/** TypeScript 7 has no API yet that one could build on; its program has. */
function compiler(): string {
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
  return join(dirname(manifest), 'bin', 'tsc');
}
