/**
 * A registry beside the cluster. Crossplane and the node's containerd reach it by its address in Docker's network
 * `kind`: Crossplane requires a host with a dot, and uses plain HTTP for private addresses.
 */
import { tool } from '../../environment/tool.ts';

const NAME = 'kind-registry';
const IMAGE = 'registry:2';
/** On the host's loopback. */
const HOST_PORT = 5001;

/** Where the host pushes to. */
export const pushAddress = `127.0.0.1:${HOST_PORT}`;

/** Where the cluster pulls from. */
export async function pullAddress(): Promise<string> {
  const format = '{{.NetworkSettings.Networks.kind.IPAddress}}';
  const address = (await tool('docker', ['inspect', '--format', format, NAME])).trim();
  if (address === '') throw new Error(`the container ${NAME} is not in the network kind`);
  return `${address}:5000`;
}

/** Starts it, unless it runs, and has the nodes of a cluster pull from it. */
export async function startRegistry(cluster: string): Promise<void> {
  const running = await tool('docker', ['ps', '--quiet', '--filter', `name=^${NAME}$`]);
  if (running.trim() === '') {
    const port = `${pushAddress}:5000`;
    await tool('docker', ['run', '--detach', '--publish', port, '--network', 'kind', '--name', NAME, IMAGE]);
  }
  const address = await pullAddress();
  const folder = `/etc/containerd/certs.d/${address}`;
  const nodes = (await tool('kind', ['get', 'nodes', '--name', cluster])).trim().split('\n');
  for (const node of nodes) {
    await tool('docker', ['exec', node, 'mkdir', '-p', folder]);
    await tool('docker', ['exec', '--interactive', node, 'cp', '/dev/stdin', `${folder}/hosts.toml`], {
      input: hostsToml(address),
    });
  }
}

const hostsToml = (address: string): string =>
  `server = "http://${address}"\n\n[host."http://${address}"]\n  capabilities = ["pull", "resolve"]\n`;

export const removeRegistry = (): Promise<string> => tool('docker', ['rm', '--force', '--volumes', NAME]);
