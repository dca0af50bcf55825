import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** What users start: the bundle, through its launcher. */
export const PROVIDER = join(import.meta.dirname, '../../../bin/provider-kyma');

/**
 * The environment of the provider and of `doctor`: what they need and no more, so that no setting of the user's shell
 * (a proxy, a flag's twin, another cluster) changes what is shown.
 *
 * @param caFile PEM file of the authority that HANA Cloud's certificates are from
 */
export function providerEnvironment(caFile: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'XDG_CACHE_HOME', 'TMPDIR'].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), NODE_EXTRA_CA_CERTS: caFile };
}

/** Runs a command of the provider to its end. @param stdin default: nothing */
export async function runProvider(
  args: readonly string[],
  { stdin = '', ...options }: { env: NodeJS.ProcessEnv; cwd?: string; signal?: AbortSignal; stdin?: string },
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  const child = spawn(PROVIDER, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  // A command that does not read its input may have ended by now.
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin);
  const closed = once(child, 'close') as Promise<[number | null]>;
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, out, err };
}
