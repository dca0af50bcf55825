import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');

/** The output folder that `exports` of package.json names. */
export const LIBRARY = join(ROOT, 'dist', 'lib');

/**
 * Writes JavaScript and declarations of the framework, as far as the entries reach, into `folder`. One file for each
 * source file, so that a debugger shows the code of the repository.
 *
 * Throws with the compiler's output if the code has errors.
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

/** TypeScript 7 has no compiler API yet: run its program. */
function compiler(): string {
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
  return join(dirname(manifest), 'bin', 'tsc');
}
