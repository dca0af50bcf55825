import { join } from 'node:path';
import { isExecutable } from '../control-planes/binaries/fill-folder.ts';

/** What a node takes from the distribution. */
export interface Machine {
  /** Absolute path. */
  readonly runc: string;
  /** Folder of the CNI plugins. */
  readonly cniPlugins: string;
}

export interface MachineOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly platform?: NodeJS.Platform;
  /** Of the user. */
  readonly uid?: number;
  /** Where distributions put system programs, after PATH. */
  readonly systemFolders?: readonly string[];
  /** Where distributions put CNI plugins, after the variable `CNI_PLUGINS`. */
  readonly pluginFolders?: readonly string[];
}

const SYSTEM_FOLDERS = ['/usr/sbin', '/sbin'];
const PLUGIN_FOLDERS = ['/opt/cni/bin', '/usr/lib/cni', '/usr/libexec/cni'];
const PLUGINS = ['ptp', 'host-local', 'loopback'];
/** Programs by the package of Debian that has them. */
const TOOLS = {
  runc: 'runc',
  iptables: 'iptables',
  ip: 'iproute2',
  unshare: 'util-linux',
  mount: 'mount',
} as const;

/** What is there, or why this machine cannot run a node. */
export async function findMachine(
  options: MachineOptions = {},
): Promise<Machine | { readonly missing: string }> {
  const { env = process.env, platform = process.platform, uid = process.getuid?.() } = options;
  if (platform !== 'linux') return { missing: `a node needs Linux, and this is ${platform}` };
  if (uid !== 0) return { missing: 'a node needs root, for its namespaces and mounts' };
  const paths = [...(env.PATH ?? '').split(':'), ...(options.systemFolders ?? SYSTEM_FOLDERS)];
  const found = new Map<string, string>();
  for (const tool of Object.keys(TOOLS)) {
    for (const folder of paths) {
      if (folder !== '' && !found.has(tool) && (await isExecutable(join(folder, tool))))
        found.set(tool, join(folder, tool));
    }
  }
  const lacking: string[] = [];
  for (const [tool, from] of Object.entries(TOOLS)) if (!found.has(tool)) lacking.push(from);
  const folders = [
    ...(env.CNI_PLUGINS ? [env.CNI_PLUGINS] : []),
    ...(options.pluginFolders ?? PLUGIN_FOLDERS),
  ];
  const cniPlugins = await firstWith(folders, PLUGINS);
  if (cniPlugins === undefined) lacking.push('containernetworking-plugins');
  const runc = found.get('runc');
  if (lacking.length > 0 || runc === undefined || cniPlugins === undefined) {
    return { missing: `a node needs what this machine lacks: apt-get install ${lacking.join(' ')}` };
  }
  return { runc, cniPlugins };
}

/** @throws with a sentence that says what lacks */
export async function requireMachine(options: MachineOptions = {}): Promise<Machine> {
  const found = await findMachine(options);
  if ('missing' in found) throw new Error(`cannot start a node: ${found.missing}`);
  return found;
}

async function firstWith(folders: readonly string[], names: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const there = await Promise.all(names.map((name) => isExecutable(join(folder, name))));
    if (there.every((each) => each)) return folder;
  }
  return undefined;
}
