import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Copies an image with all its platforms from its registry into the folder of an OCI layout. */
export async function copyImage(reference: string, folder: string): Promise<void> {
  const tag = reference.slice(reference.lastIndexOf(':') + 1);
  await runTool('skopeo', ['copy', '--all', `docker://${reference}`, `oci:${folder}:${tag}`]);
}

/** @throws with the last line of what it says, or that it is not installed */
export async function runTool(command: string, args: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)(command, args);
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT') throw new Error(`${command} is not installed`, { cause: error });
    throw new Error(`${command} ${args[0]} ended with ${code}: ${stderr.trim().split('\n').at(-1)}`, {
      cause: error,
    });
  }
}
