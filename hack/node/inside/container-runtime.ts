import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type NodeSettings, REGISTRY } from '../settings.ts';
import { cniConfiguration } from './network.ts';

/** Of the image that holds a pod's namespaces, in the node's registry. */
export const PAUSE_IMAGE = { host: 'node.local', name: 'pause', tag: '1' } as const;

/** Writes what containerd reads. Returns its arguments and its socket. */
export async function containerdSetup({ directory, runc, cniPlugins, programs }: NodeSettings) {
  const folder = join(directory, 'containerd');
  const at = (name: string) => join(folder, name);
  const registries = join(at('registries'), '_default');
  await Promise.all(
    [at('cni'), at('ipam'), at('root'), registries].map((each) => mkdir(each, { recursive: true })),
  );
  const socket = at('containerd.sock');
  const { host, name, tag } = PAUSE_IMAGE;
  // A string of JSON is one of TOML.
  const quote = (text: string) => JSON.stringify(text);
  const config = `
version = 3
root = ${quote(at('root'))}
state = "/run/containerd"
disabled_plugins = ["io.containerd.nri.v1.nri"]

[grpc]
  address = ${quote(socket)}

[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = ${quote(`${host}/${name}:${tag}`)}

[plugins."io.containerd.cri.v1.images".registry]
  config_path = ${quote(at('registries'))}

[plugins."io.containerd.cri.v1.runtime"]
  # Without CAP_SYS_RESOURCE no process may lower its score.
  restrict_oom_score_adj = true

[plugins."io.containerd.cri.v1.runtime".cni]
  bin_dirs = [${quote(cniPlugins)}]
  conf_dir = ${quote(at('cni'))}

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
  BinaryName = ${quote(runc)}
`;
  const hosts = `server = "http://${REGISTRY}"\n\n[host."http://${REGISTRY}"]\n  capabilities = ["pull", "resolve"]\n`;
  await writeFile(at('config.toml'), config);
  await writeFile(join(registries, 'hosts.toml'), hosts);
  await writeFile(join(at('cni'), '10-node.conflist'), JSON.stringify(cniConfiguration(at('ipam'))));
  return {
    args: ['--config', at('config.toml')],
    socket,
    // It finds its shim there.
    env: { PATH: `${dirname(programs['containerd-shim-runc-v2'])}:${process.env.PATH ?? ''}` },
  };
}
