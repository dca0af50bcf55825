import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = '/sys/fs/cgroup';

/**
 * The folders that a group may have. With cgroup v2 it is one, with v1 one a hierarchy; where both are mounted, those of
 * v1 count, and runc makes one of v2 too.
 */
export async function cgroupFolders(name: string): Promise<string[]> {
  const { v1, v2 } = await hierarchies();
  return [...v1, ...v2].map((path) => join(path, name));
}

/** Makes a group, for a kubelet that has it as its root. */
export async function makeCgroups(name: string): Promise<void> {
  const { v1, v2 } = await hierarchies();
  for (const path of v1.length > 0 ? v1 : v2) await mkdir(join(path, name), { recursive: true });
}

async function hierarchies() {
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n').map((line) => line.split(' '));
  const at = (type: string) =>
    mounts.flatMap(([, path = '', found]) => (found === type && path.startsWith(ROOT) ? [path] : []));
  return { v1: at('cgroup'), v2: at('cgroup2') };
}
