import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildProgram } from '../control-planes/binaries/go-build.ts';

/** The objects of a manifest as Helm reads them before it installs them, or why it refuses it. */
export type HelmObjects = { readonly objects: readonly unknown[] } | { readonly error: string };

export interface HelmObjectsReader extends AsyncDisposable {
  read(manifest: string): Promise<HelmObjects>;
}

const MODULE = join(import.meta.dirname, '../gotemplate/helm');

/** @param scratch a folder for the program, which is built from Go modules */
export async function openHelmObjects(scratch: string): Promise<HelmObjectsReader> {
  const output = join(scratch, 'objects');
  await buildProgram({ module: MODULE, path: './objects', output });
  const child = spawn(output, { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = new Promise((resolve) => child.once('close', resolve));
  return {
    read: async (manifest) => {
      child.stdin.write(`${JSON.stringify(manifest)}\n`);
      const { value, done } = await answers.next();
      if (done === true) throw new Error('the program that reads objects has ended');
      const answer = JSON.parse(String(value)) as { objects?: readonly unknown[]; error?: string };
      // Go leaves out what is empty.
      return answer.error === undefined ? { objects: answer.objects ?? [] } : { error: answer.error };
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
