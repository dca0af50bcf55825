import { execFile } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const mount = (...args: string[]) => promisify(execFile)('mount', args);

/** Where programs of a node write, whatever their flags say. */
const WRITTEN = ['/run', '/var/lib', '/var/log'];

/** What the kubelet wants of the kernel. It sets what differs, and these settings are the whole machine's. */
const TUNABLES: Readonly<Record<string, string>> = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
};

/** Hides from the mount namespace what a node would change on the machine. */
export async function prepareMounts(directory: string): Promise<void> {
  for (const path of WRITTEN) {
    if (directory.startsWith(`${path}/`))
      throw new Error(`cannot start a node in ${directory}: it hides ${path}`);
    await mount('-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', path);
  }
  const folder = join(directory, 'tunables');
  await mkdir(folder);
  for (const [name, value] of Object.entries(TUNABLES)) {
    const file = join(folder, name.replaceAll('/', '.'));
    await writeFile(file, `${value}\n`);
    const path = `/proc/sys/${name}`;
    if (await exists(path)) await mount('--bind', file, path);
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
