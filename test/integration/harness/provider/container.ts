/**
 * Runs a container image without a container engine: its layers in a folder that becomes the root, mounted read-only in
 * a mount namespace of its own, as another user without a way to gain capabilities. The network is the host's. It
 * requires Linux and root.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startServerProcess } from '../../../../hack/control-planes/process/server-process.ts';
import { startWatchdog } from '../../../../hack/control-planes/process/watchdog.ts';
import type { ContainerImage } from '../../../../hack/xpkg/images/image.ts';
import { systemClock } from '../../../../internal/framework/base/time/clock.ts';

/** Why containers cannot be run here; undefined if they can. */
export function noContainersBecause(): string | undefined {
  if (process.platform !== 'linux') return 'it takes Linux';
  if (process.getuid?.() !== 0) return 'it takes root, for namespaces and mounts';
  try {
    execFileSync('unshare', ['--mount', 'setpriv', '--no-new-privs', 'true'], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return `namespaces cannot be made here: ${error instanceof Error ? error.message : error}`;
  }
}

/** A read-only mount. */
export interface Mount {
  /** File or folder of the host. */
  readonly from: string;
  /** Absolute, in the container. */
  readonly to: string;
}

export interface ContainerOptions {
  readonly name: string;
  /** Added to that of the image. */
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  /** `uid:gid` */
  readonly user: string;
  /** After the image's entrypoint. */
  readonly args?: readonly string[];
  /** In place of the image's entrypoint. */
  readonly command?: readonly string[];
}

export interface Container {
  output(): string;
  signal(name: NodeJS.Signals): void;
  /** Resolves when it has ended, with how: `it ended with 0`. */
  readonly gone: Promise<string>;
}

/** An image, unpacked. */
export interface Containers {
  run(options: ContainerOptions): Promise<Container>;
  /** Kills what runs and removes all files. */
  stop(): Promise<void>;
}

/** Mounts, each line of the file `from` and `to`; then the root itself becomes read-only, and its program starts. */
const SCRIPT = `
root=$1; mounts=$2; user=$3; shift 3
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
while read -r from to; do
  mount --bind "$from" "$root$to"
  mount -o remount,bind,ro "$root$to"
done <"$mounts"
mount -o remount,bind,ro "$root"
exec setpriv --no-new-privs chroot --userspec="$user" --groups= "$root" "$@"
`;

export async function unpack(image: ContainerImage): Promise<Containers> {
  const directory = await mkdtemp(join(tmpdir(), 'kyma-container-'));
  const endWatchdog = startWatchdog(directory);
  const root = join(directory, 'root');
  for (const folder of ['proc', 'dev', 'tmp']) await mkdir(join(root, folder), { recursive: true });
  for (const [position, { blob }] of image.layers.entries()) {
    const layer = join(directory, `${position}.tar.gz`);
    await writeFile(layer, blob.bytes);
    execFileSync('tar', ['-xzf', layer, '-C', root]);
  }
  return {
    run: async ({ name, env, mounts, user, args = [], command }) => {
      for (const { to } of mounts) await mkdir(join(root, dirname(to)), { recursive: true });
      for (const { from, to } of mounts) await makePoint(from, join(root, to));
      const list = join(directory, `${name}.mounts`);
      await writeFile(list, mounts.map(({ from, to }) => `${from} ${to}\n`).join(''));
      const program = command ?? [...(image.config.config?.Entrypoint ?? []), ...args];
      const own = Object.fromEntries((image.config.config?.Env ?? []).map((pair) => pair.split(/=(.*)/s, 2)));
      const server = await startServerProcess({
        name,
        command: 'unshare',
        args: ['--mount', '--propagation=private', 'sh', '-euc', SCRIPT, name, root, list, user, ...program],
        env: { ...own, ...env },
        directory,
        clock: systemClock,
        isReady: async () => true,
      });
      const log = join(directory, `${name}.log`);
      return { output: () => readFileSync(log, 'utf8'), signal: server.signal, gone: server.gone };
    },
    stop: endWatchdog,
  };
}

/** A mount needs something to be mounted on: an empty file for a file, a folder for a folder. */
async function makePoint(from: string, to: string): Promise<void> {
  if (statSync(from).isDirectory()) await mkdir(to, { recursive: true });
  else await writeFile(to, '');
}
