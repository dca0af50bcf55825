import { execFile } from 'node:child_process';
import { chmod, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');

/** The output folder that `exports` of package.json names. */
export const LIBRARY = join(ROOT, 'dist', 'lib');

/**
 * Writes JavaScript and declarations of the framework, as far as the entries reach, into `folder`, and the generator
 * of authors into its folder `codegen`. One file for each source file, so that a debugger shows the code of the
 * repository.
 *
 * Throws with the compiler's output if the code has errors.
 */
export async function buildLibrary(folder = LIBRARY): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await Promise.all([
    compile('tsconfig.json', folder),
    compile('tsconfig.codegen.json', join(folder, 'codegen')),
  ]);
  // npm does so at an installation; a library that is linked is built again after that.
  await chmod(join(folder, 'codegen', 'command.js'), 0o755);
}

async function compile(project: string, folder: string): Promise<void> {
  const args = [compiler(), '-p', join(import.meta.dirname, project), '--outDir', folder];
  try {
    await promisify(execFile)(process.execPath, args);
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
