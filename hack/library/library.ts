import { execFile } from 'node:child_process';
import { chmod, cp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');

/** The output folder that `exports` of package.json names. */
export const LIBRARY = join(ROOT, 'dist', 'lib');

/** What `bin` of package.json points to, below the library. */
const COMMANDS = ['hack/codegen/command.js', 'hack/kit/command.js'];

/** Files of the repository that the code reads from its own folder: what builds the servers of control planes. */
const FILES = ['hack/control-planes/binaries/build'];

/**
 * Writes JavaScript and declarations of the framework and of the kit for authors, as far as the entries reach, into `folder`. One file
 * for each source file, under the same path, so that a debugger shows the code of the repository.
 *
 * Throws with the compiler's output if the code has errors.
 */
export async function buildLibrary(folder = LIBRARY): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await compile(folder);
  const { providerFileSchema } = await import(join(folder, 'hack/kit/format/read-provider-file.js'));
  const schema = `${JSON.stringify(providerFileSchema, undefined, 2)}\n`;
  await writeFile(join(folder, 'hack/kit/provider.schema.json'), schema);
  for (const file of FILES) await cp(join(ROOT, file), join(folder, file), { recursive: true });
  // npm does so at an installation; a library that is linked is built again after that.
  for (const command of COMMANDS) await chmod(join(folder, command), 0o755);
}

async function compile(folder: string): Promise<void> {
  const args = [compiler(), '-p', join(import.meta.dirname, 'tsconfig.json'), '--outDir', folder];
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
